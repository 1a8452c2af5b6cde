"""What must hold, as a program says it: what stands under `[privacy]` in a job file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Promise:
    """The parameters of a promise, by their names in the `[privacy]` section."""

    parameters: Mapping[str, Any]

    def about(self, column: str) -> Promise:
        """The same promise about one sensitive column; needed where there are several.

        >>> privet.distinct(3).about("illness").parameters
        {'l': 3, 'column': 'illness'}
        """
        return Promise({**self.parameters, "column": column})


def promise(**parameters: Any) -> Promise:
    """A promise by its parameters; underscores stand for hyphens.

    >>> privet.promise(alpha=0.5, k=5).parameters
    {'alpha': 0.5, 'k': 5}
    """
    return Promise({name.replace("_", "-"): value for name, value in parameters.items()})


def distinct(l: int) -> Promise:
    """Distinct l-diversity: every class has at least `l` different sensitive values.

    >>> privet.distinct(3).parameters
    {'l': 3}
    """
    return promise(l=l)


def entropy(l: float) -> Promise:
    """Entropy l-diversity.

    >>> privet.entropy(2.5).parameters
    {'l': 2.5, 'kind': 'entropy'}
    """
    return promise(l=l, kind="entropy")


def recursive(c: float, l: int) -> Promise:
    """Recursive (c,l)-diversity.

    >>> privet.recursive(3, 2).parameters
    {'l': 2, 'kind': 'recursive', 'c': 3}
    """
    return promise(l=l, kind="recursive", c=c)


def written(given: Any) -> Any:
    """A promise as a job file has it: a number, a table, or a list of tables."""
    if isinstance(given, Promise):
        return dict(given.parameters)
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [written(one) for one in given]
    return given


def closeness(given: Any) -> Any:
    """t-closeness: a number stands for the variational distance."""
    if isinstance(given, (int, float)):
        return {"t": given, "kind": "variational"}
    return written(given)
