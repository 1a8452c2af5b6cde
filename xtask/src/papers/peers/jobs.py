"""What the peers do with the same jobs as privet; called by `cargo xtask peers`, one process for each job, so that memory is that of the job.

Prints one JSON object: seconds (the least of several calls), what came out, and the most memory that the process held.
"""

import csv
import inspect
import json
import resource
import sys
import time
import warnings
from importlib.metadata import version

warnings.simplefilter("ignore")


def told(**found):
    found["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(found))


def timed(work, runs):
    best, made = float("inf"), None
    for _ in range(runs):
        begun = time.perf_counter()
        made = work()
        best = min(best, time.perf_counter() - begun)
    return best, made


def features():
    """What each package offers, by its own names."""
    names = {}
    for package in sys.argv[2:]:
        if package in ("anjana", "pycanon"):
            module = __import__(f"{package}.anonymity", fromlist=["anonymity"])
            own = [name for name, _ in inspect.getmembers(module, inspect.isfunction) if not name.endswith("_inner")]
        elif package == "opendp":
            import opendp.measurements as module

            own = [name.removeprefix("make_") for name in dir(module) if name.startswith("make_")]
        else:
            from diffprivlib import mechanisms, models, tools

            own = [name for name in dir(mechanisms) if name[0].isupper() and not name.startswith(("DP", "Trunc"))]
            own += [name for name in dir(models) if name[0].isupper()]
            own += [name for name in dir(tools) if name[0] != "_" and name != "utils"]
        names[package] = {"version": version(package), "names": own}
    told(packages=names)


def anjana():
    import pandas as pd
    from anjana import anonymity

    job = json.load(open(sys.argv[2]))
    data = pd.read_csv(job["table"], sep=";", dtype=str)
    read = lambda file: dict(pd.read_csv(file, dtype=str, header=None, sep=";"))
    trees = {name: read(file) for name, file in job["hierarchies"].items()}
    first = (data.copy(), [], job["quasi"])
    last = (job["suppress"] * 100, trees)
    if job["model"] == "k":
        work = lambda: anonymity.k_anonymity(*first, job["k"], *last)
    elif job["model"] == "l":
        work = lambda: anonymity.l_diversity(*first, job["sensitive"], job["k"], job["l"], *last)
    else:
        work = lambda: anonymity.t_closeness(*first, job["sensitive"], job["k"], job["t"], *last)
    seconds, made = timed(work, 1)
    rows = 0
    if made is not None and len(made):
        made.to_csv(job["output"], sep=";", index=False)
        rows = len(made)
    told(seconds=seconds, rows=rows)


def pycanon():
    import pandas as pd
    from pycanon import anonymity

    job = json.load(open(sys.argv[2]))
    data = pd.read_csv(job["table"], sep=";", dtype=str)
    runs = job["runs"]
    k_seconds, k = timed(lambda: anonymity.k_anonymity(data, job["quasi"]), runs)
    l_seconds, l = timed(lambda: anonymity.l_diversity(data, job["quasi"], [job["sensitive"]]), runs)
    t_seconds, t = timed(lambda: anonymity.t_closeness(data, job["quasi"], [job["sensitive"]]), 1)
    told(seconds=k_seconds + l_seconds + t_seconds, k=int(k), l=int(l), t=float(t), parts=[k_seconds, l_seconds, t_seconds])


def answers():
    """A histogram and a mean with epsilon 1 each, again and again: the mean absolute error of both, and seconds of one."""
    package, table, epsilon, runs = sys.argv[2], sys.argv[3], float(sys.argv[4]), int(sys.argv[5])
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    education, ages = [row["education"] for row in rows], [int(row["age"]) for row in rows]
    keys = sorted(set(education))
    truth = [education.count(key) for key in keys]
    if package == "opendp":
        import opendp.prelude as dp

        dp.enable_features("contrib")
        texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
        counts = dp.t.then_count_by_categories(categories=keys, null_category=False)
        histogram = texts >> counts >> dp.m.then_laplace(scale=1.0 / epsilon)
        numbers = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
        middle, half = 53, 37
        sums = numbers >> dp.t.then_clamp((17 - middle, 90 - middle)) >> dp.t.then_sum()
        sums = sums >> dp.m.then_laplace(scale=2 * half / epsilon)
        size = numbers >> dp.t.then_count() >> dp.m.then_laplace(scale=2.0 / epsilon)
        centred = [age - middle for age in ages]
        count = lambda: histogram(education)
        mean = lambda: middle + sums(centred) / size(ages)
        # The stated loss of what is asked, so that all are compared at the same epsilon.
        assert abs(histogram.map(1) - epsilon) < 1e-9 and abs(sums.map(1) + size.map(1) - epsilon) < 1e-9
    else:
        import numpy as np
        from diffprivlib import tools

        codes = np.array([keys.index(key) for key in education])
        own = {"bins": len(keys), "range": (-0.5, len(keys) - 0.5)}
        count = lambda: tools.histogram(codes, epsilon=epsilon, **own)[0]
        array = np.array(ages, dtype=float)
        mean = lambda: tools.mean(array, epsilon=epsilon, bounds=(17, 90))
    seconds, _ = timed(count, 3)
    average = sum(ages) / len(ages)
    histograms = [[float(own) for own in count()] for _ in range(runs)]
    error = sum(abs(a - b) for own in histograms for a, b in zip(own, truth)) / (runs * len(keys))
    error_of_mean = sum(abs(float(mean()) - average) for _ in range(runs)) / runs
    told(seconds=seconds, error=error, error_of_mean=error_of_mean, version=version(package))


{"features": features, "anjana": anjana, "pycanon": pycanon, "answers": answers}[sys.argv[1]]()
