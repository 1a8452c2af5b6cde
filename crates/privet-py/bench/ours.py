"""Measures the package beside the program and the peers, and prints JSON. Called by `cargo xtask bench python`.

Arguments: the program, a folder with `privet demo` of many records, a Python with the peers, and the number of runs.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
import polars as pl

import privet

COLUMNS = {
    "identifier": ["patient_id", "name"],
    "quasi": {
        "birth_date": privet.dates("month", "year", "decade"),
        "sex": None,
        "postcode": privet.mask(),
        "admission_date": privet.dates("month", "year"),
    },
    "sensitive": ["diagnosis"],
    "k": 5,
    "l": privet.distinct(3),
    "suppress_at_most": 0.05,
}
QUASI = ["age", "zip", "sex"]
K, SUPPRESSED = 5, 0.05


def median(work, runs):
    work()
    taken = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def beside_the_program(program, folder, runs):
    """The same job on the command line and from frames in memory."""
    table = folder / "admissions.csv"
    job = folder / "bench.toml"
    rows = []
    # Releases are durable on both sides: written to a folder.
    first = privet.anonymize(table, **COLUMNS)
    text = first.job.replace('folder = "release"', f'folder = "{folder / "theirs"}"')
    job.write_text(text, encoding="utf-8")

    def theirs(settings=()):
        subprocess.run([program, "anonymize", job, "--force", "--quiet", *settings], check=True)

    csv = median(theirs, runs)
    data = pl.read_csv(table, try_parse_dates=True)
    as_arrow = folder / "admissions.arrow"
    data.write_ipc(as_arrow, compression="uncompressed")
    arrow = median(lambda: theirs(["--input", as_arrow]), runs)
    pandas = data.to_pandas()
    ours = {
        "a path": (lambda: privet.anonymize(table, **COLUMNS), csv),
        "polars": (lambda: privet.anonymize(data, **COLUMNS), csv),
        "polars, program on Arrow": (lambda: privet.anonymize(data, **COLUMNS), arrow),
        "pandas": (lambda: privet.anonymize(pandas, **COLUMNS), csv),
    }
    for name, (work, program_seconds) in ours.items():
        seconds = median(work, runs)
        rows.append(
            {
                "what": f"{len(data)} records from {name}",
                "ours": seconds,
                "theirs": program_seconds,
                "peer": "command line",
                "ratio": seconds / program_seconds,
                "target": 1.3,
            }
        )
    return rows


def beside_peers(peers, runs):
    """The same table, hierarchies and promise; the loss of both by one formula."""
    chance = random.Random(5)
    count = 30_000
    columns = {
        "age": [str(min(90, max(18, round(chance.gauss(45, 15))))) for _ in range(count)],
        "zip": [f"{chance.randrange(47000, 47100)}" for _ in range(count)],
        "sex": [chance.choice(["female", "male"]) for _ in range(count)],
        "illness": [chance.choice(["flu", "cancer", "asthma", "stroke"]) for _ in range(count)],
    }
    data = pd.DataFrame(columns)
    levels = {
        "age": lambda own: [own, band(own, 5), band(own, 10), band(own, 20), "*"],
        "zip": lambda own: [own[: 5 - n] + "*" * n for n in range(6)],
        "sex": lambda own: [own, "*"],
    }
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        data.to_csv(folder / "data.csv", index=False)
        trees = {}
        for name, labels in levels.items():
            tree = pd.DataFrame([labels(own) for own in sorted(set(columns[name]))])
            tree.to_csv(folder / f"{name}.csv", index=False, header=False, sep=";")
            trees[name] = tree
        quasi = {name: privet.hierarchy_file(folder / f"{name}.csv") for name in QUASI}
        job = {"quasi": quasi, "sensitive": ["illness"], "k": K, "suppress_at_most": SUPPRESSED}
        release = privet.anonymize(data, **job)
        ours = median(lambda: privet.anonymize(data, **job), runs)
        mine = loss(release.frame, trees, count)
        said = release.summary["loss"]
        assert abs(mine - said) < 1e-9, (mine, said)
        release.frame.to_csv(folder / "ours.csv", index=False)
        script = Path(__file__).with_name("peers.py")
        told = subprocess.run([peers, script, folder, str(K), str(SUPPRESSED), str(runs)], check=True, capture_output=True, text=True)
        theirs = json.loads(told.stdout.splitlines()[-1])
        other = loss(pd.read_csv(folder / "theirs.csv", dtype=str), trees, count)
        rows.append(
            {
                "what": f"k = {K} on {count} records (anonymized, proven and attacked)",
                "ours": ours,
                "theirs": theirs["anjana"],
                "peer": f"anjana {theirs['versions']['anjana']}",
                "ratio": ours / theirs["anjana"],
                "target": None,
                "loss": mine,
                "peer_loss": other,
                "right": mine <= other + 1e-9 and theirs["k"] >= K,
            }
        )
        verified = median(release.verify, runs)
        rows.append(
            {
                "what": f"the k of {len(release.frame)} published records (all promises, files and pages)",
                "ours": verified,
                "theirs": theirs["pycanon"],
                "peer": f"pycanon {theirs['versions']['pycanon']}",
                "ratio": verified / theirs["pycanon"],
                "target": None,
                "right": theirs["k"] >= K,
            }
        )
    return rows


def band(own, width):
    low = int(own) // width * width
    return f"{low}-{low + width - 1}"


def loss(frame, trees, count):
    """Per cell (leaves of its label - 1) / (leaves - 1); a suppressed record costs 1 in every column."""
    total = 0.0
    for name, tree in trees.items():
        leaves = {}
        for level in tree.columns:
            for label, own in tree[level].value_counts().items():
                leaves.setdefault(label, own)
        costs = [(leaves[label] - 1) / (len(tree) - 1) for label in frame[name].astype(str)]
        total += sum(costs) + (count - len(frame))
    return total / (count * len(trees))


def counts(peers, runs):
    """A private count: noise, budget and a ledger on the disk, beside noise alone."""
    rows = []
    script = Path(__file__).with_name("peers.py")
    for count in (1_000, 1_000_000):
        data = pl.DataFrame({"age": [n % 90 for n in range(count)]})
        with tempfile.TemporaryDirectory() as scratch:
            ledger = privet.Ledger(Path(scratch) / "bench.db").open(data, epsilon=1000, new_population=True)
            ours = median(lambda: privet.query(data, "select count(*) from data", epsilon=1, ledger=ledger), runs)
        told = subprocess.run([peers, script, "--count", str(count), str(runs)], check=True, capture_output=True, text=True)
        theirs = json.loads(told.stdout.splitlines()[-1])
        rows.append(
            {
                "what": f"a private count of {count} records (charged to a signed ledger on the disk)",
                "ours": ours,
                "theirs": theirs["opendp"],
                "peer": f"opendp {theirs['version']}",
                "ratio": ours / theirs["opendp"],
                "target": None,
            }
        )
    return rows


def main():
    program, folder, peers, runs = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    rows = beside_the_program(program, folder, runs) + beside_peers(peers, runs) + counts(peers, runs)
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
