"""Scores of our own sentences, worked out by hand, and what comes with a score."""

from pathlib import Path

import numpy as np
import pytest

from metrics import Pair, pair_up
from metrics.alignment.exact import Exact
from metrics.camr import (
    AlignSmatch,
    CamrSmatch,
    ConceptSmatch,
    parse_camr,
    subscores,
)
from metrics.camr.draft import Sentence

ROOT = Path(__file__).parents[3]
MODES = ("paper", "camrp2022")
CLASSES = (CamrSmatch, ConceptSmatch, AlignSmatch)


@pytest.fixture
def pairs(parsed, gold):
    return pair_up(parsed, gold)


def counts(metric, pairs):
    """Matched, parsed and gold of each pair."""
    details = metric.evaluate(pairs).details
    columns = [details[name].tolist() for name in ("matches", "src_total", "tgt_total")]
    return list(zip(*columns, strict=True))


def test_smatch_by_hand(pairs):
    # Sentence 1. gold: 9 nodes, 8 relations, op1 of the name, top. The parse lacks 本 and its
    # relation; its 借-02 is no 借-01.
    first = (9 - 1 - 1 + 7 + 1 + 1, 8 + 7 + 1 + 1, 9 + 8 + 1 + 1)
    # Sentence 2. gold: 7 nodes, 6 relations, op1 and op2, top. Parse: 5 nodes, 5 relations, top.
    # 4 nodes, 4 of the relations (自己 is 学生 here) and the top match.
    second = (4 + 4 + 1, 5 + 5 + 1, 7 + 6 + 2 + 1)
    assert counts(CamrSmatch(), pairs)[:2] == [first, second]
    corpus = CamrSmatch().corpus(CamrSmatch().evaluate(pairs[:2]))
    assert corpus["precision"] == (16 + 9) / (17 + 11)
    assert corpus["recall"] == (16 + 9) / (19 + 16)
    assert corpus["f1"] == 2 * (16 + 9) / (17 + 11 + 19 + 16)
    assert "f1_upper" not in corpus  # both alignments are proven


def test_concept_and_align_smatch_by_hand(pairs):
    # 7 and 8 anchors; 在 is not 在里.
    assert counts(ConceptSmatch(), pairs)[0] == (16 + 7, 17 + 7, 19 + 8)
    assert counts(AlignSmatch(), pairs)[0] == (16 + 7, 17 + 7 + 1, 19 + 8 + 1)


def test_fix_by_hand(pairs):
    # Five relations start at 借-02: only :name and :quant stay. TOP matches unless all is fixed.
    assert counts(CamrSmatch(fix="relations"), pairs)[0] == (16 - 5, 17, 19)
    assert counts(CamrSmatch(fix="all"), pairs)[0] == (16 - 5 - 1, 17, 19)


def test_camrp2022_by_hand(pairs):
    # The name is one tuple less, and 借-02 ends like 借-01 in relations but not in the top.
    assert counts(CamrSmatch(fix="relations", mode="camrp2022"), pairs)[0] == (15, 16, 18)
    assert counts(CamrSmatch(fix="all", mode="camrp2022"), pairs)[0] == (15 - 1, 16, 18)
    # gold's coref(自己, 学生) is one more relation, its name two tuples less.
    assert counts(CamrSmatch(mode="camrp2022"), pairs)[1][2] == 16 + 1 - 2


def test_sub_scores_by_hand(pairs):
    result = subscores(pairs)
    shown = {
        name: list(
            zip(*(scores.details[c] for c in ("matches", "src_total", "tgt_total")), strict=True)
        )
        for name, scores in result.sentences.items()
    }
    assert shown == {
        "CA": [(6, 7, 8), (4, 5, 6), (6, 7, 9)],
        "RA": [(0, 1, 1), (0, 1, 1), (0, 0, 0)],
        "IC": [(1, 1, 1), (0, 0, 1), (1, 2, 2)],
    }
    assert result.sentences["RA"].values.tolist() == [0, 0, 1]  # nothing on either side
    assert result.sentences["CA"].values[0] == 2 * 6 / (7 + 8)
    assert result.corpus["CA"] == {
        "precision": 16 / 19,
        "recall": 16 / 23,
        "f1": pytest.approx(2 * 16 / (19 + 23)),
    }


def test_a_name_differs_between_the_modes(pairs):
    # 北京大学 of the parse is the joined name of camrp2022; in the paper's graph it is "name".
    result = [subscores(pairs, mode).sentences["CA"].details["matches"][1] for mode in MODES]
    assert result == [4, 5]


def test_sub_scores_of_no_pairs():
    assert subscores([]).sentences["CA"].values.shape == (0,)


def test_sub_scores_count_repeated_items():
    twice, once = parse_camr(
        "# ::wid x1_大 x2_大\n(x9 / and :op1() (x10 / thing) :op2() (x11 / thing))\n\n"
        "# ::wid x1_大 x2_大\n(x9 / and :op1() (x10 / thing))"
    )
    implicit = subscores(pair_up([twice], [once])).sentences["IC"]
    assert implicit.values[0] == 2 * 2 / (3 + 2)


def things(*edges):
    """A graph of nodes of the same concept, which only its relations tell apart."""
    rows = ["1 x0 root - :top - - x20 thing -"]
    rows += [f"1 x{20 + a} thing - :mod - - x{20 + b} thing -" for a, b in edges]
    return "\n".join(row.replace(" ", "\t") for row in rows)


def test_a_limited_solver_gives_bounds_of_the_corpus_score(pairs):
    cube = [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (3, 7)]
    ring = [(k, (k + 1) % 8) for k in range(8)] + [(0, 4), (2, 6)]
    lengths = {"1": Sentence(9)}
    hard = [
        *parse_camr(things(*cube), lengths=lengths),
        *parse_camr(things(*ring), lengths=lengths),
    ]
    pairs = [*pairs, Pair(*hard)]
    limited = AlignSmatch(solver=Exact(root_rounds=1, node_limit=0))
    scores = limited.evaluate(pairs)
    best = AlignSmatch().corpus(AlignSmatch().evaluate(pairs))
    assert not scores.details["optimal"][-1]
    corpus = limited.corpus(scores)
    assert corpus["f1"] <= best["f1"] <= corpus["f1_upper"]
    assert corpus["f1"] < corpus["f1_upper"]
    assert set(best) == {"precision", "recall", "f1"}
    columns = [scores.details[name] for name in ("upper_bound", "src_total", "tgt_total")]
    most = np.minimum.reduce(columns).sum()
    assert corpus["f1_upper"] == pytest.approx(2 * most / sum(c.sum() for c in columns[1:]))


def test_explanation_in_chinese_with_anchors(pairs):
    result = AlignSmatch(fix="all").explain(pairs[1])
    assert {(link.src, link.tgt) for link in result.links} >= {("x5", "x5"), ("x4", "x4")}
    texts = [str(a) for a, _, _ in result.matched]
    assert "anchor(x4/学生, 4)" in texts
    assert ":arg0(x5/说-01, x4/学生)" in texts
    assert "instance(x7/喜欢-01, 喜欢-01)" in texts
    assert "的/x3(x4/学生, x1_x2/北京大学)" in map(str, result.unmatched_src)
    assert ":op2(x1_x2/name, 大学)" in map(str, result.unmatched_tgt)
    assert result.score == AlignSmatch(fix="all").score(pairs[1:2])[0]
    assert result.optimal
