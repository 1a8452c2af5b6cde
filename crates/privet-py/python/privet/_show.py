"""How results look in a notebook: tables in plain HTML, and pages in a frame that runs no script and loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Page(str):
    """A page in HTML. A notebook shows it inline; `write` puts it into a file."""

    def _repr_html_(self) -> str:
        return (
            '<iframe sandbox style="width: 100%; height: 40rem; border: 1px solid #8888; background: Canvas" '
            f'title="report of the release" srcdoc="{escape(str(self), quote=True)}"></iframe>'
        )

    def write(self, path: Any) -> None:
        """Puts the page into a file."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """A table in HTML. Everything in it is text."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: left">{escape(text(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def text(value: Any) -> str:
    """A figure as it is read: at most four digits behind the point."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)
