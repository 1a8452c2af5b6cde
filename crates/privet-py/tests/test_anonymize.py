"""Frames of every library in and out, and what is refused."""

from __future__ import annotations

import collections
import datetime
import json

import pytest

import privet
from conftest import JOB, as_columns, frame

LIBRARIES = ["pandas", "polars", "pyarrow", "duckdb"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_release_is_of_the_library_of_its_data(library, people):
    data = frame(library, people)
    release = privet.anonymize(data, **JOB)
    assert type(release.frame) is type(data)
    columns = as_columns(release.frame)
    assert list(columns) == ["age", "zip", "illness"]
    classes = collections.defaultdict(list)
    for age, zip_code, illness in zip(*columns.values()):
        classes[age, zip_code].append(illness)
    assert len(classes) > 1
    assert all(len(own) >= 5 and len(set(own)) >= 3 for own in classes.values())
    assert len(columns["age"]) == 600 - release.summary["suppressed"]


def test_all_libraries_give_the_same_release(people):
    releases = [privet.anonymize(frame(library, people), **JOB) for library in LIBRARIES]
    first, *others = [as_columns(release.frame) for release in releases]
    assert all(own == first for own in others)


def test_a_lazy_frame_is_collected(people):
    lazy = frame("polars", people).lazy()
    assert len(privet.anonymize(lazy, **JOB).frame) > 500


def test_kinds_of_values():
    pa = pytest.importorskip("pyarrow")
    born = [datetime.date(1950, 1, 1) + datetime.timedelta(days=97 * n) for n in range(60)]
    table = pa.table(
        {
            "born": born,
            "ward": pa.array(["a", "b", None] * 20).dictionary_encode(),
            "smokes": [True, False] * 30,
            "weight": pa.array([50.5, None] * 30),
            "seen": pa.array([datetime.datetime(2024, 1, 1)] * 60, pa.timestamp("us")),
            "word": pa.array(["x"] * 60, pa.large_string()),
        }
    )
    release = privet.anonymize(
        table,
        quasi={"born": privet.dates("year", "decade"), "ward": None, "smokes": None},
        insensitive=["weight", "seen", "word"],
        k=2,
    )
    assert release.verify()
    assert release.frame.schema.field("weight").type == pa.float64()
    assert release.frame["weight"].null_count == 30


def test_indexes_and_missing_values_of_pandas():
    pd = pytest.importorskip("pandas")
    data = pd.DataFrame({"age": [30, 31, 32, None] * 5, "ill": ["a", "b", None, "c"] * 5}, index=range(100, 120))
    release = privet.anonymize(data, quasi={"age": privet.intervals(10)}, sensitive="ill", k=4)
    assert list(release.frame.columns) == ["age", "ill"]
    mixed = pd.DataFrame({"age": [30, "Secret Person", 1.5], "ill": ["a", "b", "c"]})
    with pytest.raises(privet.InvalidInput) as raised:
        privet.anonymize(mixed, quasi=["age"], k=2)
    assert "age" in str(raised.value) and "Secret" not in str(raised.value)
    with pytest.raises(privet.InvalidInput, match="rename"):
        privet.anonymize(pd.DataFrame([[1, 2]]), quasi=["0"], k=2)


def test_exceptions_say_who_is_at_fault(people, tmp_path):
    data = frame("pyarrow", people)
    with pytest.raises(privet.Refused):
        privet.anonymize(data, **{**JOB, "l": privet.entropy(3.999)})
    with pytest.raises(privet.InvalidInput, match="600"):
        privet.anonymize(data, **{**JOB, "k": 601})
    with pytest.raises(privet.InvalidInput, match="no_such"):
        privet.anonymize(data, quasi=["no_such"], k=2)
    with pytest.raises(privet.InvalidInput, match="two roles"):
        privet.anonymize(data, quasi=["age"], sensitive=["age"], k=2)
    with pytest.raises(privet.InvalidInput, match="path or a frame"):
        privet.anonymize(42, quasi=["age"], k=2)
    with pytest.raises(privet.InvalidInput):
        privet.anonymize(tmp_path / "nothing.csv", quasi=["age"], k=2)
    with pytest.raises(privet.InvalidInput, match="no-such-key"):
        privet.anonymize(data, **JOB, settings={"search.no-such-key": 1})
    for kind in (privet.Refused, privet.InvalidInput, privet.BudgetExceeded, privet.ResourcesExhausted):
        assert issubclass(kind, privet.PrivetError)


def test_a_limit_on_attacks_refuses(people):
    data = frame("polars", people)
    job = {**JOB, "l": None, "max_absolute_risk": 0.0, "k": 2}
    with pytest.raises(privet.Refused):
        privet.anonymize(data, **{**job, "quasi": {"age": None, "zip": privet.mask()}, "suppress_at_most": 0.99})


def test_verify_attack_measure_report(people, tmp_path):
    release = privet.anonymize(frame("pandas", people), **JOB)
    verdict = release.verify()
    assert verdict and all(check["ok"] for check in verdict.checks)
    assert "checks hold" in repr(verdict)
    attacked = release.attack()
    assert attacked.attacks and attacked.risk is not None and 0 <= attacked.risk <= 1
    with pytest.raises(privet.InvalidInput):
        release.attack(attacks=["no-such-attack"])
    measured = release.measure()
    assert measured.figure("average-class-size") == pytest.approx(len(release.frame) / release.summary["classes"])
    with pytest.raises(KeyError):
        measured.figure("no-such-figure")
    again = release.measure(frame("pandas", people))
    assert again.figure("average-class-size") == measured.figure("average-class-size")
    for shown in (release, verdict, attacked, measured, release.report()):
        assert "<" in shown._repr_html_()
    page = release.report()
    assert page.startswith("<!") and page._repr_html_().startswith("<iframe sandbox")
    assert json.loads(release.text("report.json"))
    for name in ("../job.toml", "/etc/passwd", ".."):
        with pytest.raises(privet.InvalidInput):
            release.text(name)


def test_publish_open_and_change(people, tmp_path):
    release = privet.anonymize(frame("polars", people), **JOB)
    folder = release.write(tmp_path / "release")
    with pytest.raises(privet.InvalidInput, match="replace"):
        release.write(folder)
    release.write(folder, replace=True)
    (tmp_path / "mine").mkdir()
    with pytest.raises(privet.InvalidInput, match="no release"):
        release.write(tmp_path / "mine", replace=True)
    opened = privet.open(folder)
    assert opened.verify()
    assert as_columns(opened.frame) == as_columns(release.frame)
    with pytest.raises(privet.InvalidInput, match="original is not known"):
        opened.measure()
    assert opened.measure(frame("polars", people)).figure("discernibility") == release.measure().figure("discernibility")
    data = folder / opened.manifest["data"]["file"]
    damaged = bytearray(data.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    data.write_bytes(damaged)
    with pytest.raises(privet.Refused) as raised:
        opened.verify()
    assert not raised.value.verdict
    assert not opened.verify(must_hold=False)
    with pytest.raises(privet.InvalidInput):
        privet.open(tmp_path)


def test_a_private_folder_goes_with_its_release(people):
    release = privet.anonymize(frame("polars", people), **JOB)
    folder = release.folder
    assert folder.is_dir()
    del release
    assert not folder.exists()


@pytest.mark.parametrize("library", LIBRARIES)
def test_suggestions(library, people, tmp_path):
    suggestion = privet.suggest(frame(library, people))
    assert suggestion.roles["name"] == "identifier" and suggestion.roles["age"] == "quasi"
    assert set(suggestion.reasons) == set(people)
    assert "[columns" in suggestion.job and "name: identifier" in repr(suggestion)
    path = suggestion.write(tmp_path / "first.toml")
    assert path.read_text(encoding="utf-8") == suggestion.job
    with pytest.raises(privet.InvalidInput):
        suggestion.write(tmp_path / "first.toml")
