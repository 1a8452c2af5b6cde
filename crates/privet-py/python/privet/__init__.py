"""Privet: take data about people and give out something that is safe to publish.

The package is a door to the library of the same name: every promise is proven again from the files of a release, and every release
is attacked before it is handed over. Frames of pandas, polars, pyarrow and DuckDB go in and come out as what they were.

>>> import pandas as pd
>>> import privet
>>> people = pd.DataFrame({
...     "name": ["Ann", "Bob", "Cem", "Dot", "Eve", "Fay"],
...     "age": [31, 34, 38, 52, 55, 59],
...     "zip": ["1304", "1305", "1306", "1487", "1488", "1489"],
...     "illness": ["flu", "gastritis", "cancer", "flu", "cancer", "gastritis"],
... })
>>> release = privet.anonymize(
...     people,
...     identifier=["name"],
...     quasi={"age": privet.intervals(10, 20), "zip": privet.mask()},
...     sensitive=["illness"],
...     k=3,
...     l=privet.distinct(3),
... )
>>> sorted(set(zip(release.frame["age"], release.frame["zip"])))
[('30-39', '130*'), ('50-59', '148*')]
>>> bool(release.verify())
True
"""

from privet._anonymize import Job, anonymize, open, suggest
from privet._columns import (
    Hierarchy,
    dates,
    groups,
    hierarchy_file,
    intervals,
    mask,
    regions,
    tree,
    values,
)
from privet._mine import Clusters, Rules, Tree
from privet._native import (
    BudgetExceeded,
    InvalidInput,
    PrivetError,
    Refused,
    ResourcesExhausted,
    __version__,
)
from privet._promises import Promise, distinct, entropy, promise, recursive
from privet._query import Answer, Ledger, Plan, plan, query
from privet._randomize import Reconstruction, randomize, reconstruct
from privet._release import Assessment, Release, Verdict
from privet._shapes import graph, ratings, sets, traces
from privet._suggestion import Suggestion

__all__ = [
    "Answer",
    "Assessment",
    "BudgetExceeded",
    "Clusters",
    "Hierarchy",
    "InvalidInput",
    "Job",
    "Ledger",
    "Plan",
    "PrivetError",
    "Promise",
    "Reconstruction",
    "Refused",
    "Release",
    "ResourcesExhausted",
    "Rules",
    "Suggestion",
    "Tree",
    "Verdict",
    "__version__",
    "anonymize",
    "dates",
    "distinct",
    "entropy",
    "graph",
    "groups",
    "hierarchy_file",
    "intervals",
    "mask",
    "open",
    "plan",
    "promise",
    "query",
    "randomize",
    "ratings",
    "reconstruct",
    "recursive",
    "regions",
    "sets",
    "suggest",
    "traces",
    "tree",
    "values",
]
