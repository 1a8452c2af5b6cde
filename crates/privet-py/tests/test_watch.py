"""Long work: progress is told, other threads go on, and Ctrl-C ends it within a second."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

import privet
from conftest import frame

# Each takes long enough to be interrupted: clustering and scores take time that grows with the square of the records.
LONG = """
import random, sys, tempfile, threading, time, _thread
import pyarrow as pa, privet
chance = random.Random(1)
def table(count):
    return pa.table({{name: [chance.randrange(1000) for _ in range(count)] for name in "abcdef"}})
quasi = {{name: privet.intervals(10, 100) for name in "abcdef"}}
{before}
begun = []
def interrupt():
    begun.append(time.monotonic())
    _thread.interrupt_main()
timer = threading.Timer({after}, interrupt)
timer.start()
try:
    while True:
        {work}
        # What is quick on this machine is done again: it is interrupted in its middle or between two.
        {repeats} or sys.exit("it ended by itself")
except KeyboardInterrupt:
    late = time.monotonic() - begun[0]
    print("stopped", late)
    sys.exit(0 if late < 1 else 3)
"""

CASES = {
    "anonymize": ("data = table(40000)", "privet.anonymize(data, quasi=quasi, k=50, algorithm='clustering')", False),
    "suggest": ("data = table(200000)", "privet.suggest(data)", True),
    "attack": ("data = table(20000)\nrelease = privet.anonymize(data, quasi=quasi, k=5)", "release.attack()", True),
    "measure": ("data = table(20000)\nrelease = privet.anonymize(data, quasi=quasi, k=5)", "release.measure(data)", True),
    "query": (
        "data = table(200000)\nledger = privet.Ledger(tempfile.mkdtemp() + '/budget.db').open(data, epsilon=1000, new_population=True)",
        "privet.query(data, 'select count(*) from data', epsilon=0.01, ledger=ledger)",
        True,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_ends_a_long_run_within_a_second(case):
    pytest.importorskip("pyarrow")
    before, work, repeats = CASES[case]
    program = LONG.format(before=before, work=work, after=1.5, repeats=repeats)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert done.stdout.startswith("stopped")


def slow(count=3000):
    import random

    chance = random.Random(2)
    return {name: [chance.randrange(1000) for _ in range(count)] for name in "abcd"}


def test_other_threads_go_on_meanwhile():
    data = frame("pyarrow", slow(8000))
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    privet.anonymize(data, quasi={name: privet.intervals(10, 100) for name in "abcd"}, k=20, algorithm="clustering")
    took = time.monotonic() - begun
    done.set()
    thread.join()
    # Were the lock of the interpreter held, there would be a gap as long as the run.
    gaps = [later - earlier for earlier, later in zip([begun, *ticks], ticks)]
    assert took > 0.2, "too quick to tell anything"
    assert max(gaps) < max(0.5 * took, 0.1)


def test_progress_is_told_and_may_stop():
    data = frame("pyarrow", slow())
    job = {"quasi": {name: privet.intervals(10, 100) for name in "abcd"}, "k": 20, "algorithm": "clustering"}
    told = []
    privet.anonymize(data, **job, progress=lambda *state: told.append(state))
    assert told and all(isinstance(stage, str) and done >= 0 for stage, done, _ in told)

    def stop(stage, done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        privet.anonymize(data, **job, progress=stop)


def test_bars_follow_the_protocol_of_tqdm():
    bars = []

    class Bar:
        def __init__(self, total, desc, leave):
            self.n, self.closed = 0, False
            bars.append(self)

        def update(self, more):
            self.n += more

        def close(self):
            self.closed = True

    data = frame("pyarrow", slow())
    quasi = {name: privet.intervals(10, 100) for name in "abcd"}
    privet.anonymize(data, quasi=quasi, k=20, algorithm="clustering", progress=Bar)
    assert bars and all(bar.closed for bar in bars)
    pytest.importorskip("tqdm")
    privet.anonymize(data, quasi=quasi, k=20, algorithm="clustering", progress=True)


def test_threads_may_anonymize_at_the_same_time(people):
    data = frame("pyarrow", people)
    found = []

    def work():
        found.append(privet.anonymize(data, quasi={"age": privet.intervals(10, 20)}, k=5).summary["classes"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1
