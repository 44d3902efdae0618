"""Files of learned weights: what is written and read back."""

import json
from dataclasses import replace

from bamboo.config.weights import Evaluation, Weights, read_weights

HISTORY = (Evaluation(0, 0.5, 0.25, 0.25, 0), Evaluation(9, 0.125, 0.75, 0.75, 1))
VALUES = {"a": 1.0, "b": 2.0, "c": 3.0}
WEIGHTS = Weights(
    "m", {"data": "d"}, dict.fromkeys("abc", 1.0), VALUES, {"a": 1.0, "b": 9.0, "c": 9.0}, HISTORY
)


def test_the_weights_that_are_used_most_come_first(tmp_path):
    WEIGHTS.write(tmp_path / "w.json")
    document = json.loads((tmp_path / "w.json").read_text("utf-8"))
    assert [entry["label"] for entry in document["weights"]] == ["b", "c", "a"]
    assert document["dev"] == 0.75
    assert read_weights(tmp_path / "w.json") == WEIGHTS


def test_the_evaluation_before_the_first_step():
    assert WEIGHTS.untrained == HISTORY[0]
    assert replace(WEIGHTS, history=HISTORY[1:]).untrained is None
