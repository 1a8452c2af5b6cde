"""What tests share: a table of people who do not exist, in every library, and the program where `PRIVET_PROGRAM` names one."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

import privet


def _people(count: int) -> dict[str, list]:
    chance = random.Random(4)
    return {
        "name": [f"Person {number}" for number in range(count)],
        "age": [chance.randrange(20, 80) for _ in range(count)],
        "zip": [f"{chance.randrange(13000, 13060)}" for _ in range(count)],
        "sex": [chance.choice(["female", "male"]) for _ in range(count)],
        "illness": [chance.choice(["flu", "cancer", "gastritis", "asthma"]) for _ in range(count)],
        "cost": [round(chance.uniform(100, 5000), 2) for _ in range(count)],
    }


@pytest.fixture(scope="session")
def people() -> dict[str, list]:
    return _people(600)


def frame(library: str, columns: dict[str, list]):
    module = pytest.importorskip("pyarrow" if library == "duckdb" else library)
    if library == "pandas":
        return module.DataFrame(columns)
    if library == "polars":
        return module.DataFrame(columns)
    table = module.table(columns)
    return pytest.importorskip("duckdb").from_arrow(table) if library == "duckdb" else table


def as_columns(given) -> dict[str, list]:
    """A frame of any library as lists."""
    name = type(given).__module__.split(".")[0].lstrip("_")
    if name == "pandas":
        return {column: given[column].tolist() for column in given.columns}
    if name == "polars":
        return given.to_dict(as_series=False)
    if name == "duckdb":
        given = given.to_arrow_table()
    return given.to_pydict()


JOB = {
    "identifier": ["name"],
    "quasi": {"age": privet.intervals(5, 10, 20), "zip": privet.mask()},
    "sensitive": ["illness"],
    "k": 5,
    "l": privet.distinct(3),
    "suppress_at_most": 0.05,
}


@pytest.fixture
def program() -> Path:
    named = os.environ.get("PRIVET_PROGRAM")
    if not named:
        pytest.skip("PRIVET_PROGRAM does not name the program")
    return Path(named)


def run(program: Path, *arguments, code: int = 0, cwd: Path) -> str:
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def _quiet_home(tmp_path_factory, monkeypatch):
    """Ledgers remember accounts for the user; those of tests do so for nobody."""
    home = tmp_path_factory.getbasetemp()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))


__all__ = ["JOB", "as_columns", "frame", "run"]
