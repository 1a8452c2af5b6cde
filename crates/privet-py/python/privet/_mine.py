"""Models that are safe to publish, in the manner of scikit-learn: fit, predict, and the release behind them.

A model is learned from the columns that are named; every span that tells of private attributes keeps `k` people.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from privet import _frames, _native, _shapes
from privet._native import InvalidInput
from privet._progress import Progress, Watch
from privet._release import Release


class _Model:
    """What all models have: parameters as scikit-learn reads and sets them, and the release."""

    _type = ""
    _input: tuple[str, ...] = ("settings",)

    def __init__(self, **parameters: Any) -> None:
        self._parameters = parameters
        for name, value in parameters.items():
            setattr(self, name, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters."""
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **parameters: Any) -> Any:
        """Sets parameters that there are."""
        for name, value in parameters.items():
            if name not in self._parameters:
                raise InvalidInput(f"{type(self).__name__} has no parameter {name}; accepted: {', '.join(self._parameters)}")
            setattr(self, name, value)
        return self

    @property
    def release(self) -> Release:
        """The release: verify it, attack it, write it."""
        release: Release | None = getattr(self, "release_", None)
        if release is None:
            raise InvalidInput(f"{type(self).__name__} is not fitted yet; call `fit` first")
        return release

    @property
    def model(self) -> dict[str, Any]:
        """What is published."""
        return dict(json.loads(self.release.text("model.json")))

    def _learn(self, data: Any, given: Mapping[str, Any], progress: Progress) -> None:
        keys = {"type": self._type}
        keys.update({name: value for name, value in self.get_params().items() if name not in self._input})
        self.release_ = _shapes.make("model", {"path": data}, given, keys, self.get_params().get("settings"), progress)

    def _predicted(self, data: Any, progress: Progress) -> list[str]:
        with Watch(progress) as told:
            return self.release._native.predict(_frames.arrow(data), told)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items() if value is not None)
        return f"{type(self).__name__}({told})"


def _with_class(data: Any, target: Any, name: str) -> Any:
    """The frame with the classes as one more column."""
    if isinstance(data, (str, os.PathLike)):
        raise InvalidInput("`y` goes with a frame; name the class column of a file with `target`")
    import pyarrow as pa

    table = pa.table(_frames.arrow(data))
    if name in table.column_names:
        table = table.drop_columns([name])
    return table.append_column(name, pa.array([None if own is None else str(own) for own in _list(target)]))


def _list(values: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return list(values)


class Tree(_Model):
    """A decision tree whose every leaf holds at least `k` people.

    `public` columns are known of everybody, `private` ones of nobody; without either all columns are public. `target` names the class column;
    without it the classes are `y`.

    >>> import pandas as pd
    >>> loans = pd.DataFrame({"age": [20 + n % 50 for n in range(300)]})
    >>> risk = ["bad" if age < 35 else "good" for age in loans["age"]]
    >>> tree = privet.Tree(k=20).fit(loans, risk)
    >>> tree.predict(pd.DataFrame({"age": [25, 60]}))
    ['bad', 'good']
    >>> bool(tree.release.verify())
    True
    """

    _type = "tree"
    _input = ("public", "private", "target", "hierarchies", "class_visibility", "settings")

    def __init__(
        self,
        *,
        k: int = 10,
        public: Sequence[str] | None = None,
        private: Sequence[str] | None = None,
        target: str | None = None,
        class_visibility: str | None = None,
        hierarchies: Mapping[str, Any] | None = None,
        confidence_limit: float | None = None,
        max_depth: int | None = None,
        levels: str | None = None,
        prune: float | None = None,
        trees: Sequence[Sequence[str]] | None = None,
        max_risk: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(**{name: own for name, own in locals().items() if name not in ("self", "__class__")})

    def fit(self, X: Any, y: Any = None, *, progress: Progress = None) -> Tree:
        """Learns the tree from a frame, or from a file that has the class column."""
        parameters = self.get_params()
        target = parameters["target"] or ("class" if y is not None else None)
        if target is None:
            raise InvalidInput("the classes are missing; give `y`, or name their column with `target`")
        data = X if y is None else _with_class(X, y, target)
        public, private = parameters["public"], parameters["private"]
        if public is None and private is None:
            public = [name for name in _frames.columns_in(X) if name != target]
        hierarchies = {
            name: getattr(own, "spec", own) for name, own in (parameters["hierarchies"] or {}).items()
        }
        given = {
            "public": list(public or []),
            "private": list(private or []),
            "class_": target,
            "class_visibility": parameters["class_visibility"],
            "hierarchies": hierarchies or None,
        }
        self._learn(data, given, progress)
        return self

    def predict(self, X: Any, *, progress: Progress = None) -> list[str]:
        """The class of each record."""
        return self._predicted(X, progress)

    def score(self, X: Any, y: Any) -> float:
        """The share of records whose class is predicted."""
        truth = [str(own) for own in _list(y)]
        return sum(own == said for own, said in zip(truth, self.predict(X))) / max(len(truth), 1)


class Clusters(_Model):
    """A clustering by nearest centroid whose every cluster holds at least `k` people.

    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [20 + n % 5 for n in range(100)] + [70 + n % 5 for n in range(100)]})
    >>> clusters = privet.Clusters(k=20, max_clusters=2).fit(ages)
    >>> near, far = clusters.predict(pl.DataFrame({"age": [21, 73]}))
    >>> near != far
    True
    """

    _type = "clusters"
    _input = ("public", "private", "settings")

    def __init__(
        self,
        *,
        k: int = 10,
        public: Sequence[str] | None = None,
        private: Sequence[str] | None = None,
        metric: str | None = None,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        rule: str | None = None,
        max_clusters: int | None = None,
        patience: int | None = None,
        max_risk: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(**{name: own for name, own in locals().items() if name not in ("self", "__class__")})

    def fit(self, X: Any, y: Any = None, *, progress: Progress = None) -> Clusters:
        """Learns the clusters from a frame or a file."""
        parameters = self.get_params()
        public, private = parameters["public"], parameters["private"]
        if public is None and private is None:
            public = _frames.columns_in(X)
        self._learn(X, {"public": list(public or []), "private": list(private or [])}, progress)
        return self

    def predict(self, X: Any, *, progress: Progress = None) -> list[int]:
        """The number of the cluster of each record, from 0 on."""
        return [int(number) - 1 for number in self._predicted(X, progress)]

    def fit_predict(self, X: Any, y: Any = None) -> list[int]:
        """Learns the clusters and tells in which each record is."""
        return self.fit(X).predict(X)


class Rules(_Model):
    """Association rules whose every private part is shared by at least `k` people.

    Transactions are lists of items, or a file with one transaction per line.

    >>> baskets = [["bread", "butter"]] * 30 + [["bread", "tea"]] * 10
    >>> rules = privet.Rules(k=5, min_support=5, min_confidence=0.6).fit(baskets)
    >>> bool(rules.release.verify())
    True
    >>> rules.predict([["butter"]])
    [['bread']]
    """

    _type = "rules"
    _input = ("separator", "settings")

    def __init__(
        self,
        *,
        k: int = 10,
        min_support: int = 10,
        min_confidence: float = 0.5,
        private_items: Sequence[str] | None = None,
        max_consequent: int | None = None,
        max_rules: int | None = None,
        separator: str | None = None,
        max_risk: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(**{name: own for name, own in locals().items() if name not in ("self", "__class__")})

    def fit(self, X: Any, y: Any = None, *, progress: Progress = None) -> Rules:
        """Finds the rules in transactions."""
        separator = self.get_params()["separator"]
        if isinstance(X, (str, os.PathLike)):
            self._learn(X, {"separator": separator}, progress)
            return self
        lines = _lines(X)
        # Native code puts the lines into a private file.
        self._learn(_native.Lines("".join(f"{line}\n" for line in lines)), {"separator": "\t"}, progress)
        return self

    def predict(self, X: Iterable[Iterable[str]]) -> list[list[str]]:
        """For each transaction the items that follow from it, those of the surest rule first."""
        return self.release._native.follow([[str(item) for item in own] for own in X])


def _lines(transactions: Iterable[Iterable[Any]]) -> list[str]:
    lines = []
    for own in transactions:
        if isinstance(own, str):
            raise InvalidInput("a transaction is a list of items, not a text")
        items = [str(item) for item in own]
        if any(mark in item for item in items for mark in "\t\r\n"):
            raise InvalidInput("an item has a tab or a line break; replace it")
        lines.append("\t".join(items))
    return lines
