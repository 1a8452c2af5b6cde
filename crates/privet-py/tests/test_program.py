"""What Python makes is what the command line makes, byte for byte."""

from __future__ import annotations

import json

import pytest

import privet
from conftest import JOB, frame, run


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_job_file_makes_the_same_release(program, tmp_path):
    run(program, "demo", "--quiet", "--rows", "2000", "--folder", "demo", cwd=tmp_path)
    job = tmp_path / "demo" / "job.toml"
    run(program, "anonymize", job, "--force", "--quiet", cwd=tmp_path)
    theirs = files(tmp_path / "demo" / "release")
    release = privet.Job.read(job).run(replace=True)
    assert files(release.folder) == theirs
    assert release.verify()
    assert len(release.frame) == 2000 - release.summary["suppressed"]
    run(program, "anonymize", job, "--set", "privacy.k-anonymity=20", "--output", "theirs", "--quiet", cwd=tmp_path)
    other = privet.Job.read(job).set("privacy.k-anonymity", 20).set("output.folder", "ours").run()
    assert other.summary["min_class_size"] >= 20
    assert files(other.folder) == files(tmp_path / "theirs")


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_keyword_arguments_make_the_same_table(program, tmp_path, people, ending):
    table = frame("pyarrow", people)
    path = tmp_path / f"people.{ending}"
    write(table, path, ending)
    release = privet.anonymize(path, **JOB)
    job = tmp_path / "job.toml"
    job.write_text(release.job.replace('folder = "release"', 'folder = "theirs"'), encoding="utf-8")
    told = json.loads(run(program, "anonymize", job, "--json", cwd=tmp_path))
    # The command that makes it again stands in the report and, by its hash, in the manifest; everything else is the same.
    ours, theirs = files(release.folder), files(tmp_path / "theirs")
    assert list(ours) == list(theirs)
    differing = {name for name in ours if ours[name] != theirs[name]}
    assert differing <= {"report.html", "report.json", "manifest.json"}, differing
    assert release.summary["loss"] == told["loss"] and release.summary["levels"] == told["levels"]
    assert release.manifest["promises"] == json.loads((tmp_path / "theirs" / "manifest.json").read_bytes())["promises"]
    # The program verifies what Python published, and the other way round.
    run(program, "verify", release.write(tmp_path / "ours"), cwd=tmp_path)
    assert privet.open(tmp_path / "theirs").verify()


def test_a_frame_makes_the_table_of_its_file(program, tmp_path, people):
    table = frame("pyarrow", people)
    write(table, tmp_path / "people.arrow", "arrow")
    of_frame = privet.anonymize(table, **JOB)
    of_file = privet.anonymize(tmp_path / "people.arrow", **JOB)
    assert files(of_frame.folder) == files(of_file.folder)


def test_random_records_of_one_seed_are_the_same(program, tmp_path):
    run(program, "demo", "--quiet", "--rows", "500", "--folder", "demo", cwd=tmp_path)
    release = privet.randomize(tmp_path / "demo" / "admissions.csv", {"cost": {"noise": "multiplicative", "sd": 0.2}}, keep=["sex"], seed=5)
    job = tmp_path / "job.toml"
    job.write_text(release.job.replace('folder = "release"', 'folder = "theirs"'), encoding="utf-8")
    run(program, "randomize", job, "--seed", "5", "--quiet", cwd=tmp_path)
    name = release.manifest["data"]["file"]
    assert (release.folder / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("shape", ["graph", "model", "ratings", "series", "sets", "tables", "traces"])
def test_other_shapes_are_the_same_in_every_file(program, tmp_path, shape):
    run(program, "demo", "--quiet", "--shape", shape, "--folder", "story", cwd=tmp_path)
    jobs = [path for path in sorted((tmp_path / "story").glob("*.toml")) if "\nkind = " in "\n" + path.read_text(encoding="utf-8")]
    made = 0
    for job in jobs:
        try:
            release = privet.Job.read(job).run(replace=True)
        except privet.Refused:
            # A refusal of the gate is a part of some stories; the program says the same.
            run(program, "anonymize", job, "--set", "output.replace=true", "--quiet", code=1, cwd=tmp_path)
            continue
        ours = tree(release.folder)
        run(program, "anonymize", job, "--set", "output.replace=true", "--quiet", cwd=tmp_path)
        theirs = tree(release.folder)
        assert list(ours) == list(theirs) and len(ours) > 1
        differing = [name for name in ours if ours[name] != theirs[name]]
        # What protects is drawn anew in every run.
        drawn_anew = json.loads(ours["manifest.json"])["randomness"] == "system"
        assert drawn_anew or not differing, (job.name, differing)
        made += 1
    assert made > 0


def test_a_charge_is_seen_by_both(program, tmp_path):
    run(program, "demo", "--quiet", "--rows", "500", "--folder", "demo", cwd=tmp_path)
    job = tmp_path / "demo" / "job.toml"
    run(program, "ledger", "open", job, "--epsilon", "1", cwd=tmp_path)
    answer = privet.query(job, "select count(*) from data", epsilon="1/4")
    shown = json.loads(run(program, "ledger", "show", job, "--json", cwd=tmp_path))
    assert shown["entries"][-1]["remaining"]["epsilon"] == "0.75"
    assert shown["entries"][-1]["entry"] == answer.details["entry"]
    with pytest.raises(privet.BudgetExceeded):
        privet.query(job, "select count(*) from data", epsilon=0.9)


def write(table, path, ending):
    import pyarrow as pa

    if ending == "csv":
        import pyarrow.csv

        pyarrow.csv.write_csv(table, path)
    elif ending == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            for batch in table.to_batches():
                writer.write_batch(batch)
