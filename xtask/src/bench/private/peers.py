"""Private records and models of public implementations, and one score for all of them.

    peers.py records TRUE.csv EPSILON DELTA OUT.csv   records by MST of `dpmm`
    peers.py score TRUE.csv CONTROL.csv DRAWN.csv     distance of tables by three columns, from 0 to 1
    peers.py models TRAIN.csv TEST.csv TARGET IS_AT_LEAST EPSILON FEATURE=LOW..HIGH …
                                                      accuracy of diffprivlib's regressions, and without privacy
    peers.py judge TEST.csv TARGET IS_AT_LEAST CONSTANT FEATURE=SLOPE …
                                                      of given coefficients: error of a line, or accuracy of log odds

Prints one JSON object. A library that is not there is said to be missing.
"""

import itertools
import json
import random
import sys
import time


def coded(*paths):
    import pandas as pd

    frames = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths]
    columns = list(frames[0].columns)
    texts = {c: sorted(set().union(*[set(f[c]) for f in frames])) for c in columns}
    place = {c: {text: at for at, text in enumerate(texts[c])} for c in columns}
    return [f[columns].apply(lambda own: own.map(place[own.name])) for f in frames], texts


def score(true, control, drawn):
    (a, b, c), _ = coded(true, control, drawn)
    random.seed(1)
    sets = random.sample(list(itertools.combinations(a.columns, 3)), 200)

    def distance(x, y):
        own = []
        for three in sets:
            p = x.groupby(list(three)).size() / len(x)
            q = y.groupby(list(three)).size() / len(y)
            own.append(p.subtract(q, fill_value=0).abs().sum() / 2)
        return sum(own) / len(own)

    half = a.sample(frac=0.5, random_state=1)
    return {"drawn": distance(a, c), "control": distance(a, b), "half": distance(a, half), "sets": len(sets)}


def records(true, epsilon, delta, out):
    import warnings

    warnings.filterwarnings("ignore")
    import pandas as pd
    from dpmm.models.mst import MSTGM

    (frame,), texts = coded(true)
    start = time.time()
    domain = {c: len(texts[c]) for c in frame.columns}
    model = MSTGM(epsilon=epsilon, delta=delta, n_iters=1000, domain=domain, n_jobs=1)
    model.fit(frame.astype(int))
    drawn = model.generate(n_records=len(frame))
    took = time.time() - start
    named = pd.DataFrame({c: [texts[c][int(code)] for code in drawn[c]] for c in frame.columns})
    named.to_csv(out, index=False)
    return {"seconds": took}


def table(path, target, features):
    import numpy as np
    import pandas as pd

    frame = pd.read_csv(path)[[target, *features]].apply(pd.to_numeric, errors="coerce").dropna()
    return frame[list(features)].to_numpy(float), frame[target].to_numpy(float), np


def models(train, test, target, least, epsilon, *bounds):
    import warnings

    warnings.filterwarnings("ignore")
    from diffprivlib.models import GaussianNB, LinearRegression, LogisticRegression
    from sklearn.linear_model import LinearRegression as Plain
    from sklearn.linear_model import LogisticRegression as PlainOdds

    named = [own.split("=") for own in bounds]
    ends = {name: [float(end) for end in text.split("..")] for name, text in named}
    explained = ends.pop(target)
    names = list(ends)
    low, high = [ends[n][0] for n in names], [ends[n][1] for n in names]
    x, y, np = table(train, target, names)
    u, v, _ = table(test, target, names)
    x, u = np.clip(x, low, high), np.clip(u, low, high)
    y, v = np.clip(y, *explained), np.clip(v, *explained)
    scale = lambda own: (own - low) / (np.array(high) - low) * 2 - 1
    norm = len(names) ** 0.5
    found = {"line": [], "odds": [], "bayes": []}
    for seed in range(15):
        line = LinearRegression(epsilon=epsilon, bounds_X=(low, high), bounds_y=tuple(explained), random_state=seed)
        found["line"].append(float(np.sqrt(np.mean((line.fit(x, y).predict(u) - v) ** 2))))
        odds = LogisticRegression(epsilon=epsilon, data_norm=norm, random_state=seed)
        found["odds"].append(float(np.mean(odds.fit(scale(x), y >= least).predict(scale(u)) == (v >= least))))
        bayes = GaussianNB(epsilon=epsilon, bounds=(low, high), random_state=seed)
        found["bayes"].append(float(np.mean(bayes.fit(x, y >= least).predict(u) == (v >= least))))
    medians = {name: sorted(own)[len(own) // 2] for name, own in found.items()}
    plain = Plain().fit(x, y)
    medians["line-plain"] = float(np.sqrt(np.mean((plain.predict(u) - v) ** 2)))
    medians["odds-plain"] = float(np.mean(PlainOdds().fit(scale(x), y >= least).predict(scale(u)) == (v >= least)))
    medians["mean"] = float(np.sqrt(np.mean((y.mean() - v) ** 2)))
    medians["most-frequent"] = float(max(np.mean(v >= least), np.mean(v < least)))
    return medians


def judge(test, target, least, kind, ends, constant, *slopes):
    named = [own.split("=") for own in slopes]
    names = [name for name, _ in named]
    u, v, np = table(test, target, names)
    low, high = [float(end) for end in ends.split("..")]
    v = np.clip(v, low, high)
    told = constant + u @ np.array([float(slope) for _, slope in named])
    if kind == "line":
        return {"line": float(np.sqrt(np.mean((told - v) ** 2)))}
    return {"odds": float(np.mean((told > 0) == (v >= least)))}


def main(words):
    verb, *rest = words
    try:
        if verb == "records":
            return records(rest[0], float(rest[1]), float(rest[2]), rest[3])
        if verb == "score":
            return score(*rest)
        if verb == "models":
            return models(rest[0], rest[1], rest[2], float(rest[3]), float(rest[4]), *rest[5:])
        return judge(rest[0], rest[1], float(rest[2]), rest[3], rest[4], float(rest[5]), *rest[6:])
    except ImportError as error:
        return {"missing": error.name}


print(json.dumps(main(sys.argv[1:])))
