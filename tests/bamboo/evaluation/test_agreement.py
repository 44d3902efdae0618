"""agreement: original against corrected graphs, and the labels of graphs."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bamboo.cli.main import main
from bamboo.errors import DataError, StatisticsError
from bamboo.evaluation.corrections import Labels, label_study, robustness
from bamboo.paths import resource
from bamboo.statistics.resampling import Resampling
from metrics import Pair, Smatch, pair_up, read_graphs
from metrics.writing import format_graphs

SAMPLE = resource("data") / "sample"
LABELS = "item\tgroup\tlabel\n" + "".join(
    f"{k}\t{group}\t{label}\n"
    for group, given in (("old", "gsff"), ("new", "ggsg"))
    for k, label in enumerate({"g": "gold", "s": "silver", "f": "flawed"}[c] for c in given)
)


@pytest.fixture(scope="module")
def sample():
    return pair_up(*[read_graphs(SAMPLE / "main" / f"{s}.test.amr") for s in ("src", "tgt")])


@pytest.fixture(scope="module")
def ratings():
    return np.loadtxt(SAMPLE / "test.y")


def flawed(pairs, share=0.3):
    rng = np.random.default_rng(0)

    def worse(graph):
        return replace(
            graph, concepts=tuple("thing" if rng.random() < share else c for c in graph.concepts)
        )

    return [Pair(worse(a), worse(b)) for a, b in pairs]


def test_identical_corrections(sample, ratings):
    found = robustness("smatch", Smatch(), sample, sample, ratings, resampling=Resampling(100))
    assert found.intra == pytest.approx((1.0, 1.0, 1.0))
    assert found.original == found.corrected
    assert found.gain[:3] == pytest.approx((0.0, 0.0, 0.0))
    assert found.gain[3] == 1.0


def test_corrections_raise_the_agreement(sample, ratings):
    found = robustness(
        "smatch", Smatch(), flawed(sample), sample, ratings, resampling=Resampling(200)
    )
    plain = np.corrcoef(Smatch().score(sample), ratings)[0, 1]
    assert found.corrected[0] == pytest.approx(plain)
    assert found.intra[1] < found.intra[0] < found.intra[2] < 1
    assert found.gain[0] == pytest.approx(found.corrected[0] - found.original[0])


def test_without_ratings_only_the_metric_is_compared_with_itself(sample):
    found = robustness("smatch", Smatch(), flawed(sample), sample, None, resampling=Resampling(50))
    assert found.original is found.corrected is found.gain is None
    with pytest.raises(StatisticsError, match="two pairs"):
        robustness("smatch", Smatch(), sample[:1], sample[:1], None)


def test_labels_by_hand(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_text(LABELS, "utf-8")
    shares, differences = label_study(Labels.read(path), resampling=Resampling(500))
    found = {(s.group, s.label): (s.count, s.of, s.share) for s in shares}
    assert found["old", "gold"] == (1, 4, 1 / 4)
    assert found["new", "gold"] == (3, 4, 3 / 4)
    assert found["new", "flawed"] == (0, 4, 0.0)
    gold = next(d for d in differences if d.label == "gold")
    assert gold.difference == 1 / 4 - 3 / 4
    # Two items differ, both in one direction: half of the four ways to swap are as extreme.
    assert gold.p == pytest.approx(0.5, abs=0.08)


def test_differences_use_the_items_labelled_in_both_groups():
    labels = Labels({"a": {"1": "gold", "2": "gold"}, "b": {"2": "gold", "3": "flawed"}})
    shares, differences = label_study(labels, resampling=Resampling(50))
    assert {s.of for s in shares} == {2}
    assert [d.difference for d in differences] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\tc\n", "line 1: expected the tab-separated columns"),
        ("item\tgroup\tlabel\n1\ta\tgood\n", "line 2: expected an item, a group and one of gold"),
        ("item\tgroup\tlabel\n1\ta\tgold\n1\ta\tgold\n", "line 3: 1 is labelled twice in group a"),
        ("item\tgroup\tlabel\n", "the file has no labels"),
    ],
)
def test_bad_labels(tmp_path, text, message):
    path = tmp_path / "labels.tsv"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        Labels.read(path)


def test_the_command_on_the_sample(tmp_path, capsys, sample):
    for side, graphs in zip(("src", "tgt"), zip(*flawed(sample), strict=True), strict=True):
        (tmp_path / f"{side}.amr").write_text(format_graphs(graphs), "utf-8")
    (tmp_path / "labels.tsv").write_text(LABELS, "utf-8")
    command = [
        "agreement",
        f"src={tmp_path}/src.amr",
        f"tgt={tmp_path}/tgt.amr",
        f"src_corrected={SAMPLE}/main/src.test.amr",
        f"tgt_corrected={SAMPLE}/main/tgt.test.amr",
        f"ratings={SAMPLE}/test.y",
        f"labels={tmp_path}/labels.tsv",
        "metric=[smatch,smatchpp]",
        "resamples=50",
    ]
    assert main(command) == 0
    assert "MHA corrected" in capsys.readouterr().out
    assert main([*command, "report=json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["metric"] for one in found["metrics"]] == ["smatch", "smatchpp"]
    assert len(found["labels"]) == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs graphs"),
        (["src=a.amr"], "together"),
        (["labels=nowhere.tsv"], "cannot be read"),
    ],
)
def test_bad_requests(capsys, arguments, message):
    assert main(["agreement", *arguments]) == 1
    assert message in capsys.readouterr().err


def test_ratings_that_do_not_match_the_pairs(tmp_path, capsys):
    gold = SAMPLE / "main" / "src.test.amr"
    files = [f"{name}={gold}" for name in ("src", "tgt", "src_corrected", "tgt_corrected")]
    ratings = tmp_path / "ratings.txt"
    cases = (
        ("1\nhigh\n" + 62 * "1\n", "pair 1, line 2: 'high' is not a number"),
        ("1\n2\n", "2 ratings for 64 pairs"),
    )
    for text, message in cases:
        ratings.write_text(text, "utf-8")
        assert main(["agreement", *files, f"ratings={ratings}"]) == 1
        assert message in capsys.readouterr().err
