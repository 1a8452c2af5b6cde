"""Values changed by chance, and what they were made of."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from privet import _frames, _native, _settings, _show
from privet._progress import Progress, Watch
from privet._release import Release


def randomize(
    data: Any,
    columns: Mapping[str, Any] | None = None,
    *,
    keep: Sequence[str] = (),
    seed: int | None = None,
    method: str | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
    **keys: Any,
) -> Release:
    """Publishes records whose values were changed by a law that everybody knows.

    `columns` maps each column that is hidden to its law, such as `{"gamma": 19}` or `{"noise": "gaussian", "sd": 5}`, with `role`, `values`
    and `hierarchy` beside the law where needed. Columns in `keep` are published as they are, others not at all. `method` and further keys
    are those of `[randomize]`: `method="swap", swap="rank", percent=10`. Randomness is that of the operating system; whoever knows `seed`
    can undo every change.

    >>> import polars as pl
    >>> answers = pl.DataFrame({"region": ["north"] * 400, "smokes": ["yes", "no", "no", "no"] * 100})
    >>> law = {"values": ["yes", "no"], "response": "warner", "p": 0.8}
    >>> release = privet.randomize(answers, {"smokes": law}, keep=["region"], seed=7)
    >>> release.frame.shape
    (400, 2)
    >>> abs(privet.reconstruct(release)["smokes"]["yes"] - 100) < 60
    True
    """
    sections: dict[str, Any] = {name: {"role": "insensitive"} for name in keep}
    for name, law in (columns or {}).items():
        law = dict(law)
        section = {key: law.pop(key) for key in ("role", "values", "hierarchy") if key in law}
        section.setdefault("role", "sensitive")
        spec = section.get("hierarchy")
        if spec is not None:
            spec = getattr(spec, "spec", spec)
            section["hierarchy"] = os.path.abspath(spec) if isinstance(spec, str) else spec
        if law:
            section["perturb"] = {_settings.key(key): value for key, value in law.items()}
        sections[name] = section
    job: dict[str, Any] = {"columns": sections}
    own = _settings.section({"method": method, **keys})
    if own:
        job["randomize"] = own
    _settings.merge(job, settings)
    with Watch(progress) as told:
        native = _native.randomize(_frames.arrow(data), _settings.written(job), seed, told)
    return Release(native, _frames.back(data))


class Reconstruction(Mapping[str, Any]):
    """What columns of a randomized release were made of. `reconstruction["smokes"]` has the estimate of each value or interval."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.details = found

    def __getitem__(self, column: str) -> dict[str, float]:
        for own in self.details["columns"]:
            if own["column"] == column and own.get("class") is None:
                return _estimates(own)
        raise KeyError(column)

    def within(self, column: str, label: str) -> dict[str, float]:
        """The estimates of a column among the records of one class of `by`."""
        for own in self.details["columns"]:
            if own["column"] == column and own.get("class") == label:
                return _estimates(own)
        raise KeyError((column, label))

    def __iter__(self) -> Any:
        return iter(dict.fromkeys(own["column"] for own in self.details["columns"]))

    def __len__(self) -> int:
        return len({own["column"] for own in self.details["columns"]})

    def __repr__(self) -> str:
        return f"Reconstruction of {', '.join(self)} from {self.details['records']:,} records."

    def _repr_html_(self) -> str:
        rows = [
            [own["column"], own.get("class"), label, estimate]
            for own in self.details["columns"]
            for label, estimate in _estimates(own).items()
        ]
        return _show.table(["column", "class", "value", "estimate"], rows, repr(self))


def _estimates(column: dict[str, Any]) -> dict[str, float]:
    kind = column["kind"]
    if kind == "counts":
        return {own["value"]: own["estimate"] for own in column["values"]}
    if kind == "numbers":
        return {f"{own['from']}..{own['to']}": own["share"] for own in column["bins"]}
    return {" ".join(own["items"]): own["support"] for own in column["sets"]}


def reconstruct(
    release: Release | str | os.PathLike[str],
    columns: Sequence[str] = (),
    *,
    by: str | None = None,
    bins: int = 20,
    sampled: bool = False,
    progress: Progress = None,
) -> Reconstruction:
    """Estimates what perturbed columns were made of, from the release alone; `details` has the errors.

    `by` names a column that is published as it was: each of its values is estimated by itself. `sampled` says that the records are a sample
    and the population is asked about.
    """
    folder = release.folder if isinstance(release, Release) else os.fspath(release)
    with Watch(progress) as told:
        found = _native.reconstruct(folder, list(columns), by, bins, sampled, told)
    return Reconstruction(json.loads(found))
