"""What the peers take for the same work; called by `ours.py` with a Python that has them."""

from __future__ import annotations

import json
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path


def median(work, runs):
    work()
    taken = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def tables(folder, k, suppressed, runs):
    import pandas as pd
    from anjana.anonymity import k_anonymity
    from pycanon import anonymity

    data = pd.read_csv(folder / "data.csv", dtype=str)
    quasi = ["age", "zip", "sex"]
    trees = {name: dict(pd.read_csv(folder / f"{name}.csv", dtype=str, header=None, sep=";")) for name in quasi}
    made = k_anonymity(data.copy(), [], quasi, k, 100 * suppressed, trees)
    made.to_csv(folder / "theirs.csv", index=False)
    ours = pd.read_csv(folder / "ours.csv", dtype=str)
    return {
        "anjana": median(lambda: k_anonymity(data.copy(), [], quasi, k, 100 * suppressed, trees), runs),
        "pycanon": median(lambda: anonymity.k_anonymity(ours, quasi), runs),
        "k": anonymity.k_anonymity(ours, quasi),
        "versions": {name: version(name) for name in ("anjana", "pycanon")},
    }


def private_count(count, runs):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    measurement = space >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0)
    data = [n % 90 for n in range(count)]
    return {"opendp": median(lambda: measurement(data), runs), "version": version("opendp")}


if sys.argv[1] == "--count":
    print(json.dumps(private_count(int(sys.argv[2]), int(sys.argv[3]))))
else:
    print(json.dumps(tables(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))))
