"""Keyword arguments as the keys of a job file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from privet._native import InvalidInput


def key(name: str) -> str:
    """A key of a job file: underscores stand for hyphens, and one behind a name that is a word of Python is left out."""
    return name.rstrip("_").replace("_", "-")


def plain(value: Any) -> Any:
    """A value as JSON has it: paths as absolute text, tuples and sets as lists."""
    if isinstance(value, os.PathLike):
        return os.path.abspath(os.fspath(value))
    if isinstance(value, Mapping):
        return {str(name): plain(own) for name, own in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(own) for own in value)
    if isinstance(value, (list, tuple)):
        return [plain(own) for own in value]
    item = getattr(value, "item", None)
    if callable(item) and type(value).__module__ == "numpy":
        return item()
    return value


def written(settings: Mapping[str, Any]) -> str:
    """Settings for native code. Keys without a value are left out."""
    try:
        return json.dumps(plain(settings), allow_nan=False)
    except (TypeError, ValueError):
        raise InvalidInput("a setting is no text, number, truth value, list or dictionary") from None


def section(values: Mapping[str, Any]) -> dict[str, Any]:
    """A section from keyword arguments; `None` leaves a key out."""
    return {key(name): value for name, value in values.items() if value is not None}


def merge(settings: dict[str, Any], more: Mapping[str, Any] | None) -> dict[str, Any]:
    """Adds settings: sections as dictionaries, or keys with dots such as `"search.mondrian.mode"`."""
    for name, value in (more or {}).items():
        if isinstance(value, Mapping) and "." not in name:
            inner = settings.setdefault(name, {})
            if not isinstance(inner, dict):
                raise InvalidInput(f"`{name}` is no section")
            merge_plain(inner, value)
            continue
        *sections, last = name.split(".")
        table = settings
        for part in sections:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise InvalidInput(f"`{name}` lies inside a value that is no section")
        table[last] = value
    return settings


def merge_plain(old: dict[str, Any], new: Mapping[str, Any]) -> None:
    """Adds the keys of `new`, section by section. Names with dots are names here: columns may have them."""
    for name, value in new.items():
        if isinstance(value, Mapping) and isinstance(old.get(name), dict):
            merge_plain(old[name], value)
        else:
            old[name] = value
