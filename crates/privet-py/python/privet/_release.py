"""Releases that a program holds, and what is found when they are verified, attacked and measured."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from privet import _frames, _native, _show
from privet._native import Refused
from privet._progress import Progress, Watch

Findings = list[dict[str, Any]]


class Verdict:
    """What `verify` found. True when every check holds."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    @property
    def checks(self) -> Findings:
        """What was checked: `name`, `ok`, `detail` and, for promises, `reached`."""
        return list(self._found["checks"])

    @property
    def on_trust(self) -> list[Any]:
        """What no file of the release can show, and the publisher vouches for."""
        return list(self._found["on_trust"])

    @property
    def signed(self) -> bool | None:
        """Whether the given key signed it; `None` where no key was given."""
        signed: bool | None = self._found["signed"]
        return signed

    def __bool__(self) -> bool:
        return bool(self._found["holds"])

    def __repr__(self) -> str:
        failed = [check["name"] for check in self.checks if not check["ok"]]
        if self:
            return f"Verified: all {len(self.checks)} checks hold."
        return f"Not to be trusted: {len(failed)} of {len(self.checks)} checks fail: {', '.join(failed)}."

    def _repr_html_(self) -> str:
        rows = [["ok" if check["ok"] else "FAIL", check["name"], check["detail"]] for check in self.checks]
        return _show.table(["", "check", "found"], rows, repr(self))


class Assessment(Mapping[str, Any]):
    """What attacks or measures found, as a mapping with the same keys as `--json` of the command line."""

    def __init__(self, found: dict[str, Any], exceeded: str | None = None) -> None:
        self._found = found
        self.exceeded = exceeded

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def attacks(self) -> Findings:
        """The attacks that were made, with what they found."""
        return list(self._found.get("findings", self._found.get("attacks", [])))

    @property
    def not_made(self) -> Findings:
        """The attacks that were not made, and why."""
        return list(self._found.get("not_made", []))

    @property
    def risk(self) -> float | None:
        """The largest share of people that an attack exposes; `None` where no attack was made or one could not tell."""
        reached = [_share(attack) for attack in self.attacks]
        known = [share for share in reached if share is not None]
        return max(known) if known and len(known) == len(reached) else None

    @property
    def figures(self) -> Findings:
        """The figures of the table as a whole: what single records risk, and what the release is still good for."""
        figures: Findings = list(self._found.get("figures", []))
        for part in ("risk", "utility"):
            figures.extend((self._found.get(part) or {}).get("figures", []))
        return figures

    def figure(self, key: str) -> float | None:
        """A figure by its key, such as `"average-class-size"`.

        Raises `KeyError` where there is none of that key.
        """
        for figure in self.figures:
            if figure.get("key", figure.get("id")) == key:
                value: float | None = figure["value"]
                return value
        raise KeyError(key)

    def __repr__(self) -> str:
        parts = []
        if self.attacks:
            parts.append(f"{len(self.attacks)} attacks made")
        if self.not_made:
            parts.append(f"{len(self.not_made)} not made")
        if self.figures:
            parts.append(f"{len(self.figures)} figures")
        return f"Assessment: {', '.join(parts) or 'nothing found'}."

    def _repr_html_(self) -> str:
        parts = []
        if self.attacks:
            rows = [[_name(own), own.get("column"), _percent(_share(own))] for own in self.attacks]
            parts.append(_show.table(["attack", "column", "people exposed"], rows))
        if self.figures:
            rows = [[own.get("name", own.get("title")), own["value"], own.get("says")] for own in self.figures]
            parts.append(_show.table(["figure", "value", "what it says"], rows))
        return "".join(parts) or f"<p>{escape(repr(self))}</p>"


def _name(finding: dict[str, Any]) -> Any:
    return finding.get("title") or finding.get("attack") or finding.get("id")


def _share(finding: dict[str, Any]) -> float | None:
    if "risk" in finding:
        risk: float | None = finding["risk"]
        return risk
    # Other shapes tell of how many people the adversary is sure and right or, without the original, sure.
    reached = finding.get("right") or finding["sure"]
    return reached["hits"] / reached["of"] if reached["of"] else None


def _percent(share: float | None) -> str:
    return "not known" if share is None else f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %"


class Release:
    """A release: published data, proven and attacked. What is only in memory goes with the object; `write` publishes it."""

    def __init__(self, native: _native.Release, back: _frames.Back) -> None:
        self._native = native
        self._back = back

    @property
    def frame(self) -> Any:
        """The published records, in the library of the frame that they were made from.

        Raises `InvalidInput` where there is not exactly one table; `tables` names them, and `table` reads one.
        """
        return self._back(self._native.frame())

    @property
    def tables(self) -> list[str]:
        """The names of the published tables; releases of other shapes have several, or none."""
        return self._native.tables()

    def table(self, name: str) -> Any:
        """A published table by its name, in the library of the frame that it was made from."""
        return self._back(self._native.frame(name))

    @property
    def folder(self) -> Path:
        """Where the files of the release are. A release in memory has a private folder, which goes with the object."""
        return self._native.folder

    @property
    def summary(self) -> dict[str, Any]:
        """What was done: the same keys as `--json` of the command line."""
        return dict(json.loads(self._native.summary) or {})

    @property
    def manifest(self) -> dict[str, Any]:
        """What the release states about itself."""
        return dict(json.loads(self._native.manifest()))

    @property
    def job(self) -> str | None:
        """The job file that makes it, where there is one. It names the original and is for the owner alone."""
        return self._native.job_text()

    def verify(
        self,
        *,
        key: str | os.PathLike[str] | None = None,
        population: str | os.PathLike[str] | None = None,
        must_hold: bool = True,
        progress: Progress = None,
    ) -> Verdict:
        """Checks every promise again, from the published files alone.

        Raises `Refused` when a check fails, or the release is not signed by `key`; with `must_hold=False` the verdict says so.
        """
        with Watch(progress) as told:
            found = self._native.verify(_path(key), _path(population), told)
        verdict = Verdict(json.loads(found))
        if must_hold and not (verdict and verdict.signed is not False):
            refused = Refused(repr(verdict) if not verdict else "The release is not signed by this key.")
            refused.verdict = verdict
            raise refused
        return verdict

    def attack(
        self,
        *,
        knowledge: str | os.PathLike[str] | None = None,
        attacks: Sequence[str] | None = None,
        confidence: float = 0.9,
        max_risk: float | None = None,
        max_absolute_risk: float | None = None,
        seed: int = 1,
        progress: Progress = None,
    ) -> Assessment:
        """Attacks it with what an adversary is assumed to know, and scores the attacks by the original where it is known.

        Raises `Refused` when an attack exceeds a limit; its `assessment` tells which.
        """
        named = None if attacks is None else list(attacks)
        with Watch(progress) as told:
            found = self._native.attack(
                _path(knowledge), named, confidence, max_risk, max_absolute_risk, seed, told
            )
        answer = json.loads(found)
        assessment = Assessment(answer["assessment"], answer["exceeded"])
        if assessment.exceeded is not None:
            refused = Refused(assessment.exceeded)
            refused.assessment = assessment
            raise refused
        return assessment

    def measure(
        self, original: Any = None, *, classes: Sequence[str] = (), progress: Progress = None
    ) -> Assessment:
        """Compares it with the original: what it is still good for, and what its records risk.

        `original` may be left out where the release was made here or opened with its job. `classes` are columns that classifiers learn.
        """
        given = None if original is None else _frames.arrow(original)
        with Watch(progress) as told:
            return Assessment(json.loads(self._native.measure(given, list(classes), told)))

    def report(self) -> _show.Page:
        """The page for readers, in HTML. A notebook shows it inline."""
        return _show.Page(self._native.report())

    def text(self, name: str) -> str:
        """A published file that is text, such as `"report.json"`."""
        return self._native.text(name)

    def write(self, folder: str | os.PathLike[str], *, replace: bool = False) -> Path:
        """Publishes it as a folder, whole or not at all. `replace` replaces a release that stands there, and nothing else."""
        path = Path(folder)
        self._native.write(path, replace)
        return path

    def __repr__(self) -> str:
        summary = self.summary
        if "suppressed" in summary and "rows" in summary:
            kept = summary["rows"] - summary["suppressed"]
            text = f"Release of {kept:,} of {summary['rows']:,} records"
            if "classes" in summary and "min_class_size" in summary:
                text += f" in {summary['classes']:,} classes of at least {summary['min_class_size']:,}"
            return text + "."
        return f"Release of kind {self.manifest.get('kind')}."

    def _repr_html_(self) -> str:
        promises = [[own.get("statement")] for own in self.manifest.get("promises", [])]
        return f"<p>{escape(repr(self))}</p>" + (_show.table(["promises"], promises) if promises else "")


def _path(path: Any) -> Path | None:
    return None if path is None else Path(path)
