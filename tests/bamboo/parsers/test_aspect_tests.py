"""Tests of the difference of parsers on each aspect, against exact enumeration."""

import itertools
import json

import numpy as np
import pytest
from harness import SAMPLE, noisy

import bamboo
from amr_metrics import SmatchPP
from amr_metrics.base import Scores
from bamboo.board import Board, Difference
from bamboo.parsers.layout import count_tests, describe_tests
from bamboo.parsers.systems import EMPTY, compare_systems, corpus_statistics
from bamboo.statistics.resampling import SystemTests

GOLD = SAMPLE / "main" / "src.test.amr"
DRAWS = SystemTests(20, seed=3, permutations=2000)


def aspect(matches, src, tgt, scored=None):
    """Scores of an aspect from its counts per pair."""
    counts = {"matches": matches, "src_total": src, "tgt_total": tgt, "upper_bound": matches}
    columns = {key: np.array(values, float) for key, values in counts.items()}
    occurs = columns["src_total"] + columns["tgt_total"] > 0
    columns |= {name: np.full(len(matches), 0.5) for name in ("precision", "recall")}
    columns["optimal"] = np.ones(len(matches), bool)
    scored = np.ones(len(matches), bool) if scored is None else np.array(scored, bool)
    values = np.where(scored, np.where(occurs, 0.5, 1.0), np.nan)
    return Scores(values, {**columns, EMPTY: ~occurs})


def compare(parts, draws=DRAWS):
    return compare_systems("smatchpp", "aspect", corpus_statistics(SmatchPP()), parts, draws)


def exact_p(a, b):
    """The share of all exchanges of the pairs' counts with a difference at least as large."""

    def difference(swap):
        sides = []
        for first, second in ((a, b), (b, a)):
            counts = [
                np.where(swap, second.details[key], first.details[key]).sum()
                for key in ("matches", "src_total", "tgt_total")
            ]
            sides.append(2 * counts[0] / (counts[1] + counts[2]))
        return sides[0] - sides[1]

    count = len(a.values)
    observed = abs(difference(np.zeros(count, bool)))
    swaps = itertools.product([False, True], repeat=count)
    return np.mean([abs(difference(np.array(swap))) >= observed - 1e-12 for swap in swaps])


COUNTS_A = np.array([[3, 2, 4, 1, 2, 5, 0], [4, 2, 4, 2, 2, 6, 0], [4, 3, 5, 2, 2, 5, 0]])
COUNTS_B = np.array([[1, 2, 1, 1, 0, 3, 0], [4, 2, 4, 2, 2, 6, 0], [4, 3, 5, 2, 2, 5, 0]])
A, B = aspect(*COUNTS_A), aspect(*COUNTS_B)


def test_p_is_the_share_of_exchanges_at_least_as_extreme():
    board = compare({"ner": {"a": A, "b": B}})
    f1 = board.select(score="f1").scores
    assert [(row.system, row.pairs, row.left_out) for row in f1] == [("a", 6, 1), ("b", 6, 1)]
    (difference,) = board.differences
    assert difference.pairs == 6  # the aspect does not occur in the last pair
    assert difference.value == pytest.approx(2 * 17 / 41 - 2 * 8 / 41)
    assert difference.p == pytest.approx(exact_p(A, B), abs=0.03)
    assert difference.p_adjusted == difference.p
    assert compare({"ner": {"a": A, "b": B}}).differences[0].p == difference.p


def test_equal_parsers_do_not_differ():
    (difference,) = compare({"ner": {"a": A, "b": A}}).differences
    assert (difference.value, difference.p) == (0.0, 1.0)


def test_only_pairs_with_a_score_of_both_parsers_are_compared():
    a_has, b_has = np.array([1, 1, 0, 1, 1, 1, 1], bool), np.array([1, 1, 1, 1, 1, 1, 0], bool)
    systems = {"a": aspect(*COUNTS_A, a_has), "b": aspect(*COUNTS_B, b_has)}
    (difference,) = compare({"ner": systems}).differences
    both = a_has & b_has
    alone = {"a": aspect(*COUNTS_A[:, both]), "b": aspect(*COUNTS_B[:, both])}
    (expected,) = compare({"ner": alone}).differences
    assert (difference.pairs, difference.value) == (5, expected.value)
    assert difference.p == pytest.approx(expected.p, abs=0.03)  # other pairs are swapped


def test_an_aspect_of_one_parser_or_one_pair_is_not_tested():
    nowhere = aspect([0, 0], [0, 0], [0, 0])
    spurious = aspect([0, 0], [3, 1], [0, 0])
    once = [aspect([k, 0], [2, 0], [2, 0]) for k in (2, 1)]
    board = compare(
        {"time": {"a": nowhere, "b": spurious}, "wiki": dict(zip("ab", once, strict=True))}
    )
    time, wiki = board.differences
    assert np.isnan([time.value, time.p, time.p_adjusted]).all()
    assert wiki.value == 0.5
    assert np.isnan([wiki.p, wiki.p_adjusted]).all()
    best, worse = (board.compare_with_best("smatchpp", "aspect", "wiki", name) for name in "ab")
    assert best == ("a", None)
    assert (worse[0], worse[1].first, worse[1].value) == ("a", "b", -0.5)
    (nothing,) = board.select(part="time", system="a").scores
    assert (nothing.score, nothing.pairs, nothing.left_out) == ("f1", 0, 2)
    assert np.isnan(nothing.value)
    assert describe_tests(board, "aspect", 2000) == []


@pytest.fixture(scope="module")
def parsers(tmp_path_factory):
    folder, shares = tmp_path_factory.mktemp("parsers"), (("good", 0.05), ("alike", 0.06))
    shares = (*shares, ("poor", 0.5))
    return ",".join(str(noisy(folder / f"{n}.amr", s, k)) for k, (n, s) in enumerate(shares))


def test_score_compares_parsers_on_each_aspect(cli, parsers):
    options = ("metric=smatchpp", "aspects=[concept,srl,maths]", "permutations=2000")
    files = (f"src=[{parsers}]", f"tgt={GOLD}")
    document = cli("score", *files, *options, "report=json").json
    rows = {
        (row["aspect"], parser["parser"]): row
        for parser in document["parsers"]
        for row in parser["aspects"]
    }
    assert "best" not in rows["maths", "good"]  # occurs in no pair
    for name in ("concept", "srl"):
        best = rows[name, "poor"]["best"]
        assert best in ("good", "alike")
        assert rows[name, best]["versus_best"] is None
        versus = rows[name, "poor"]["versus_best"]
        assert versus["p_adjusted"] >= versus["p"]
        difference = rows[name, "poor"]["corpus"]["f1"] - rows[name, best]["corpus"]["f1"]
        assert versus["f1"] == pytest.approx(difference)
    assert rows["concept", "poor"]["versus_best"]["p_adjusted"] < 0.05
    text = cli("score", *files, *options).out
    assert "over all aspects and pairs of parsers: 6 tests" in text
    lines = [line.split() for line in text.partition("\nAspects, F1 (x 100)\n")[2].splitlines()]
    assert ["parser", "concept", "srl", "maths"] in lines
    poor = next(line for line in lines if line[:1] == ["poor"])
    assert poor[2].startswith("*")


def test_p_values_are_corrected_for_all_aspects_and_pairs_of_parsers():
    rng = np.random.default_rng(0)
    count = 30
    parts = {
        name: {
            parser: aspect(rng.integers(0, 4, count), np.full(count, 4), np.full(count, 4))
            for parser in ("a", "b", "c")
        }
        for name in ("x", "y", "z")
    }
    parts["z"]["c"] = aspect(rng.integers(1, 5, count), np.full(count, 4), np.full(count, 4))
    board = compare(parts, SystemTests(100))
    assert count_tests(board) == 9
    p, adjusted = np.array([(row.p, row.p_adjusted) for row in board.differences]).T
    assert (adjusted >= p).all()
    # Three tests of an aspect depend on each other.
    assert p.min() < 0.01
    assert 3 * p.min() < adjusted[p.argmin()] < 8.5 * p.min()


def test_too_few_permutations_are_noted():
    row = Difference("m", "aspect", "ner", "a", "b", 9, "f1", 0.5, p=0.01, p_adjusted=0.1)
    board = Board((), (row,) * 10)
    notes = describe_tests(board, "aspect", 19)
    assert notes[0].endswith("over all aspects and pairs of parsers: 10 tests)")
    assert "Use 20 or more (permutations=20)" in notes[1]
    # The smallest p-value is 1 / 21, which is below .05.
    assert len(describe_tests(board, "aspect", 20)) == 1


def test_a_single_parser_is_not_compared(cli, parsers):
    first = parsers.split(",")[0]
    options = ("metric=smatchpp", "aspects=[concept]", "resamples=20", "report=json")
    document = cli("score", f"src={first}", f"tgt={GOLD}", *options).json
    keys = {"aspect", "compared", "pairs", "left_out", "corpus", "interval"}
    assert document["aspects"][0].keys() == keys


def test_aspects_of_similar_names_say_what_they_compare():
    texts = ["(s / sleep-01 :polarity - :ARG0 (c / cat))"] * 2
    parsers = {"a": texts, "b": ["(s / sleep-01)", texts[0]]}
    names = ["polarity", "negation"]
    similar = bamboo.score(parsers, texts, "smatchpp", aspects=names, permutations=10)
    polarity = ":polarity edges with the negated concepts"
    negation = "list of the concepts with :polarity, without edges"
    for text, times in (
        (str(similar), 1),
        (json.dumps(similar.to_json()), 2),  # once for each parser
        (similar.to_markdown(), 0),
        (similar.to_csv(), 0),
    ):
        assert text.count(polarity) == text.count(negation) == times
    options = {"aspects": "negation", "aspects_definition": "amrlib", "permutations": 10}
    assert negation not in str(bamboo.score(parsers, texts, **options))  # it is another negation
