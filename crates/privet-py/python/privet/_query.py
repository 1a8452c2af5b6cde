"""Private answers and the ledger that pays for them."""

from __future__ import annotations

import getpass
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Union

from privet import _frames, _native, _settings, _show
from privet._progress import Progress, Watch

# Amounts of privacy. Texts such as "1/3" and fractions are exact; a float stands for the decimal number that is printed.
Amount = Union[int, float, str, Fraction]

# What the account of a frame is called when nothing is said: frames have no file name.
_ACCOUNT = "data"

# What an account may spend in all when it is opened by its first question and no total was named.
_TOTAL = ("1", "1e-6")

# What finding the groups of a question costs where their keys are not declared and no delta was named.
_FINDING = "1e-7"


def _amount(amount: Amount | None) -> str | None:
    return None if amount is None else str(amount)


def _file(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


class Ledger:
    """A ledger: accounts with a budget of privacy each, and every charge. A context, so that a block shows which ledger pays.

    `path` is a file or a URL such as `"postgres://user@host/database"`. `account` is the account in it; for frames `"data"`, for files
    the name of the file when left out.

    `open` opens the account with its total. The account of a frame that is not open is opened by its first question, with the total
    `epsilon` and `delta` of this object; where none was named that is epsilon 1 and delta 1e-6, and a warning says so.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        epsilon: Amount | None = None,
        delta: Amount | None = None,
        account: str | None = None,
        signing_key: str | os.PathLike[str] | None = None,
        analyst: str | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self.epsilon = epsilon
        self.delta = delta
        self.account = account
        self.signing_key = signing_key
        self.analyst = analyst

    def open(
        self,
        data: Any,
        *,
        epsilon: Amount,
        delta: Amount | None = None,
        neighbours: str | None = None,
        per_person: str | None = None,
        max_records: int | None = None,
        unsigned: bool = False,
        new_population: bool = False,
        progress: Progress = None,
    ) -> Ledger:
        """Opens the account with its total budget for the people of a table; there is no way to raise it later.

        >>> import tempfile, pandas as pd
        >>> folder = tempfile.TemporaryDirectory()
        >>> people = pd.DataFrame({"age": [20 + n % 60 for n in range(500)]})
        >>> ledger = privet.Ledger(folder.name + "/budget.db").open(people, epsilon=1, new_population=True)
        >>> ledger.remaining
        {'epsilon': '1', 'delta': '0'}
        >>> answer = privet.query(people, "select count(*) from data", epsilon="1/4", ledger=ledger)
        >>> ledger.remaining
        {'epsilon': '0.75', 'delta': '0'}
        """
        declared = {
            "epsilon": _amount(epsilon),
            "delta": _amount(delta),
            "neighbours": neighbours,
            "per_person": per_person,
            "max_records": max_records,
            "ledger": self._place(data, unsigned=unsigned, new_population=new_population),
        }
        with Watch(progress) as told:
            _native.open_ledger(_frames.arrow(data), _settings.written(declared), told)
        return self

    def _left(self) -> dict[str, str] | None:
        """What is left of the account of a frame; `None` where it is not open."""
        account = self.account or _ACCOUNT
        try:
            mine = [own for own in self.entries if own["account"] == account]
        except _native.InvalidInput:
            # There is no ledger. One that is broken is refused again when something is to be charged to it.
            return None
        return dict(mine[-1]["remaining"]) if mine else None

    def _open_for(self, data: Any, given: Mapping[str, Any], new_population: bool, progress: Progress) -> None:
        """Opens the account of a frame for its first question."""
        epsilon, delta = self.epsilon, self.delta
        if epsilon is None:
            epsilon, delta = _TOTAL[0], _TOTAL[1] if delta is None else delta
            warnings.warn(
                f"the account `{self.account or _ACCOUNT}` of {self.path} was opened with a total of epsilon {epsilon} and delta {delta}, "
                "which cannot be raised later; name another total with privet.Ledger(path, epsilon=…, delta=…) or Ledger.open",
                stacklevel=3,
            )
        people = {name: given[name] for name in ("neighbours", "per_person", "max_records")}
        self.open(data, epsilon=epsilon, delta=delta, new_population=new_population, progress=progress, **people)

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The entries: when, who, the cost, what was left, and a hash of the question. Not the question."""
        return list(self._shown()["entries"])

    @property
    def problem(self) -> str | None:
        """What is wrong with the ledger; `None` where every hash and every sum holds."""
        problem: str | None = self._shown()["problem"]
        return problem

    @property
    def remaining(self) -> dict[str, str] | None:
        """What is left of the account, as exact text; `None` where it is not open or the ledger has several accounts."""
        mine = [own for own in self.entries if self.account in (None, own["account"])]
        if len({own["account"] for own in mine}) != 1:
            return None
        return dict(mine[-1]["remaining"])

    def _shown(self) -> dict[str, Any]:
        place = {"ledger": {"ledger": self.path, "signing_key": self.signing_key, "account": self.account}}
        return dict(json.loads(_native.show_ledger(_settings.written(place), None)))

    def _place(self, data: Any, **more: bool) -> dict[str, Any]:
        account = self.account
        if account is None and not _file(data):
            account = _ACCOUNT
        return {"ledger": self.path, "signing_key": self.signing_key, "account": account, **more}

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A charge is on the disk before its answer is shown; there is nothing left to do.
        return None

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        rows = [
            [own["entry"], own["account"], own["kind"], own["analyst"], own["amount"]["epsilon"], own["remaining"]["epsilon"]]
            for own in self.entries
        ]
        return _show.table(["entry", "account", "", "who", "epsilon", "left"], rows, self.path)


class Plan:
    """What a question would cost and how far off its numbers would be. Nothing was charged."""

    def __init__(self, planned: dict[str, Any]) -> None:
        self.details = planned

    @property
    def cost(self) -> dict[str, str]:
        """What is charged: epsilon and delta, as exact text."""
        return dict(self.details["cost"])

    @property
    def remaining(self) -> dict[str, str] | None:
        """What is left of the account before; `None` where it is not open."""
        left: dict[str, str] | None = self.details["remaining"]
        return left

    @property
    def suffices(self) -> bool:
        """Whether that suffices."""
        return bool(self.details["suffices"])

    @property
    def errors(self) -> dict[str, float | None]:
        """By figure, how far off a number is at most in 95 of 100 answers; `None` where that depends on the data."""
        return {own["name"]: own["half_width_95"] for own in self.details["figures"]}

    def __repr__(self) -> str:
        return f"Plan: {self.details['groups']} groups, epsilon {self.cost['epsilon']}, ± 95 %: {self.errors}"

    def _repr_html_(self) -> str:
        rows = [[own["name"], own["noise"], own["half_width_95"], own["rank_error_95"]] for own in self.details["figures"]]
        return _show.table(["figure", "noise", "± 95 %", "ranks"], rows, f"epsilon {self.cost['epsilon']}")


class Answer(Plan):
    """A private answer. `frame` has it in the library of the data, `value` is the number where there is only one."""

    def __init__(self, answered: dict[str, Any], back: _frames.Back) -> None:
        super().__init__(answered)
        self._back = back

    @property
    def lines(self) -> list[dict[str, Any]]:
        """One dictionary per line: the keys of its group, each figure, and beside it `… ± 95 %` or `… ranks`."""
        figures = self.details["figures"]
        lines = []
        for line in self.details["lines"]:
            told: dict[str, Any] = dict(zip(self.details["group_by"], line["group"]))
            for figure, number in zip(figures, line["numbers"]):
                told[figure["name"]] = number["value"]
                if figure["rank_error_95"] is not None:
                    told[f"{figure['name']} ranks"] = number["rank_error_95"]
                else:
                    told[f"{figure['name']} ± 95 %"] = number["half_width_95"]
            lines.append(told)
        return lines

    @property
    def value(self) -> float:
        """The number, where the answer is one."""
        lines = self.details["lines"]
        if len(lines) != 1 or len(lines[0]["numbers"]) != 1:
            raise ValueError("the answer has several numbers; see `lines` or `frame`")
        value: float = lines[0]["numbers"][0]["value"]
        return value

    @property
    def frame(self) -> Any:
        """The answer as a frame."""
        lines = self.lines
        names = list(lines[0]) if lines else []
        return _frames.frame_of({name: [line[name] for line in lines] for name in names}, self._back)

    def __repr__(self) -> str:
        return f"Answer of {len(self.lines)} lines at epsilon {self.cost['epsilon']}."

    def _repr_html_(self) -> str:
        lines = self.lines
        head = list(lines[0]) if lines else []
        return _show.table(head, [list(line.values()) for line in lines], f"epsilon {self.cost['epsilon']}")


def query(
    data: Any,
    question: str,
    *,
    epsilon: Amount | None = None,
    delta: Amount | None = None,
    bounds: Mapping[str, tuple[Any, Any]] | None = None,
    grid: Mapping[str, Any] | None = None,
    keys: Mapping[str, Sequence[Any]] | None = None,
    other: Mapping[str, str] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    unknown_keys: Sequence[str] | None = None,
    tables: Mapping[str, str | os.PathLike[str]] | None = None,
    rho: Amount | None = None,
    mechanism: str | None = None,
    neighbours: str | None = None,
    per_person: str | None = None,
    max_records: int | None = None,
    max_groups: int | None = None,
    max_per_group: int | None = None,
    probabilistic: bool = False,
    synthetic: int | None = None,
    job: str | os.PathLike[str] | None = None,
    analyst: str | None = None,
    new_population: bool = False,
    progress: Progress = None,
) -> Answer:
    """Answers a question in SQL with random noise, charged to a ledger before the answer is shown.

    Bounds must be declared and not be read off the data, and so must the keys of `group by`; `job` names a job file that does so. A column
    of `group by` without declared keys is grouped by the values that many people have, as with `unknown_keys`: that costs `delta`, 1e-7
    where none is named. An account without a delta cannot pay for that, and the question is refused.

    >>> import tempfile, pandas as pd
    >>> folder = tempfile.TemporaryDirectory()
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 2000, "cost": [100.0 + n % 900 for n in range(4000)]})
    >>> with privet.Ledger(folder.name + "/budget.db", epsilon=2, delta="1e-6") as ledger:
    ...     answer = privet.query(people, "select sex, count(*), avg(cost) from data group by sex", epsilon=0.5, bounds={"cost": (0, 5000)}, ledger=ledger)
    >>> sorted(line["sex"] for line in answer.lines)
    ['f', 'm']
    >>> ledger.remaining["epsilon"]
    '1.5'

    Raises `BudgetExceeded` when the account does not suffice; nothing is charged then.
    """
    given = {name: own for name, own in locals().items() if name not in ("data", "question", "progress", "new_population")}
    paying = _paying(data, ledger)
    _find_keys(data, question, paying, given)
    if paying is not None and not _file(data) and paying._left() is None:
        paying._open_for(data, given, new_population, progress)
        # The people are known from here on.
        new_population = False
    declared = _declared(data, paying, new_population, given)
    with Watch(progress) as told:
        found = _native.query(_frames.arrow(data), question, declared, told)
    return Answer(json.loads(found), _frames.back(data))


def plan(
    data: Any,
    question: str,
    *,
    epsilon: Amount | None = None,
    delta: Amount | None = None,
    bounds: Mapping[str, tuple[Any, Any]] | None = None,
    grid: Mapping[str, Any] | None = None,
    keys: Mapping[str, Sequence[Any]] | None = None,
    other: Mapping[str, str] | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    unknown_keys: Sequence[str] | None = None,
    tables: Mapping[str, str | os.PathLike[str]] | None = None,
    rho: Amount | None = None,
    mechanism: str | None = None,
    neighbours: str | None = None,
    per_person: str | None = None,
    max_records: int | None = None,
    max_groups: int | None = None,
    max_per_group: int | None = None,
    probabilistic: bool = False,
    synthetic: int | None = None,
    job: str | os.PathLike[str] | None = None,
    analyst: str | None = None,
    new_population: bool = False,
    progress: Progress = None,
) -> Plan:
    """Tells what `query` would cost and how far off its numbers would be. Charges nothing and does not read the records."""
    given = {name: own for name, own in locals().items() if name not in ("data", "question", "progress", "new_population")}
    paying = _paying(data, ledger)
    _find_keys(data, question, paying, given)
    declared = _declared(data, paying, new_population, given)
    with Watch(progress) as told:
        found = _native.plan(_frames.arrow(data), question, declared, told)
    return Plan(json.loads(found))


def _paying(data: Any, ledger: Ledger | str | os.PathLike[str] | None) -> Ledger | None:
    if ledger is None and not _file(data):
        raise _native.InvalidInput("`ledger` is missing: a frame has no file with a ledger beside it")
    return ledger if isinstance(ledger, Ledger) or ledger is None else Ledger(ledger)


def _find_keys(data: Any, question: str, paying: Ledger | None, given: dict[str, Any]) -> None:
    """Names the columns of `group by` without declared keys as those whose keys are found, where the account can pay for that."""
    other_ways = ("unknown_keys", "job", "mechanism", "synthetic", "rho", "tables")
    if paying is None or _file(data) or any(given[name] for name in other_ways):
        return
    columns = [name for name in _native.grouped_by(question) if name not in (given["keys"] or {})]
    left = paying._left()
    total = paying.delta if paying.epsilon is not None else (paying.delta or _TOTAL[1])
    delta = (total or 0) if left is None else left["delta"]
    if not columns or Fraction(str(delta)) == 0:
        return
    given["unknown_keys"] = columns
    if given["delta"] is None:
        given["delta"] = _FINDING
    warnings.warn(
        f"the keys of {', '.join(columns)} are not declared: groups of few people are left out, which costs delta {given['delta']}; "
        "declare them with `keys`, or say `unknown_keys`",
        stacklevel=3,
    )


def _declared(data: Any, paying: Ledger | None, new_population: bool, given: Mapping[str, Any]) -> str:
    place = {} if paying is None else paying._place(data)
    place["new_population"] = new_population
    analyst = given["analyst"] or (paying.analyst if paying is not None else None)
    declared = {
        "epsilon": _amount(given["epsilon"]),
        "delta": _amount(given["delta"]),
        "rho": _amount(given["rho"]),
        "neighbours": given["neighbours"],
        "per_person": given["per_person"],
        "max_records": given["max_records"],
        "max_groups": given["max_groups"],
        "max_per_group": given["max_per_group"],
        "bounds": [f"{name}={low}..{high}" for name, (low, high) in (given["bounds"] or {}).items()],
        "grids": [f"{name}={unit}" for name, unit in (given["grid"] or {}).items()],
        "keys": [f"{name}={','.join(_key(own) for own in own_keys)}" for name, own_keys in (given["keys"] or {}).items()],
        "others": [f"{name}={label}" for name, label in (given["other"] or {}).items()],
        "unknown_keys": list(given["unknown_keys"] or ()),
        "tables": [f"{name}={os.fspath(path)}" for name, path in (given["tables"] or {}).items()],
        "mechanism": given["mechanism"],
        "probabilistic": given["probabilistic"],
        "synthetic": given["synthetic"],
        "job": None if given["job"] is None else Path(given["job"]),
        "analyst": analyst or getpass.getuser(),
        "ledger": place,
    }
    return _settings.written(declared)


def _key(value: Any) -> str:
    text = str(value)
    if "," in text:
        raise _native.InvalidInput("a key has a comma; declare the keys in a job file and name it as `job`")
    return text
