"""How the values of a column are generalized: what stands under `hierarchy` in a job file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

Number = Union[int, float]


@dataclass(frozen=True)
class Hierarchy:
    """How a column is generalized. Made by `intervals`, `mask`, `dates`, `groups`, `tree`, `regions`, `hierarchy_file` or `values`."""

    spec: Any = None

    def with_weight(self, weight: float) -> Weighted:
        """The same hierarchy for a column that the metric weighs by `weight`."""
        return Weighted(self.spec, weight)


@dataclass(frozen=True)
class Weighted(Hierarchy):
    """A hierarchy with the weight of its column."""

    weight: float = 1.0


def _keys(spec: dict[str, Any], **others: Any) -> Hierarchy:
    spec.update({key: value for key, value in others.items() if value is not None})
    return Hierarchy(spec)


def values() -> Hierarchy:
    """The value itself, or nothing.

    >>> privet.values().spec is None
    True
    """
    return Hierarchy()


def intervals(
    *widths: Number, min: Number | None = None, top: Number | None = None, bottom: Number | None = None
) -> Hierarchy:
    """Intervals of these widths, from the narrowest to the widest; each must be a multiple of the one before.

    `min` is where an interval begins. Values from `top` upward are one, and so are values below `bottom`.

    >>> privet.intervals(5, 10, top=90).spec
    {'intervals': [5, 10], 'top': 90}
    """
    return _keys({"intervals": list(widths)}, min=min, top=top, bottom=bottom)


def mask(side: str = "right", *, symbol: str | None = None, steps: Sequence[int] | None = None) -> Hierarchy:
    """One character after the other is masked, from the right or the left: for postal codes.

    >>> privet.mask(steps=[1, 2, 5]).spec
    {'mask': 'right', 'steps': [1, 2, 5]}
    """
    return _keys({"mask": side}, symbol=symbol, steps=None if steps is None else list(steps))


def dates(*units: str) -> Hierarchy:
    """Dates by these units, from the finest.

    >>> privet.dates("month", "year").spec
    {'dates': ['month', 'year']}
    """
    return Hierarchy({"dates": list(units)})


def groups(groups: Mapping[str, Sequence[Any]], *, merge: Sequence[int] | None = None) -> Hierarchy:
    """Named groups of values: one level above the values.

    >>> privet.groups({"ward": ["East", "West"]}).spec
    {'groups': [{'label': 'ward', 'values': ['East', 'West']}]}
    """
    named = [{"label": label, "values": [str(own) for own in own_values]} for label, own_values in groups.items()]
    return _keys({"groups": named}, merge=None if merge is None else list(merge))


def tree(branches: Mapping[str, Any]) -> Hierarchy:
    """A tree of values: branches are dictionaries, leaves are lists.

    >>> privet.tree({"Europe": ["French", "German"], "Asia": {"East": ["Japanese"]}}).spec
    {'tree': {'Europe': ['French', 'German'], 'Asia': {'East': ['Japanese']}}}
    """
    return Hierarchy({"tree": dict(branches)})


def regions(*sizes: int, by: str | None = None) -> Hierarchy:
    """Regions of at least so many records, made from neighbouring values.

    >>> privet.regions(500, 5000, by="right").spec
    {'regions': [500, 5000], 'by': 'right'}
    """
    return _keys({"regions": list(sizes)}, by=by)


def hierarchy_file(path: str | os.PathLike[str]) -> Hierarchy:
    """A hierarchy file: one line per value, one column per level.

    >>> privet.hierarchy_file("jobs.csv").spec.endswith("jobs.csv")
    True
    """
    return Hierarchy(os.path.abspath(os.fspath(path)))


def column(role: str, hierarchy: Any = None) -> dict[str, Any]:
    """The section of a column. A hierarchy may also be written as in a job file."""
    section: dict[str, Any] = {"role": role}
    spec = hierarchy.spec if isinstance(hierarchy, Hierarchy) else hierarchy
    if isinstance(hierarchy, Weighted):
        section["weight"] = hierarchy.weight
    if spec is not None:
        section["hierarchy"] = os.path.abspath(spec) if isinstance(spec, str) else spec
    return section


def columns_of(role: str, given: Any) -> dict[str, dict[str, Any]]:
    """The sections of columns: one name, several names, or a mapping from names to hierarchies."""
    if given is None:
        return {}
    if isinstance(given, str):
        return {given: column(role)}
    if isinstance(given, Mapping):
        return {name: column(role, hierarchy) for name, hierarchy in given.items()}
    return {name: column(role) for name in given}
