"""Times a histogram with discrete Laplace noise in the opendp package: peer.py CELLS SCALE prints seconds and mean |noise|."""
import json
import sys
import time

import opendp.prelude as dp

dp.enable_features("contrib")
cells, scale = int(sys.argv[1]), float(sys.argv[2])
counts = [cell % 50 for cell in range(cells)]
space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
laplace = dp.m.make_laplace(*space, scale=scale)
laplace(counts[:1000])
start = time.perf_counter()
noisy = laplace(counts)
seconds = time.perf_counter() - start
off = sum(abs(a - b) for a, b in zip(noisy, counts)) / cells
print(json.dumps({"seconds": seconds, "mean_absolute_noise": off, "version": dp.__dict__.get("__version__", "")}))
