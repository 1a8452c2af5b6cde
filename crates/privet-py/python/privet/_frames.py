"""Frames of every library, in and out, through the C data interface of Arrow. No message holds a value.

`anonymize`, `query`, `plan` and `transform` read the buffers where they are; no file holds them. What opens an account, compares a release with
its original, or makes another kind of release reads a file, so a frame is written to a private folder for it, readable by this user alone and
removed with the object. Published records come back from the files of the release.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import Any, Union

from privet._native import InvalidInput

Path = Union[str, "os.PathLike[str]"]
Back = Callable[[Any], Any]

# For data that was read from a file: the first of these that is installed.
_USUAL = ("pandas", "polars", "pyarrow")


def _library(data: Any) -> str:
    return type(data).__module__.split(".")[0].lstrip("_")


def arrow(data: Any) -> Any:
    """The data as a path or as something that exports an Arrow stream."""
    if isinstance(data, (str, os.PathLike)):
        return data
    library = _library(data)
    if library == "pandas":
        return _from_pandas(data)
    if library == "polars" and hasattr(data, "collect"):
        return data.collect()
    if library == "duckdb" and not hasattr(data, "__arrow_c_stream__"):
        return data.to_arrow_table()
    return data


def _from_pandas(frame: Any) -> Any:
    if not hasattr(frame, "columns"):
        frame = frame.to_frame()
    try:
        import pyarrow as pa
    except ImportError:
        raise InvalidInput("pandas gives its frames away with the help of pyarrow; install pyarrow") from None
    unnamed = [name for name in frame.columns if not isinstance(name, str)]
    if unnamed:
        raise InvalidInput(f"{len(unnamed)} of the columns have a name that is not text; rename them")
    try:
        # The index numbers records; it is no column of the table.
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError):
        pass
    wrong = [name for name in frame.columns if not _is_uniform(frame[[name]], pa)]
    raise InvalidInput(f"columns mix values of several types; convert them first: {', '.join(wrong)}")


def _is_uniform(frame: Any, pa: Any) -> bool:
    try:
        pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError):
        return False
    return True


def _to_pandas(table: Any) -> Any:
    import pyarrow as pa

    return pa.table(table).to_pandas()


def _to_polars(table: Any) -> Any:
    import polars as pl

    return pl.DataFrame(table)


def _to_pyarrow(table: Any) -> Any:
    import pyarrow as pa

    return pa.table(table)


def _to_duckdb(table: Any) -> Any:
    import duckdb

    return duckdb.from_arrow(_to_pyarrow(table))


_BACK: dict[str, Back] = {
    "pandas": _to_pandas,
    "polars": _to_polars,
    "pyarrow": _to_pyarrow,
    "duckdb": _to_duckdb,
}


def back(data: Any) -> Back:
    """What makes a frame of the library that `data` is of; for a path, of the first usual library that is installed."""
    if not isinstance(data, (str, os.PathLike)) and data is not None:
        return _BACK.get(_library(data), lambda table: table)
    for name in _USUAL:
        needed = [name, "pyarrow"] if name == "pandas" else [name]
        if all(importlib.util.find_spec(own) is not None for own in needed):
            return _BACK[name]
    return lambda table: table


def frame_of(columns: dict[str, list[Any]], to: Back) -> Any:
    """A small frame of results, in the library of the data."""
    if to is _BACK["polars"]:
        import polars as pl

        return pl.DataFrame(columns)
    if to in (_BACK["pyarrow"], _BACK["duckdb"]):
        import pyarrow as pa

        table = pa.table(columns)
        return table if to is _BACK["pyarrow"] else _to_duckdb(table)
    if to is _BACK["pandas"]:
        import pandas as pd

        return pd.DataFrame(columns)
    return columns


def columns_in(data: Any) -> list[str]:
    """The names of the columns of a frame."""
    columns = getattr(data, "columns", None)
    if columns is None or callable(columns):
        return []
    names = getattr(data, "column_names", None)
    return [str(name) for name in (names if names is not None else columns)]
