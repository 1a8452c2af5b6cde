"""The main job described by keyword arguments, and job files of every kind."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from privet import _columns, _frames, _native, _promises, _settings
from privet._progress import Progress, Watch
from privet._release import Release
from privet._suggestion import Suggestion


def anonymize(
    data: Any,
    *,
    identifier: str | Sequence[str] | None = None,
    quasi: str | Sequence[str] | Mapping[str, Any] | None = None,
    sensitive: str | Sequence[str] | Mapping[str, Any] | None = None,
    insensitive: str | Sequence[str] | None = None,
    k: int | None = None,
    l: Any = None,
    t: Any = None,
    promises: Mapping[str, Any] | None = None,
    suppress_at_most: float | None = None,
    algorithm: str | None = None,
    minimize: str | None = None,
    max_risk: float | None = None,
    max_absolute_risk: float | None = None,
    attacks: Sequence[str] | None = None,
    knowledge: str | os.PathLike[str] | None = None,
    format: str | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> Release:
    """Anonymizes a frame, or a file that is named by its path.

    Columns that are not named are not published. `quasi` says how each column is generalized, with `privet.intervals` and the like;
    `l` is a number for distinct l-diversity or a promise such as `privet.entropy(2)`, `t` a number for t-closeness; `promises` holds
    any key of `[privacy]`. `settings` sets any other key of the job file, such as `{"search.mondrian.mode": "relaxed"}`.

    Raises `Refused` when no safe release exists or an attack exceeds a limit, and `InvalidInput` when the data or the job is at fault.

    >>> import polars as pl
    >>> wards = pl.DataFrame({"age": [30, 31, 32, 70, 71, 72], "ward": ["a", "b", "c", "a", "b", "c"]})
    >>> release = privet.anonymize(wards, quasi={"age": privet.intervals(10)}, sensitive=["ward"], k=3)
    >>> release.frame["age"].to_list()
    ['30-39', '30-39', '30-39', '70-79', '70-79', '70-79']
    >>> release
    Release of 6 of 6 records in 2 classes of at least 3.

    A promise that cannot be kept is refused:

    >>> privet.anonymize(wards, quasi={"age": privet.intervals(10)}, sensitive=["ward"], l=privet.recursive(1, 3))
    Traceback (most recent call last):
      ...
    privet.Refused: ...
    """
    job: dict[str, Any] = {}
    roles = [("identifier", identifier), ("quasi", quasi), ("sensitive", sensitive), ("insensitive", insensitive)]
    columns: dict[str, Any] = {}
    for role, given in roles:
        for name, own in _columns.columns_of(role, given).items():
            if name in columns:
                raise _native.InvalidInput(f"column {name} has two roles: {columns[name]['role']} and {role}")
            columns[name] = own
    job["columns"] = columns
    privacy: dict[str, Any] = {}
    if k is not None:
        privacy["k-anonymity"] = k
    if l is not None:
        privacy["l-diversity"] = _promises.written(l if not isinstance(l, int) else _promises.distinct(l))
    if t is not None:
        privacy["t-closeness"] = _promises.closeness(t)
    for key, promise in (promises or {}).items():
        privacy[_settings.key(key)] = _promises.written(promise)
    if privacy:
        job["privacy"] = privacy
    search = {"suppress_at_most": suppress_at_most, "algorithm": algorithm, "minimize": minimize}
    adversary = {
        "max_risk": max_risk,
        "max_absolute_risk": max_absolute_risk,
        "attacks": None if attacks is None else list(attacks),
        "knowledge": None if knowledge is None else Path(knowledge),
    }
    for name, keys in (("search", search), ("adversary", adversary), ("output", {"format": format})):
        section = _settings.section(keys)
        if section:
            job[name] = section
    _settings.merge(job, settings)
    with Watch(progress) as told:
        native = _native.anonymize(_frames.arrow(data), _settings.written(job), told)
    return Release(native, _frames.back(data))


class Job:
    """A job file of any kind of release.

    >>> job = privet.Job("select.toml", {"privacy.k-anonymity": 5})
    >>> job.path.name
    'select.toml'
    """

    def __init__(self, path: str | os.PathLike[str], settings: Mapping[str, Any] | None = None) -> None:
        self.path = Path(path)
        self.settings = dict(settings or {})

    @classmethod
    def read(cls, path: str | os.PathLike[str], **settings: Any) -> Job:
        """A job file that is there. Raises `InvalidInput` where it is not."""
        job = cls(path, settings)
        if not job.path.is_file():
            raise _native.InvalidInput(f"{job.path}: there is no such file")
        return job

    def set(self, key: str, value: Any) -> Job:
        """The same job with one key set, such as `job.set("privacy.k-anonymity", 10)`."""
        return Job(self.path, {**self.settings, key: value})

    @property
    def text(self) -> str:
        """The file."""
        return self.path.read_text(encoding="utf-8")

    def run(self, *, replace: bool = False, progress: Progress = None) -> Release:
        """Makes the release that the job describes, in the folder that it names."""
        settings = [f"{key}={_toml(value)}" for key, value in self.settings.items()]
        if replace:
            settings.append("output.replace=true")
        with Watch(progress) as told:
            native = _native.run(self.path, settings, told)
        return Release(native, _frames.back(self.path))

    def __repr__(self) -> str:
        return f"Job({str(self.path)!r})"


def _toml(value: Any) -> str:
    """A value of a job file. JSON is TOML but for dictionaries."""
    value = _settings.plain(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(own)}" for name, own in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(own) for own in value) + "]"
    # What JSON escapes beyond the first plane as two halves, TOML does not read.
    return json.dumps(value, ensure_ascii=False)


def open(folder: str | os.PathLike[str], *, job: str | os.PathLike[str] | None = None) -> Release:
    """Opens a published folder. `job` names the job file that made it, which knows the original."""
    native = _native.open(Path(folder), None if job is None else Path(job))
    return Release(native, _frames.back(None))


def suggest(data: Any, *, progress: Progress = None) -> Suggestion:
    """Guesses roles and hierarchies, with reasons. Read them before you rely on them.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"name": [f"Person {n}" for n in range(40)], "age": [20 + n % 30 for n in range(40)]})
    >>> privet.suggest(people).roles["age"]
    'quasi'
    """
    with Watch(progress) as told:
        return Suggestion(json.loads(_native.suggest(_frames.arrow(data), told)), data)
