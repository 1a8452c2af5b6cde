"""What `suggest` proposes: a job as text, roles with reasons, and a way to run it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from privet import _show


class Suggestion:
    """A proposed job. `job` is its text, which can be edited and written; `roles` and `reasons` are by column."""

    def __init__(self, proposed: dict[str, Any], data: Any) -> None:
        self._proposed = proposed
        self._data = data

    @property
    def kind(self) -> str:
        """The kind of release: `"records"`, or one of the other shapes."""
        kind: str = self._proposed.get("kind", "records")
        return kind

    @property
    def job(self) -> str:
        """The text of the job file, with comments."""
        text: str = self._proposed["job"]
        return text

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column; of tables of records."""
        return {own["name"]: own["role"] for own in self._proposed.get("columns", [])}

    @property
    def reasons(self) -> dict[str, str]:
        """Why each column has its role; of other shapes, what speaks for the shape."""
        columns = self._proposed.get("columns")
        if columns is None:
            return {str(number): reason for number, reason in enumerate(self._proposed.get("reasons", []), 1)}
        return {own["name"]: own["reason"] for own in columns}

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Writes the job file and the hierarchy files that it names. None of them may be there already."""
        path = Path(path)
        files = {path: self.job}
        for name, text in self._proposed.get("files", []):
            files[path.parent / name] = text
        for file in files:
            if file.exists():
                from privet._native import InvalidInput

                raise InvalidInput(f"{file} is there already; remove it, or choose another name")
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        return path

    def __repr__(self) -> str:
        if not self.roles:
            return f"Suggestion: {self.kind}."
        lines = [f"{name}: {role} ({_first(self.reasons[name])})" for name, role in self.roles.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not self.roles:
            return _show.table(["", "reason"], self.reasons.items(), self.kind)
        rows = [[name, role, self.reasons[name]] for name, role in self.roles.items()]
        return _show.table(["column", "role", "reason"], rows)


def _first(reason: str) -> str:
    return re.split(r"(?<=[.;])\s", reason, maxsplit=1)[0].rstrip(".;")
