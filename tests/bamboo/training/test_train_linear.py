"""A blend trained from the command line, on the sample, with and without damage."""

import json

import numpy as np
import pytest
from extras import needs_wordllama, needs_wordnet
from harness import written_scores

import bamboo
from amr_metrics.blend.metric import limit_sums


def blend(*targets):
    """The configuration of a blend of metrics, without learned weights."""
    of = {target.rpartition(".")[2].lower(): {"_target_": target} for target in targets}
    return {"_target_": "amr_metrics.Blend", "of": of, "interactions": True}


# As the shipped trainer, with less damage, and a penalty with which the weights converge early.
SHORT = {
    "name": "short",
    "correlation": {
        "arg_weight": 0.3,
        "damage_weight": 2.0,
        "penalty": 0.01,
        "use_dev": True,
    },
    "damage": {"graphs": 20, "smallest": 8, "chains": 1, "moved_chains": 1, "steps": 3},
}


@pytest.fixture
def both(user):
    """The words for ``metric=both``, which blends two metrics; ``trainer=short`` trains it."""
    user.yaml("metric/both.yaml", blend("amr_metrics.Smatch", "amr_metrics.LabelOverlap"))
    user.yaml("trainer/short.yaml", SHORT)
    return "metric=both", "data=sample", user.option


@pytest.fixture
def train(cli, home, both):
    def command(out, *more):
        return cli("train", *both, "trainer=short", f"out={home / out}", *more)

    return command


def document(folder):
    return json.loads((folder / "weights.json").read_text("utf-8"))


def test_what_it_writes(train, home):
    outcome = train("a")
    assert outcome.status == 0, outcome.err
    assert "start   learned" in outcome.out
    learned = document(home / "a")
    assert f"Pearson on dev: {100 * learned['dev']:.2f} after " in outcome.out
    assert "depend on the processor" in outcome.out
    assert learned["metric"].startswith("Blend(")
    assert learned["source"]["trainer"]["correlation"]["use_dev"] is True
    labels = [entry["label"] for entry in learned["weights"]]
    assert "smatch>0" in labels


def test_the_same_training_gives_the_same_bytes(trained, user, home):
    options = {"config_dir": user.path, "out": home / "b"}
    bamboo.train("both", "sample", trainer="short", **options)
    first, again = ((home / out / "weights.json").read_bytes() for out in "ab")
    assert first == again


def test_run_uses_a_weights_file_or_trains(trained, user):
    sources = ({"learned": str(trained / "weights.json")}, {"trainer": "short"})
    boards = [user.run("both", "sample", options=source).board for source in sources]
    values = [board.scores[0].value for board in boards]
    assert values[0] == values[1] > 60


def test_several_cells_are_trained_together(train, trained, home):
    outcome = train("b", "partition=[main,arg]")
    assert outcome.status == 0, outcome.err
    source = document(home / "b")["source"]
    assert (source["partition"], source["others"][0]["partition"]) == ("main", "arg")
    both, of_main = (document(home / out)["weights"] for out in "ba")
    assert both != of_main
    uses = [max(entry["occurrences"] for entry in weights) for weights in (both, of_main)]
    assert uses[0] > uses[1]


def test_only_correlation_trains_several_cells(cli):
    outcome = cli("train", "metric=wwlk_theta", "data=sample", "partition=[main,arg]")
    assert outcome.status == 1
    assert "exactly one metric and one data set" in outcome.err
    assert "trainer=correlation can use several" in outcome.err


def test_correlation_needs_a_linear_metric(cli, home):
    words = " 0.5" * 100
    (home / "vectors.txt").write_text(f"cat{words}\ndog{words}\n", "utf-8")
    outcome = cli(
        *("train", "metric=s2match", "data=sample", "trainer=correlation"),
        f"vectors.file={home / 'vectors.txt'}",
    )
    assert outcome.status == 1
    assert "linear in its parameters, such as blend" in outcome.err


def test_explain_lists_contributions(trained, cli, both):
    file = f"metric.learned={trained / 'weights.json'}"
    command = ("explain", *both, file, "pair=3")
    explained = cli(*command, "report=json").json
    effects = [line["effect"] for line in explained["contributions"]]
    assert limit_sums(np.array(1 + sum(effects))) == pytest.approx(explained["score"])
    assert explained["links"]
    printed = cli(*command).out
    assert "Contributions to the score" in printed
    assert "further features" in printed


def test_explain_trains_as_run_does(cli, user, both):
    results = user.run("both", "sample", options={"trainer": "short"})
    score = float(written_scores(results.folder)[3]["score"])
    words = ("metric.trainer=short", "pair=3", "report=json")
    explained = cli("explain", *both, *words).json
    assert explained["score"] == pytest.approx(score)
    effects = [line["effect"] for line in explained["contributions"]]
    assert limit_sums(np.array(1 + sum(effects))) == pytest.approx(score)


FAILING = """
from dataclasses import dataclass

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.errors import PairError


@dataclass(frozen=True, kw_only=True)
class Failing(Metric):
    "Fails on pairs with one concept, unless both graphs are equal."

    concept: str

    def evaluate(self, pairs):
        for k, (a, b) in enumerate(pairs):
            if self.concept in a.concepts + b.concepts and a != b:
                raise PairError(f"cannot score {self.concept}", pair=k)
        return Scores(np.array([1.0 if a == b else 0.5 for a, b in pairs]))
"""


@pytest.mark.parametrize(
    ("partition", "concept", "expected"),
    [
        ("main", "have-degree-91", "sample main train: pair 39"),
        ("main", "aunt", "sample main dev: pair 1"),  # in no train pair
        ("[main,syno]", "nebula", "sample syno train: pair 8"),  # in no pair of Main
        ("[main,syno]", "aunty", "sample syno dev: pair 1"),
    ],
)
def test_a_metric_that_fails_on_some_pairs(train, user, home, partition, concept, expected):
    (user.path / "failing_metric.py").write_text(FAILING, "utf-8")
    config = blend("amr_metrics.Smatch", "failing_metric.Failing")
    config["of"]["failing"]["concept"] = concept
    user.yaml("metric/both.yaml", config)
    outcome = train("a", f"partition={partition}")
    assert outcome.status == 1
    assert f"on {expected}: failing: cannot score {concept}" in outcome.err
    assert not (home / "a" / "weights.json").exists()


@needs_wordllama
@needs_wordnet
def test_the_shipped_blend_scores_files(cli, home):
    for side, name in (("src", "cat"), ("tgt", "kitten")):
        text = f"(s / sleep-01 :ARG0 (c / {name}))\n\n(d / dog)\n"
        (home / f"{side}.amr").write_text(text, "utf-8")
    outcome = cli(
        *("score", "metric=blend", f"src={home / 'src.amr'}", f"tgt={home / 'tgt.amr'}"),
        "report=json",
    )
    assert outcome.status == 0, outcome.err
    assert '"score": 1.0' in outcome.out


def test_graphs_that_are_too_small_to_damage(train):
    outcome = train("a", "trainer.damage.smallest=500")
    assert outcome.status == 1
    assert "none of the" in outcome.err
    assert "train graphs has 500 nodes or more" in outcome.err


def test_training_without_damage_differs(train, trained, home):
    assert train("b", "trainer.damage=null").status == 0
    assert document(home / "b")["weights"] != document(trained)["weights"]
