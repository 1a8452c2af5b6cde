"""Private answers, and values changed by chance."""

from __future__ import annotations

import pytest

import privet
from conftest import as_columns, frame


def opened(tmp_path, data, **more):
    return privet.Ledger(tmp_path / "budget.db").open(data, **{"epsilon": 10, **more}, new_population=True)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb"])
def test_an_answer_is_charged(library, people, tmp_path):
    data = frame(library, people)
    with opened(tmp_path, data) as ledger:
        answer = privet.query(
            data,
            "select sex, count(*), avg(cost) from data group by sex",
            epsilon=4,
            bounds={"cost": (0, 5000)},
            keys={"sex": ["female", "male"]},
            ledger=ledger,
        )
    columns = as_columns(answer.frame)
    assert columns["sex"] == ["female", "male"]
    counts = [people["sex"].count(sex) for sex in columns["sex"]]
    figure = next(own["name"] for own in answer.details["figures"] if own["name"].startswith("count"))
    # The noise of scale 1 exceeds 40 with a probability of e^-40.
    assert all(abs(noisy - true) < 80 for noisy, true in zip(columns[figure], counts))
    assert ledger.remaining == {"epsilon": "6", "delta": "0"}
    assert [own["kind"] for own in ledger.entries] == ["open", "charge"] and ledger.problem is None
    assert "left" in ledger._repr_html_() and "sex" in answer._repr_html_()
    if library == "pandas":
        assert type(answer.frame) is type(data)


def test_plans_cost_nothing_and_budgets_end(people, tmp_path):
    data = frame("pyarrow", people)
    ledger = opened(tmp_path, data, epsilon=1)
    planned = privet.plan(data, "select count(*) from data", epsilon="1/3", ledger=ledger)
    assert planned.suffices and planned.cost["epsilon"] == "1/3" and list(planned.errors.values())[0] > 0
    assert ledger.remaining["epsilon"] == "1"
    answer = privet.query(data, "select count(*) from data", epsilon=0.75, ledger=ledger)
    assert abs(answer.value - 600) < 60
    with pytest.raises(privet.BudgetExceeded):
        privet.query(data, "select count(*) from data", epsilon=0.5, ledger=ledger)
    with pytest.raises(privet.BudgetExceeded):
        privet.plan(data, "select count(*) from data", epsilon=0.5, ledger=ledger)
    assert ledger.remaining["epsilon"] == "0.25"


def test_the_shortest_question_works_as_it_is_typed(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    count = 3000
    df = frame("pandas", {"sex": ["f", "m"] * (count // 2) , "cost": [float(n % 5000) for n in range(count)]})
    with pytest.warns(UserWarning) as told:
        with privet.Ledger("budget.db") as ledger: answer = privet.query(df, "select sex, count(*), avg(cost) from data group by sex", epsilon=0.5, bounds={"cost": (0, 5000)}, ledger=ledger)
    assert sorted(as_columns(answer.frame)["sex"]) == ["f", "m"]
    said = " ".join(str(own.message) for own in told)
    assert "total of epsilon 1" in said and "keys of sex are not declared" in said
    assert ledger.remaining == {"epsilon": "0.5", "delta": "0.0000009"}
    # The account is open now: the second question opens nothing, and a third is too much.
    keys = {"sex": ["f", "m"]}
    privet.query(df, "select sex, count(*) from data group by sex", epsilon=0.5, keys=keys, ledger=ledger)
    with pytest.raises(privet.BudgetExceeded):
        privet.query(df, "select count(*) from data", epsilon=0.5, ledger=ledger)
    assert [own["kind"] for own in ledger.entries] == ["open", "charge", "charge"]


def test_a_named_total_is_opened_without_a_warning(people, tmp_path, recwarn):
    data = frame("polars", people)
    ledger = privet.Ledger(tmp_path / "budget.db", epsilon="3/2")
    planned = privet.plan(data, "select count(*) from data", epsilon=1, ledger=ledger)
    assert planned.remaining is None and not (tmp_path / "budget.db").exists(), "a plan opens nothing"
    privet.query(data, "select count(*) from data", epsilon=1, ledger=ledger, new_population=True)
    assert ledger.remaining == {"epsilon": "0.5", "delta": "0"}
    # Without a delta nothing pays for finding keys.
    with pytest.raises(privet.InvalidInput, match="keys"):
        privet.query(data, "select sex, count(*) from data group by sex", epsilon=0.25, ledger=ledger)
    assert ledger.remaining["epsilon"] == "0.5" and not [own for own in recwarn if own.category is UserWarning]


def test_keys_are_found_and_groups_limited(people, tmp_path):
    data = frame("pyarrow", people)
    ledger = opened(tmp_path, data, delta="1e-3")
    answer = privet.query(
        data, "select illness, count(*) from data group by illness", epsilon=4, delta="1e-6", unknown_keys=["illness"], ledger=ledger
    )
    assert set(as_columns(answer.frame)["illness"]) <= set(people["illness"])
    with pytest.raises(privet.InvalidInput, match="max-groups"):
        privet.query(data, "select count(*) from data", epsilon=0.5, max_groups=2, ledger=ledger)


def test_what_must_be_declared(people, tmp_path):
    data = frame("polars", people)
    with pytest.raises(privet.InvalidInput, match="ledger"):
        privet.query(data, "select count(*) from data", epsilon=0.5)
    ledger = opened(tmp_path, data)
    for question in ("select max(cost) from data", "select avg(cost) from data", "select sex, count(*) from data group by sex"):
        with pytest.raises(privet.InvalidInput):
            privet.query(data, question, epsilon=0.5, ledger=ledger)
    with pytest.raises(privet.InvalidInput, match="laplace"):
        privet.query(data, "select count(*) from data", epsilon=0.5, ledger=ledger, mechanism="magic")
    assert ledger.remaining["epsilon"] == "10"


def test_values_changed_by_chance(tmp_path):
    count = 4000
    data = frame("pandas", {"region": ["north", "south"] * (count // 2), "smokes": ["yes", "no", "no", "no"] * (count // 4), "name": ["x"] * count})
    release = privet.randomize(data, {"smokes": {"values": ["yes", "no"], "gamma": 9}}, keep=["region"])
    assert list(release.frame.columns) == ["region", "smokes"]
    assert release.verify() and release.attack().not_made
    estimate = privet.reconstruct(release)
    assert set(estimate["smokes"]) == {"yes", "no"}
    assert abs(estimate["smokes"]["yes"] - count / 4) < 250
    by = privet.reconstruct(release, ["smokes"], by="region")
    assert set(by) == {"smokes"} and sum(by.within("smokes", "south").values()) == pytest.approx(count / 2)
    again = privet.reconstruct(release.write(tmp_path / "release"))
    assert again["smokes"] == estimate["smokes"]
    assert "smokes" in estimate._repr_html_()
    with pytest.raises(KeyError):
        estimate["region"]
    numbers = privet.randomize(
        frame("polars", {"weight": [50 + n % 40 for n in range(800)]}), {"weight": {"noise": "gaussian", "sd": 4.0}}, seed=3
    )
    assert sum(privet.reconstruct(numbers, bins=10)["weight"].values()) == pytest.approx(1, abs=1e-6)
    assert numbers.attack().attacks and numbers.measure().figures
    swapped = privet.randomize(
        frame("pyarrow", {"a": list(range(200)), "b": list(range(200))}), keep=["a", "b"], method="swap", swap="rank", percent=10, columns_=["b"], seed=1
    )
    assert sorted(map(int, swapped.frame["b"].to_pylist())) == list(range(200))
    assert list(map(int, swapped.frame["b"].to_pylist())) != list(range(200))
    assert swapped.verify()


def test_laws_are_checked():
    data = frame("pyarrow", {"smokes": ["yes", "no"] * 20})
    with pytest.raises(privet.InvalidInput):
        privet.randomize(data, {"smokes": {"values": ["yes", "no"], "gamma": 0.5}})
    with pytest.raises(privet.InvalidInput):
        privet.randomize(data, {"smokes": {"noise": "gaussian", "sd": 1.0}})
