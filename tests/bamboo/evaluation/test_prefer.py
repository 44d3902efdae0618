"""prefer: both layouts, agreement by hand, ties, acceptability, bad files."""

from dataclasses import dataclass

import numpy as np
import pytest

from bamboo.benchmark.preference_data import Judgement, Preferences, read_preferences
from bamboo.errors import DataError, StatisticsError
from bamboo.evaluation.preference import preference_agreement
from bamboo.statistics.resampling import Resampling
from metrics import SmatchPP, parse_graph
from metrics.base import Metric, Scores

HEADER = "sentence\tfirst\tsecond\tpreference\n"
GOLD = [
    "(s / sleep-01 :ARG0 (c / cat))",
    "(b / bark-01 :ARG0 (d / dog))",
    "(r / rain-01)",
    "(f / fly-01 :ARG1 (k / kite))",
]
GOOD = [
    "(s / sleep-01 :ARG0 (c / cat))",
    "(b / bark-01 :ARG0 (d / dog))",
    "(r / rain-01)",
    "(f / fly-01)",
]
POOR = [
    "(s / sleep-01)",
    "(b / bark-02 :ARG0 (d / dog))",
    "(r / rain-01)",
    "(f / fly-01 :ARG1 (k / kite))",
]


def write(path, graphs):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(graphs) + "\n", "utf-8")


@pytest.fixture
def pairs(tmp_path):
    """AMRParseEval's layout: people prefer first, first, neither, second."""
    write(
        tmp_path / "abparser" / "src.test.amr",
        [g for both in zip(GOOD, POOR, strict=True) for g in both],
    )
    write(tmp_path / "abparser" / "tgt.test.amr", [g for gold in GOLD for g in (gold, gold)])
    labels = ["1.0\t1\t0\ta", "1\t1\t0\tb", "0.5\t1\t1\tc", "0.0\t0\t1\td"]
    (tmp_path / "LABEL.txt").write_text("\nsee above\n".join(labels), "utf-8")
    return tmp_path


@pytest.fixture
def systems(tmp_path):
    """A file a system, with one judgement told from the other side."""
    for name, graphs in (("reference", GOLD), ("good", GOOD), ("poor", POOR)):
        write(tmp_path / f"{name}.amr", graphs)
    rows = ["sentence\tfirst\tsecond\tpreference", "0\tgood\tpoor\t1", "1\tpoor\tgood\t0"]
    rows += ["2\tgood\tpoor\t.5", "3\tgood\tpoor\t0"]
    (tmp_path / "preferences.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return tmp_path


def agreement(data, ties="skip", **options):
    return preference_agreement("m", SmatchPP(), data, ties, Resampling(50), **options)


def test_pairs_are_read_in_file_order(pairs):
    data = read_preferences(pairs)
    assert len(data.references) == 4
    assert {name: len(graphs) for name, graphs in data.systems.items()} == {"first": 4, "second": 4}
    assert data.judgements[0] == Judgement(0, "first", "second", 1.0, True, False)
    assert [j.preference for j in data.judgements] == [1.0, 1.0, 0.5, 0.0]


def test_both_layouts_say_the_same(tmp_path_factory, pairs, systems):
    for layout in ("pairs", "systems"):
        found = agreement(read_preferences(systems, layout))
        assert (found.sentences, found.human_ties, found.sentence_level) == (3, 1, 1.0)
        assert found.interval == (1.0, 1.0)


def test_human_ties_can_be_counted(systems):
    found = agreement(read_preferences(systems), "count")
    # Both parses of the rain are the gold graph: the metric says so too.
    assert (found.sentences, found.human_ties, found.sentence_level) == (4, 0, 1.0)


def test_disagreement_by_hand():
    gold = tuple(map(parse_graph, GOLD))
    systems = {"a": tuple(map(parse_graph, GOOD)), "b": tuple(map(parse_graph, POOR))}
    # wrong: the poor parse of 0; a tie of the metric, which is wrong: 2; right: 1 and 3
    judged = [Judgement(0, "a", "b", 0.0), Judgement(2, "a", "b", 1.0)]
    judged += [Judgement(1, "a", "b", 1.0), Judgement(3, "b", "a", 1.0)]
    found = agreement(Preferences(gold, systems, tuple(judged)))
    assert found.sentence_level == 2 / 4
    assert found.metric_ties == 1
    assert 0 <= found.corpus_level <= 1
    assert found.acceptability is None


def test_ties_of_the_metric_may_count_as_preferring_the_first_parse():
    gold = tuple(map(parse_graph, GOLD))
    systems = {"a": gold, "b": gold}
    # Both parses are the gold graph; people prefer the first, the second and neither.
    judged = tuple(Judgement(k, "a", "b", preference) for k, preference in enumerate((1, 0, 0.5)))
    data = Preferences(gold, systems, judged)
    for metric_ties, ties, expected in (
        ("wrong", "skip", 0),
        ("first", "skip", 1 / 2),
        ("wrong", "count", 1 / 3),
        ("first", "count", 2 / 3),
    ):
        found = agreement(data, ties, metric_ties=metric_ties)
        assert found.sentence_level == pytest.approx(expected)
        assert found.metric_ties == 2


@dataclass(frozen=True, kw_only=True)
class Rounded(Metric):
    """Scores that are alike but for their rounding."""

    def evaluate(self, pairs):
        whole = [len(pair.src.variables) > 1 for pair in pairs]
        return Scores(np.where(whole, 0.1 + 0.2, 0.3))


def test_scores_that_differ_by_rounding_are_tied(systems):
    data = read_preferences(systems)
    assert preference_agreement("m", Rounded(), data, resampling=Resampling(10)).metric_ties == 3


def test_corpora_are_ordered_as_people_do(systems):
    data = read_preferences(systems)
    for preference in (1.0, 0.0):
        judged = tuple(Judgement(k, "good", "poor", preference) for k in (0, 1))
        found = agreement(Preferences(data.references, data.systems, judged))
        assert found.corpus_level == preference


def test_acceptability_by_hand(pairs):
    # acceptable: 1, 1, 1, 1 (both of c), 1; not: 2*2/(4+2) and (bark-02) 2*2/8 and fly: 4/6
    assert agreement(read_preferences(pairs)).acceptability == 1.0


def test_no_judgement_that_counts(systems):
    data = read_preferences(systems)
    even = Preferences(data.references, data.systems, (data.judgements[2],))
    with pytest.raises(StatisticsError, match="equally good"):
        agreement(even)
    assert agreement(even, "count").corpus_level is None


def test_the_command(cli, pairs):
    command = ["prefer", f"data={pairs}", "metric=[smatch,smatchpp]", "resamples=50"]
    assert "smatchpp" in cli(*command).out
    found = cli(*command, "report=json").json
    assert [one["sentence_level"] for one in found["metrics"]] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("LABEL.txt", "1\t1\nsee above\n" * 4, "LABEL.txt, line 1: expected a preference"),
        ("LABEL.txt", "1\t1\t0\n", "1 line for 8 parses"),
        ("LABEL.txt", "2\t1\t0\nsee above\n" * 4, "line 1: expected"),
        ("abparser/tgt.test.amr", "(a / b)\n\n(c / d)\n", "2 references for 8 parses"),
    ],
)
def test_bad_pairs(pairs, file, text, message):
    (pairs / file).write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        read_preferences(pairs)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("preferences.tsv", "a\tb\n", "line 1: expected the columns"),
        ("preferences.tsv", f"{HEADER}0\tgood\n", "line 2"),
        ("preferences.tsv", f"{HEADER}9\tgood\tpoor\t1\n", "a sentence in 0 to 3"),
        ("preferences.tsv", f"{HEADER}0\tgood\tbest\t1\n", "systems good, poor"),
        ("preferences.tsv", f"{HEADER}\u0661\tgood\tpoor\t1\n", "line 2"),
        ("preferences.tsv", f"{HEADER}0_1\tgood\tpoor\t1\n", "line 2"),
        ("preferences.tsv", HEADER + "x" * 200_000, "line 2"),
        ("poor.amr", "(a / b)\n", "poor.amr has 1 graph"),
    ],
)
def test_bad_systems(systems, file, text, message):
    (systems / file).write_text(text, "utf-8")
    with pytest.raises(DataError, match=message):
        read_preferences(systems)


def test_a_folder_of_neither_layout(tmp_path, refused):
    with pytest.raises(DataError, match=r"either LABEL.txt .*, preferences.tsv .* or amr_human"):
        read_preferences(tmp_path)
    assert "data=... is required" in refused("prefer")
