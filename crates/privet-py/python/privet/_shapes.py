"""Other shapes of data: ratings, graphs, sets and traces. Keyword arguments are the keys of their job files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privet import _frames, _native, _settings
from privet._progress import Progress, Watch
from privet._release import Release


def make(
    kind: str,
    inputs: Mapping[str, Any],
    given: Mapping[str, Any],
    keys: Mapping[str, Any],
    settings: Mapping[str, Any] | None,
    progress: Progress,
) -> Release:
    """Makes a release of a kind from `inputs`, by the key of `[input]` that names each."""
    job: dict[str, Any] = {"kind": kind, "input": _settings.section(given), kind: _settings.section(keys)}
    limits = {name: job[kind].pop(name) for name in ("max-risk", "max-absolute-risk") if name in job[kind]}
    if limits:
        job["adversary"] = limits
    _settings.merge(job, settings)
    sources = [(key, _frames.arrow(data)) for key, data in inputs.items() if data is not None]
    with Watch(progress) as told:
        native = _native.run_kind(sources, _settings.written(job), told)
    return Release(native, _frames.back(next(iter(inputs.values()))))


def ratings(
    data: Any,
    *,
    scale: tuple[float, float] | tuple[float, float, float],
    user: str | None = None,
    item: str | None = None,
    rating: str | None = None,
    time: str | None = None,
    sensitive: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
    **keys: Any,
) -> Release:
    """Publishes ratings so that nobody stands out in a group of `k`: (k,ε)- and (k,ε,l)-anonymity.

    `scale` is the lowest and the highest rating and, where it is not 1, the step. Further keys are those of `[ratings]`: `k`, `epsilon`, `l`,
    `items`, `method` and so on; `max_risk` limits attacks.

    >>> import pandas as pd
    >>> rows = [(f"u{u}", f"i{i}", 1 + (u + i) % 3) for u in range(24) for i in range(4)]
    >>> films = pd.DataFrame(rows, columns=["user", "item", "rating"])
    >>> release = privet.ratings(films, scale=(1, 5), user="user", item="item", rating="rating", k=4, epsilon=1)
    >>> bool(release.verify())
    True
    """
    bounds = dict(zip(("low", "high", "step"), scale))
    given = {
        "scale": bounds,
        "user": user,
        "item": item,
        "rating": rating,
        "time": time,
        "sensitive": list(sensitive) or None,
    }
    return make("ratings", {"path": data}, given, keys, settings, progress)


def graph(
    edges: Any,
    *,
    nodes: Any = None,
    source: str | None = None,
    target: str | None = None,
    id: str | None = None,
    directed: bool = False,
    attributes: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
    **keys: Any,
) -> Release:
    """Publishes a graph of people: `method` is `"k-degree"`, `"k-neighbourhood"`, `"clusters"`, `"private-degrees"` and so on.

    `nodes` is a table of attributes, and `attributes` says the role of each. Further keys are those of `[graph]`.

    >>> import polars as pl
    >>> ring = pl.DataFrame({"a": list(range(30)), "b": [(n + 1) % 30 for n in range(30)]})
    >>> release = privet.graph(ring, source="a", target="b", method="clusters", k=5, seed=1)
    >>> bool(release.verify())
    True
    """
    given = {
        "source": source,
        "target": target,
        "id": id,
        "directed": directed or None,
        "attributes": dict(attributes) if attributes else None,
    }
    return make("graph", {"edges": edges, "nodes": nodes}, given, keys, settings, progress)


def sets(
    data: Any,
    *,
    person: str | None = None,
    item: str | None = None,
    query: str | None = None,
    time: str | None = None,
    click: str | None = None,
    form: str | None = None,
    hierarchy: Any = None,
    sensitive: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
    **keys: Any,
) -> Release:
    """Publishes baskets or a search log. `data` has a row for each person and item, or a column of a log, or is a file.

    `form` is `"pairs"`, `"lines"` (files only) or `"log"`. Further keys are those of `[sets]`: `method`, `k`, `m` and so on.

    >>> import pandas as pd
    >>> rows = [(f"p{p}", item) for p in range(20) for item in ("bread", "milk" if p % 2 else "tea")]
    >>> baskets = pd.DataFrame(rows, columns=["person", "item"])
    >>> release = privet.sets(baskets, person="person", item="item", method="apriori", k=3, m=2)
    >>> bool(release.verify())
    True
    """
    given = {
        "person": person,
        "item": item,
        "query": query,
        "time": time,
        "click": click,
        "form": form,
        "hierarchy": hierarchy,
        "sensitive": list(sensitive) or None,
    }
    return make("sets", {"path": data}, given, keys, settings, progress)


def traces(
    data: Any,
    *,
    object: str | None = None,
    time: str | None = None,
    degrees: tuple[str, str] | None = None,
    xy: tuple[str, str] | None = None,
    sensitive: str | None = None,
    sort: bool = False,
    centre: tuple[float, float] | None = None,
    gap: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
    **keys: Any,
) -> Release:
    """Publishes positions of people over time: `method` is `"cells"`, `"cloaking"`, `"never-walk-alone"`, `"flows"` and so on.

    `degrees` names the columns of latitude and longitude, `xy` those of coordinates in metres. Further keys are those of `[traces]`.

    >>> import polars as pl
    >>> rows = [(f"p{p}", 3600 * t, 48.1 + p / 10000, 11.5 + t / 1000) for p in range(12) for t in range(4)]
    >>> points = pl.DataFrame(rows, schema=["person", "time", "lat", "lon"], orient="row")
    >>> release = privet.traces(points, object="person", time="time", degrees=("lat", "lon"), method="cells", k=4)
    >>> bool(release.verify())
    True
    """
    given = {
        "object": object,
        "time": time,
        "degrees": None if degrees is None else list(degrees),
        "xy": None if xy is None else list(xy),
        "sensitive": sensitive,
        "sort": sort or None,
        "centre": None if centre is None else list(centre),
        "gap": gap,
    }
    return make("traces", {"path": data}, given, keys, settings, progress)
