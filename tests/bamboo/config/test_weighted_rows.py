"""Rows with learned weights: their labels and values, and files that fit no metric."""

import shutil

import pytest

from amr_metrics import S2match, Smatch, WordVectors, WWLKTheta
from bamboo.config.rows import Row
from bamboo.config.weighted_rows import START, set_weights
from bamboo.config.weights import Evaluation, Weights, WeightsError
from bamboo.errors import ConfigError

WORDS = WordVectors.of({"cat": [1.0, 0.0]})
S2 = Row("s2", S2match(vectors=WORDS))
SMATCH, THETA = Row("smatch", Smatch()), Row("theta", WWLKTheta(vectors=WORDS))
BEFORE, LEARNED = {"tau": 0.5, "tau_sense": 0.5}, {"tau": 0.25, "tau_sense": 1.0}


def write(path, dev=0.5):
    """Write weights of `S2` with a history of one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    history = (Evaluation(0, 0.5, dev, dev, 0),)
    signature = S2.metric.with_named(LEARNED).signature
    Weights(signature, {}, BEFORE, LEARNED, BEFORE, history).write(path)
    return path


def test_weights_set_the_rows_of_the_metrics_that_they_fit(tmp_path):
    file = write(tmp_path / "w.json")
    rows = [SMATCH, S2, THETA]
    smatch, s2, theta = set_weights(rows, file)
    assert (smatch, theta) == (SMATCH, THETA)
    assert s2.name == "s2 weights=w.json"
    assert (s2.on().tau, s2.on().tau_sense) == (0.25, 1.0)
    before, after = set_weights([S2], [START, file])
    assert (before.name, before.on().tau) == ("s2 weights=start", 0.5)
    assert (after.name, after.on().tau) == ("s2 weights=w.json", 0.25)
    with pytest.raises(WeightsError, match="'tau' is not a role"):
        set_weights([THETA], file)
    with pytest.raises(ConfigError, match="metric smatch has no parameters"):
        set_weights([SMATCH], file)


def test_weights_are_told_apart_by_folder_or_digest(tmp_path):
    def titles(*files):
        return [row.name.partition("=")[2] for row in set_weights([S2], files)]

    b, c, other_b = (
        write(tmp_path / place / "w.json", dev) for dev, place in enumerate(("b", "c", "c/b"))
    )
    assert titles(b) == ["w.json"]
    assert titles(b, c) == ["b/w.json", "c/w.json"]
    first, second = titles(b, other_b)
    assert first != second
    assert first.startswith("b/w.json ")
    assert second.startswith("b/w.json ")
    assert titles(START, b, c) == ["start of b/w.json", "b/w.json", "c/w.json"]
    shutil.copy(b, tmp_path / "copy.json")
    for files in ((b, b), (b, tmp_path / "copy.json")):
        with pytest.raises(ConfigError, match="are the same weights"):
            set_weights([S2], files)
    with pytest.raises(ConfigError, match=r"a file of weights must follow, as in .start,FILE."):
        set_weights([S2], [b, START])
    with pytest.raises(WeightsError, match=r"nowhere\.json cannot be read"):
        set_weights([S2], [tmp_path / "nowhere.json"])
