"""Models in the manner of scikit-learn, other shapes of data, and the recoding that is used again."""

from __future__ import annotations

import random

import pytest

import privet
from conftest import as_columns, frame


def loans(count=800):
    chance = random.Random(7)
    age = [chance.randrange(18, 78) for _ in range(count)]
    married = [chance.choice(["yes", "no"]) for _ in range(count)]
    risk = ["bad" if own < 35 and chance.random() < 0.9 else "good" for own in age]
    return {"age": age, "married": married, "risk": risk}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_tree(library):
    columns = loans()
    data = frame(library, columns)
    tree = privet.Tree(k=20, target="risk").fit(data)
    assert tree.score(data, columns["risk"]) > 0.85
    assert tree.release.verify() and tree.release.attack() is not None
    assert tree.model["format"] if "format" in tree.model else tree.model
    features = {name: columns[name] for name in ("age", "married")}
    by_y = privet.Tree(k=20).fit(frame(library, features), columns["risk"])
    assert by_y.predict(data) == tree.predict(data)
    assert tree.get_params()["k"] == 20 and tree.set_params(k=30).k == 30 and "k=30" in repr(tree)
    with pytest.raises(privet.InvalidInput):
        tree.set_params(no_such=1)
    with pytest.raises(privet.InvalidInput, match="not fitted"):
        privet.Tree().predict(data)
    with pytest.raises(privet.InvalidInput, match="age"):
        tree.predict(frame(library, {"married": ["yes"]}))


def test_a_model_is_cloned_by_scikit_learn():
    base = pytest.importorskip("sklearn.base")
    tree = privet.Tree(k=15, max_depth=3)
    assert base.clone(tree).get_params() == tree.get_params()


def test_clusters_and_rules():
    chance = random.Random(3)
    data = frame("polars", {"a": [chance.randrange(20) + 200 * (n % 2) for n in range(400)], "b": [chance.randrange(20) for _ in range(400)]})
    clusters = privet.Clusters(k=20, max_clusters=4).fit(data)
    labels = clusters.fit_predict(data)
    assert len(set(labels)) > 1 and all(labels.count(label) >= 20 for label in set(labels))
    assert not {label for label in labels[::2]} & {label for label in labels[1::2]}
    baskets = [["dark bread", "butter"]] * 60 + [["tea"]] * 30
    rules = privet.Rules(k=10, min_support=10, min_confidence=0.8).fit(baskets)
    assert rules.predict([["butter"], ["tea"], []]) == [["dark bread"], [], []]
    assert rules.release.verify()
    with pytest.raises(privet.InvalidInput):
        privet.Rules().fit(["a text"])
    with pytest.raises(privet.InvalidInput):
        privet.Rules().fit([["a\tb"]])


def test_other_shapes(tmp_path):
    count = 300
    ends = [(n + 1) % count for n in range(count)] + [(n + 7) % count for n in range(count)]
    edges = frame("pandas", {"a": list(range(count)) * 2, "b": ends})
    nodes = frame("pandas", {"person": list(range(count)), "town": ["x", "y", "z"] * (count // 3)})
    release = privet.graph(edges, nodes=nodes, source="a", target="b", id="person", attributes={"town": "sensitive"}, method="k-degree", k=5, seed=1)
    assert release.verify() and release.manifest["kind"] == "graph"
    assert release.attack().risk is not None
    assert release.tables == ["edges.csv", "nodes.csv"] and len(release.table("edges.csv")) >= 300
    with pytest.raises(privet.InvalidInput, match="edges.csv"):
        release.frame
    measured = release.measure()
    assert measured.figures
    written = release.write(tmp_path / "graph")
    assert privet.open(written).verify()
    with pytest.raises(privet.InvalidInput):
        release.write(tmp_path / "graph")
    release.write(tmp_path / "graph", replace=True)
    assert privet.open(written).verify() and [own.name for own in tmp_path.iterdir()] == ["graph"]
    with pytest.raises(privet.InvalidInput, match="no_such|no-such"):
        privet.graph(edges, source="a", target="b", method="k-degree", k=5, no_such=1)
    with pytest.raises(privet.Refused):
        privet.graph(edges, source="a", target="b", method="pseudonyms", max_absolute_risk=0.0, seed=1)


def test_a_recoding_is_used_again():
    sklearn = pytest.importorskip("privet.sklearn")
    columns = loans()
    data = frame("pandas", columns)
    job = {"quasi": {"age": privet.intervals(5, 10, 20), "married": None}, "sensitive": ["risk"], "k": 10, "suppress_at_most": 0.05}
    anonymizer = sklearn.Anonymizer(**job)
    recoded = anonymizer.fit_transform(data)
    assert len(recoded) == len(data) and list(recoded.columns) == ["age", "married", "risk"]
    assert (recoded.index == data.index).all()
    published = as_columns(anonymizer.release_.frame)
    classes = set(zip(published["age"], published["married"]))
    shown = set(zip(recoded["age"], recoded["married"]))
    assert shown - {("*", "*")} == classes
    # Records of the fitted table look as they do in the release.
    kept = recoded[recoded["age"] != "*"] if ("*", "*") not in classes else recoded
    assert sorted(zip(kept["age"], kept["married"])) == sorted(zip(published["age"], published["married"]))
    new = frame("pandas", {"age": [33, 79, 150], "married": ["yes", "no", "unknown"], "risk": ["good"] * 3}).set_index([[7, 8, 9]])
    later = anonymizer.transform(new)
    assert (later.index == new.index).all()
    assert later["married"].tolist()[2] == "*" and later["age"].tolist()[2] == "*"
    assert anonymizer.transform(frame("polars", columns)).shape == (800, 3)
    with pytest.raises(privet.InvalidInput):
        anonymizer.transform(frame("pandas", {"age": [1]}))
    with pytest.raises(privet.InvalidInput, match="not fitted"):
        sklearn.Anonymizer().transform(data)
    with pytest.raises(privet.InvalidInput, match="level"):
        sklearn.Anonymizer(**job, algorithm="mondrian").fit(data)


def test_a_pipeline_learns_from_recoded_records():
    pytest.importorskip("sklearn")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    from privet.sklearn import Anonymizer

    columns = loans()
    data = frame("pandas", {name: columns[name] for name in ("age", "married")})
    pipeline = make_pipeline(
        Anonymizer(quasi={"age": privet.intervals(5, 10), "married": None}, k=10, suppress_at_most=0.05),
        OneHotEncoder(handle_unknown="ignore"),
        DecisionTreeClassifier(random_state=0),
    )
    assert pipeline.fit(data[:600], columns["risk"][:600]).score(data[600:], columns["risk"][600:]) > 0.8
