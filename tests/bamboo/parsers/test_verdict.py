"""Rankings, sentences to read, confusions and verdicts, on corpora made for the purpose."""

import numpy as np
import pytest

import bamboo
from amr_metrics.base import Scores
from bamboo.board import CORPUS, MISTAKE
from bamboo.parsers.analyses.errors import find_compared
from bamboo.parsers.confusions import count_confusions, find_agreements, group_confusions
from bamboo.parsers.ranking import (
    compare_ranked,
    count_perfect,
    count_wins,
    list_ranked,
    measure_sentence_costs,
    measure_size,
    rank_parsers,
    sentences_to_read,
)
from bamboo.scoring.scored import PairColumns, Scored

GOLD = [
    f"(w / want-01 :ARG0 (c / cat{k}) :ARG1 (s / sleep-01 :ARG0 c :time (n / now)))"
    for k in range(30)
]
WITHOUT_TIME = [text.replace(" :time (n / now)", "") for text in GOLD]
WRONG_SENSE = [text.replace("sleep-01", "sleep-02") for text in GOLD]
STUMPS = [f"(c / cat{k})" for k in range(30)]
SETTINGS = {"permutations": 400, "resamples": 100, "errors": True, "ci": True}


def mixed(first, count, then=GOLD):
    """The first parses of one parser, then those of another."""
    return [*first[:count], *then[count:]]


def scored(gold=GOLD, **parsers):
    return bamboo.score(parsers, gold, **SETTINGS)


def mistakes_of(report):
    return {name: scored.mistakes for name, scored in report.by_parser.items()}


def test_the_best_parser():
    report = scored(poor=WRONG_SENSE, good=mixed(WRONG_SENSE, 4), worst=STUMPS)
    verdict = report.verdict
    assert verdict.title.startswith("good is best, ")
    assert verdict.title.endswith(" points above poor")
    evidence, costs = verdict.lead
    assert evidence.startswith("good 98.")
    assert "All 3 differences are significant (p ≤ " in evidence
    assert "worst has low recall: its graphs have " in costs
    assert costs.startswith("Most is lost on concepts: without these mistakes, good would gain 0.0")
    parsers = report.by_parser
    ranks = rank_parsers(parsers, report.board)
    assert [*ranks.items()] == [("good", (1, 1)), ("poor", (2, 2)), ("worst", (3, 3))]
    assert [count_perfect(parsers[name]) for name in ranks] == [26, 0, 0]
    assert measure_size(parsers["worst"]) == pytest.approx(2 / 9)
    rows = compare_ranked(report.board, ranks)
    pairs = [("good", "poor"), ("good", "worst"), ("poor", "worst")]
    assert [(row.first, row.second) for row in rows] == pairs
    assert rows[0].value == report["good"].score - report["poor"].score
    assert count_wins(parsers["good"], parsers["poor"]) == (26, 4, 0)


def test_scores_that_differ_by_rounding_are_no_wins():
    first, second = ([0.3, 0.5, 0.2, np.nan], [0.1 + 0.2, 0.4, 0.3, 0.3])
    sides = (Scored(Scores(np.array(values)), PairColumns()) for values in (first, second))
    assert count_wins(*sides) == (1, 1, 1)


def test_parsers_that_are_not_distinguishable():
    first = [*WRONG_SENSE[:3], *GOLD[3:]]
    second = [*GOLD[:27], *WRONG_SENSE[27:]]
    verdict = scored(a=first, b=second).verdict
    assert verdict.title == "a and b are not distinguishable"
    assert "They differ by less than 0.01 points (95 % interval −" in verdict.lead[0]
    assert ", p = 1). With 30 sentences, a true difference below " in verdict.lead[0]
    verdict = scored(a=first, b=second, poor=STUMPS).verdict
    assert verdict.title == "a and b lead and are not distinguishable"
    assert "2 of 3 differences are significant" in verdict.lead[0]


def test_equal_parsers_are_best_together_in_any_order():
    """Two parsers with another sentence wrong, so that their F1 is equal, and a worse one."""
    wrong = {"b": mixed(WRONG_SENSE, 1), "a": [*GOLD[:29], WRONG_SENSE[29]], "poor": STUMPS}
    for names in (("b", "a", "poor"), ("poor", "a", "b")):
        parsers = {name: wrong[name] for name in names}
        report = bamboo.score(parsers, GOLD, **SETTINGS, by="size")
        ranks = rank_parsers(report.by_parser, report.board)
        assert [*ranks.items()] == [("a", (1, 2)), ("b", (1, 2)), ("poor", (3, 3))]
        assert find_compared(report.board.select(kind=MISTAKE)) == "a"
        table, *_ = report.tables()
        f1, versus = table.columns.index("f1"), table.columns.index("minus best")
        best = {names.index("a"), names.index("b")}
        assert table.best == {(k, f1) for k in best}
        assert {k for (k, _), mark in table.marks.items() if mark == "best"} == best
        assert [table.rows[k][versus] for k in best] == [None, None]
        assert table.to_latex().count(r"\textbf{99.6}") == 2
        assert table.to_markdown().count("| **99.6** |") == 2
        assert sum("best" in line.split(",") for line in table.to_csv().splitlines()) == 2
        assert " and ".join(name for name in names if name != "poor") in table.notes[0]
        assert report.verdict.title == "a and b lead and are not distinguishable"
        for of_parser in report.to_json()["parsers"]:
            (bucket,) = of_parser["buckets"]
            assert bucket["best"] == (of_parser["parser"] if of_parser["parser"] != "poor" else "a")
            assert (bucket["versus_best"] is None) == (of_parser["parser"] != "poor")


def test_p_values_below_a_bound_are_rounded_up():
    """The larger p-value is (0 + 1) / (599 + 1) = .00167, which is not below .001."""
    report = bamboo.score(
        {"a": GOLD, "poor": WRONG_SENSE, "worst": STUMPS, "best": mixed(WRONG_SENSE, 1)},
        GOLD,
        permutations=599,
        resamples=20,
    )
    assert "All 3 differences are significant (p ≤ .002, corrected)." in report.verdict.lead[0]


def test_many_parsers_are_not_all_named():
    parsers = {name: [*GOLD[:k], WRONG_SENSE[k], *GOLD[k + 1 :]] for k, name in enumerate("abcdef")}
    assert scored(**parsers).verdict.title == "a, b and 4 others are not distinguishable"


def test_a_single_parser():
    report = scored(good=mixed(WRONG_SENSE, 10))
    verdict, (row,) = report.verdict, report.board.select(kind=CORPUS, score="f1").scores
    half = 100 * (row.high - row.low) / 2
    assert verdict.title == f"good has 96.3 F1, with an uncertainty of ±{half:.1f}"
    assert verdict.lead[0] == "smatch_1.0, 30 sentences, precision 96.3, recall 96.3."
    without = bamboo.score({"good": mixed(WRONG_SENSE, 10)}, GOLD).verdict
    assert without.title == "good has 96.3 F1"
    assert len(without.lead) == 1


def test_a_metric_without_f1():
    parsers = {"good": mixed(WRONG_SENSE, 10)}
    report = bamboo.score(parsers, GOLD, "wlk")
    assert report.verdict.title.startswith("good has a mean score of ")
    costs = measure_sentence_costs(report["good"].values)
    assert costs.sum() == pytest.approx(1 - report["good"].score)


def test_identical_parsers_are_not_ranked():
    report = scored(good=mixed(WRONG_SENSE, 3), copy=GOLD)
    verdict = report.verdict
    assert verdict.title.startswith("good has 98.9 F1")
    (notice,) = verdict.notices
    assert (notice.kind, notice.parser) == ("identical", "copy")
    assert find_compared(report.board.select(kind=MISTAKE)) is None
    ranks = rank_parsers(report.by_parser, report.board)
    assert ranks == {"good": (1, 1), "copy": (0, 0)}
    assert list_ranked(ranks) == ["good"]
    alone = scored(copy=GOLD).verdict
    assert alone.title == "copy is identical to the gold graphs"


def test_a_role_that_the_gold_graphs_lack():
    linked = [text.replace(f"cat{k}", f"cat{k} :wiki -") for k, text in enumerate(GOLD)]
    (notice,) = scored(linked=linked).verdict.notices
    assert notice.kind == "role"
    assert notice.text == (
        "The gold graphs have no :wiki, linked writes 30. They count as extra triples: without "
        "them linked has 100.0 F1 instead of 94.7."
    )
    assert notice.option == "drop=wiki"


LONG = [text.replace("now", "now :mod (v / very :mod (m / more))") for text in GOLD]


def test_graphs_that_are_cut_off():
    cut = [*STUMPS[:6], *LONG[6:]]
    (notice,) = scored(LONG, cut=cut, other=[*LONG[:29], WRONG_SENSE[29]]).verdict.notices
    assert (notice.kind, notice.parser, notice.pairs) == ("half", "cut", (0, 1, 2, 3, 4, 5))
    assert notice.text == (
        "6 graphs of cut are less than half as long as gold's: truncated output? On the other "
        "24 sentences: other 99.0, cut 100.0."
    )


def test_sentences_that_collapse():
    chain = " ".join(f"(d{k} / d{k} :mod" for k in range(9)) + " (x / x" + ")" * 10
    gone = [chain] * 3 + GOLD[3:]
    (notice,) = scored(gone=gone, other=mixed(WRONG_SENSE, 3)).verdict.notices
    assert (notice.kind, notice.parser, notice.pairs) == ("collapsed", "gone", (0, 1, 2))
    assert notice.text == "gone is below 10 on 3 sentences where another parser is above 50."


def test_costs_of_sentences_add_up():
    report = scored(a=mixed(WRONG_SENSE, 4), b=mixed(STUMPS, 2))
    costs = {name: measure_sentence_costs(scores) for name, scores in report.by_parser.items()}
    for name, cost in costs.items():
        assert cost.sum() == pytest.approx(1 - report[name].score)
        assert np.count_nonzero(cost) == {"a": 4, "b": 2}[name]
    ranked = [*rank_parsers(report.by_parser, report.board)]
    first, second, hard = sentences_to_read(report.by_parser, ranked, 2)
    assert (first.kind, first.first, first.second) == ("better", "a", "b")
    assert [k for k, _ in first.sentences] == [0, 1]
    assert first.sentences[0][1] == costs["b"][0] - costs["a"][0]
    assert [k for k, _ in second.sentences] == [2, 3]
    assert (hard.kind, [k for k, _ in hard.sentences]) == ("hard", [0, 1])
    assert all(value < 0 for _, value in hard.sentences)


def test_sentences_of_a_single_parser():
    report = scored(LONG, a=[STUMPS[0], *LONG[1:28], *WRONG_SENSE[28:]])
    ranked = [*rank_parsers(report.by_parser, report.board)]
    lowest, good, costly = sentences_to_read(report.by_parser, ranked, 2)
    assert [listed.kind for listed in (lowest, good, costly)] == ["lowest", "good", "costly"]
    assert lowest.sentences[0] == (0, report["a"].scores[0])
    assert good.sentences == ((1, 1.0), (2, 1.0))
    assert costly.sentences[0][0] == 0


def test_sentences_in_which_nothing_is_better_are_not_listed():
    report = scored(a=GOLD[:29] + WRONG_SENSE[29:], b=WRONG_SENSE)
    ranked = [*rank_parsers(report.by_parser, report.board)]
    better, worse, _ = sentences_to_read(report.by_parser, ranked)
    assert len(better.sentences) == 4
    assert worse.sentences == ()


def test_frequent_confusions():
    confused = [
        GOLD[0].replace("sleep-01", "sleep-02"),
        GOLD[1].replace(":time", ":mod").replace("sleep-01", "sleep-02"),
        GOLD[2].replace(":ARG0 c :t", ":ARG2-of c :t").replace("now", "today"),
    ]
    report = scored(GOLD[:3], a=confused, b=mixed(confused, 1)[:3])
    groups = group_confusions(mistakes_of(report))
    assert groups["sense", "sleep-01", "sleep-02"] == [("a", 0), ("a", 1), ("b", 0)]
    assert [*count_confusions(groups).items()] == [
        (("sense", "sleep-01", "sleep-02"), {"a": 2, "b": 1}),
        (("concept", "now", "today"), {"a": 1}),
        (("core role", ":ARG0", ":ARG2-of"), {"a": 1}),
        (("other role", ":time", ":mod"), {"a": 1}),
    ]
    assert count_confusions(groups, most=0) == {}


def test_places_where_all_parsers_contradict_the_gold():
    gold = ["(s / sleep-01 :ARG0 (c / cat) :polarity - :quant 2)"] * 3
    a = [
        gold[0].replace(" :polarity -", "").replace("quant 2", "quant 3"),
        gold[1].replace("sleep-01", "sleep-02").replace("cat", "dog"),
        gold[2].replace(":ARG0", ":ARG1"),
    ]
    b = [
        a[0].replace("quant 3", "quant 4"),  # another constant
        a[1].replace("dog", "cow"),  # another concept
        a[2],
    ]
    mistakes = mistakes_of(scored(gold, a=a, b=b))
    agreements = find_agreements([*mistakes.values()])
    assert [(c.pair, c.construction, c.gold_text, c.parse_text) for c in agreements] == [
        (0, "negation", "sleep-01 :polarity -", ""),
        (1, "sense", "sleep-01", "sleep-02"),
        (2, "core role", "sleep-01 :ARG0 cat", "sleep-01 :ARG1 cat"),
    ]
    assert find_agreements([mistakes["a"]]) == []
    constant = find_agreements([mistakes["a"], mistakes["a"]])[1]
    assert (constant.pair, constant.construction) == (0, "constant")
    assert (constant.gold, constant.parse) == (":quant 2", ":quant 3")
    assert (constant.gold_text, constant.parse_text) == ("sleep-01 :quant 2", "sleep-01 :quant 3")


CAT, DOG = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))"
LARGE = f"{GOLD[0][:-2]} :location (h / hut)))"
BROKEN = "(s / sleep-01"


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
class TestLeftOut:
    """Parsers that lack sentences: with on_error=nan, a graph that cannot be read is left out."""

    def score(self, gold, **parsers):
        return bamboo.score(parsers, gold, on_error="nan", **SETTINGS)

    def test_costs_are_those_of_common_sentences(self):
        """On pairs 0 and 2, both lose 2 of 8 + 12 triples; `a` also has the 8 of pair 1."""
        gold = [CAT, CAT, f"{CAT[:-1]} :time (n / now))"]
        wrong = gold[2].replace("cat", "dog")
        report = self.score(gold, bad=[CAT, BROKEN, wrong], a=[CAT, CAT, wrong])
        assert [report[name].score for name in ("bad", "a")] == [9 / 10, 13 / 14]
        first, second, hard = sentences_to_read(report.by_parser, ["a", "bad"])
        assert (first.sentences, second.sentences) == ((), ())
        ((position, cost),) = hard.sentences
        assert (position, cost) == (2, pytest.approx(-2 / 20))

    def test_what_two_parsers_gain_adds_up_to_their_difference(self):
        """Pair 2 is left out for the third parser only."""
        report = self.score(
            [CAT] * 4, a=[CAT, CAT, DOG, CAT], b=[DOG, BROKEN, CAT, CAT], c=[DOG, CAT, BROKEN, DOG]
        )
        first, second, _ = sentences_to_read(report.by_parser, ["a", "b"])
        (row,) = compare_ranked(report.board, ["a", "b"])
        # Of 8 triples in each of pairs 0, 2 and 3: 2 for each dog.
        assert [*first.sentences, *second.sentences] == [
            (0, pytest.approx(2 / 24)),
            (2, pytest.approx(2 / 24)),
        ]
        assert row.value == pytest.approx(2 / 24 - 2 / 24)
        _, _, hard = sentences_to_read(report.by_parser, ["a", "b", "c"])
        # All have pairs 0 and 3: two dogs in pair 0, one in pair 3.
        assert hard.sentences == ((0, pytest.approx(-4 / 16 / 3)), (3, pytest.approx(-2 / 16 / 3)))

    def test_a_parser_is_identical_only_if_all_graphs_are(self):
        report = self.score([CAT] * 3, a=[CAT, CAT, BROKEN], b=[BROKEN, DOG, CAT], c=[CAT] * 3)
        assert rank_parsers(report.by_parser, report.board) == {
            "a": (1, 2),
            "b": (1, 2),
            "c": (0, 0),
        }
        identical = [notice for notice in report.verdict.notices if notice.kind == "identical"]
        assert [notice.parser for notice in identical] == ["c"]

    def test_notices_and_evidence_say_what_is_left_out(self):
        report = self.score([CAT] * 3, a=[CAT, BROKEN, DOG], b=[CAT, DOG, DOG])
        verdict = report.verdict
        texts = [notice.text for notice in verdict.notices if notice.kind == "missing"]
        assert len(texts) == 2
        assert texts[0].startswith("a: 1 of 3 pairs is missing and left out of every score (")
        assert texts[1].startswith("a and b are compared on the 2 pairs for which both have a ")
        assert "(smatch_1.0, 2 sentences for a and 3 for b)." in verdict.lead[0]
        notes = "\n".join(note for table in report.tables() for note in table.notes)
        assert [notes.count(text.removesuffix(".")) for text in texts] == [1, 1]

    def test_a_difference_that_is_not_seen_is_about_common_sentences(self):
        gold = [CAT] * 12
        parsers = {"a": [BROKEN, DOG, *gold[2:]], "b": [CAT, CAT, DOG, *gold[3:]]}
        assert (
            " With 11 sentences, a true difference below "
            in self.score(gold, **parsers).verdict.lead[0]
        )

    def test_scores_without_short_graphs_are_of_common_sentences(self):
        """Of pairs 5 and 6, which are not short, all parsers have pair 5."""
        wrong = LARGE.replace("hut", "house")
        stumps = ["(c / cat)"] * 5
        report = self.score([LARGE] * 7, a=[*stumps, LARGE, wrong], b=[wrong] * 6 + [BROKEN])
        (notice,) = [notice for notice in report.verdict.notices if notice.kind == "half"]
        # The wrong graph has 10 of 11 triples.
        assert notice.text.endswith("On the other 1 sentence: b 90.9, a 100.0.")
