"""A transformer for pipelines of scikit-learn: the recoding of a release, learned once and used again.

>>> import pandas as pd
>>> from privet.sklearn import Anonymizer
>>> people = pd.DataFrame({"age": [31, 34, 38, 52, 55, 59], "cost": [10, 20, 30, 40, 50, 60]})
>>> anonymizer = Anonymizer(quasi={"age": privet.intervals(10, 20)}, insensitive=["cost"], k=3).fit(people)
>>> anonymizer.transform(pd.DataFrame({"age": [33, 57, 99], "cost": [1, 2, 3]}))["age"].tolist()
['30-39', '50-59', '*']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privet import _anonymize, _frames
from privet._native import InvalidInput
from privet._release import Release

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError as error:
    raise ImportError("privet.sklearn needs scikit-learn; install scikit-learn") from error


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns how columns are generalized from one table, and generalizes others alike.

    `fit` makes a release as `privet.anonymize` does, which proves its promises and is attacked first; it is `release_`. `transform` gives one
    record for each record: with the labels of the release where a class of the release has them, so that at least as many people of the
    fitted table look like that as it promised, and with `*` in all quasi columns otherwise. What the release promises of sensitive
    values holds for the fitted records only. Columns that have no role are left out.

    Only algorithms that generalize whole columns can be used, such as the usual one.
    """

    def __init__(
        self,
        *,
        identifier: Sequence[str] | None = None,
        quasi: Sequence[str] | Mapping[str, Any] | None = None,
        sensitive: Sequence[str] | Mapping[str, Any] | None = None,
        insensitive: Sequence[str] | None = None,
        k: int | None = None,
        l: Any = None,
        t: Any = None,
        promises: Mapping[str, Any] | None = None,
        suppress_at_most: float | None = None,
        algorithm: str | None = None,
        minimize: str | None = None,
        max_risk: float | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.identifier = identifier
        self.quasi = quasi
        self.sensitive = sensitive
        self.insensitive = insensitive
        self.k = k
        self.l = l
        self.t = t
        self.promises = promises
        self.suppress_at_most = suppress_at_most
        self.algorithm = algorithm
        self.minimize = minimize
        self.max_risk = max_risk
        self.settings = settings

    def fit(self, X: Any, y: Any = None) -> Anonymizer:
        """Makes a release of these records and keeps how they were generalized."""
        self.release_: Release = _anonymize.anonymize(X, **self.get_params(deep=False))
        self.recoding_ = self.release_._native.recoding()
        self.n_features_in_ = len(_frames.columns_in(X))
        return self

    def transform(self, X: Any) -> Any:
        """These records, generalized as the fitted ones were; in the library of the frame."""
        if not hasattr(self, "recoding_"):
            raise InvalidInput("Anonymizer is not fitted yet; call `fit` first")
        recoded = _frames.back(X)(self.recoding_.apply(_frames.arrow(X)))
        index = getattr(X, "index", None)
        if index is not None and hasattr(recoded, "set_axis"):
            recoded = recoded.set_axis(index, axis=0)
        return recoded

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The published columns."""
        import numpy as np

        return np.asarray(self.recoding_.columns, dtype=object)
