"""Matched / parsed / gold tuples and F1 of every metric, of published cases and by hand."""

import numpy as np
import pytest

from amr_metrics import Pair, pair_up
from amr_metrics.alignment.exact import Exact
from amr_metrics.camr import (
    AlignSmatch,
    CamrSmatch,
    ConceptSmatch,
    parse_camr,
    read_camr,
    subscores,
)
from amr_metrics.camr.draft import Sentence

MODES = ("paper", "camrp2022")
FORMS = ("camr.txt", "tup")
COLUMNS = {
    "Smatch": (CamrSmatch, "none"),
    "FIX1": (CamrSmatch, "relations"),
    "FIX": (CamrSmatch, "all"),
    "Concept": (ConceptSmatch, "none"),
    "Concept FIX": (ConceptSmatch, "all"),
    "Align": (AlignSmatch, "none"),
    "Align FIX": (AlignSmatch, "all"),
}
TABLE = {
    ("fig3", "fig4"): "3/8/8 1/8/8 0/8/8 7/12/12 4/12/12 7/12/12 4/12/12 0/4/4 0/0/0 0/0/0",
    ("fig6", "fig7"): (
        "18/25/23 17/25/23 17/25/23 26/33/32 25/33/32 28/36/35 27/36/35 8/8/9 2/3/3 1/3/1"
    ),
    ("fig6b", "fig7"): (
        "18/25/23 17/25/23 17/25/23 26/33/32 25/33/32 27/36/35 26/36/35 8/8/9 1/3/3 1/3/1"
    ),
}


def counts(scores, k=0):
    """Matched / parsed / gold of a pair."""
    columns = ("matches", "src_total", "tgt_total")
    return "/".join(f"{scores.details[name][k]:g}" for name in columns)


def f1(text):
    matched, parsed, gold = map(int, text.split("/"))
    return 2 * matched / (parsed + gold)


def pairs_of(folder, src, tgt, form):
    return pair_up(
        *(read_camr(folder / f"{name}.{form}", lengths=folder / "len.txt") for name in (src, tgt))
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("names", TABLE, ids="-".join)
def test_figures(camr_cases, names, mode, form):
    pairs = pairs_of(camr_cases, *names, form)
    expected = TABLE[names].split()
    for (metric, fix), wanted in zip(COLUMNS.values(), expected, strict=False):
        scores = metric(fix=fix, mode=mode).evaluate(pairs)
        assert (counts(scores), scores.details["optimal"][0]) == (wanted, True)
        assert scores.values[0] == pytest.approx(f1(wanted))
    result = subscores(pairs, mode).sentences
    assert [counts(result[name]) for name in ("CA", "RA", "IC")] == expected[-3:]
    of_metric = AlignSmatch(mode=mode).score_subscores(pairs)
    assert [counts(of_metric[name]) for name in AlignSmatch.subscore_names] == expected[-3:]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "mode", "wanted"),
    [
        ("fig2", "paper", (15, 21, 22)),  # Tables 3 and 4
        ("fig2", "camrp2022", (14, 20, 21)),
        ("readme", "paper", (20, 30, 31)),
        ("readme", "camrp2022", (20, 30, 31)),
    ],
)
def test_a_graph_compared_with_itself(camr_cases, name, mode, wanted, form):
    pairs = pairs_of(camr_cases, name, name, form)
    for metric, total in zip((CamrSmatch, ConceptSmatch, AlignSmatch), wanted, strict=True):
        for fix in ("none", "relations", "all"):
            scores = metric(fix=fix, mode=mode).evaluate(pairs)
            assert counts(scores) == f"{total}/{total}/{total}"


@pytest.fixture
def sample(camr_cases):
    """The tool's sample; its parse has one id with two concepts."""
    return pair_up(
        *(
            read_camr(
                camr_cases / f"sample_{side}_amr.txt",
                lengths=camr_cases / "sample_max_len.txt",
                split=True,
            )
            for side in ("parsed", "gold")
        )
    )


def test_the_sample_of_the_released_tool(sample):
    align, smatch = AlignSmatch(fix="all", mode="camrp2022"), CamrSmatch(mode="camrp2022")
    scores = align.evaluate(sample)
    assert [counts(scores, k) for k in (0, 1)] == ["33/38/43", "46/53/53"]
    assert scores.values.tolist() == pytest.approx([0.814815, 0.867925], abs=1e-6)
    corpus = align.corpus(scores)
    assert corpus["precision"] == pytest.approx(79 / 91)
    assert corpus["recall"] == pytest.approx(79 / 96)
    assert corpus["f1"] == pytest.approx(0.844920, abs=1e-6)
    scores = smatch.evaluate(sample)
    assert [counts(scores, k) for k in (0, 1)] == ["21/26/30", "35/38/38"]
    assert scores.values.tolist() == pytest.approx([0.75, 0.921053], abs=1e-6)
    assert smatch.corpus(scores)["f1"] == pytest.approx(0.848485, abs=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_sub_scores_of_the_sample(sample, mode):
    result = subscores(sample, mode).sentences
    table = {name: [counts(scores, k) for k in (0, 1)] for name, scores in result.items()}
    assert table == {
        "CA": ["11/12/12", "12/15/14"],
        "RA": ["0/0/1", "0/0/1"],
        "IC": ["1/1/2", "4/4/5"],
    }


@pytest.mark.parametrize(
    ("text", "tuples"),
    [("CAMR_text.txt", "CAMR_tuple.txt")]
    + [
        (f"{name}.camr.txt", f"{name}.tup")
        for name in ("fig2", "fig3", "fig4", "fig6", "fig6b", "fig7", "readme")
    ],
)
def test_text_and_tuple_form_give_equal_graphs(camr_cases, text, tuples):
    graphs = read_camr(camr_cases / text)
    assert graphs == read_camr(camr_cases / tuples, lengths=camr_cases / "len_all.txt")


# Our own sentences, worked out by hand


@pytest.fixture
def pairs(parsed, gold):
    return pair_up(parsed, gold)


def triples(metric, pairs):
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
    assert triples(CamrSmatch(), pairs)[:2] == [first, second]
    corpus = CamrSmatch().corpus(CamrSmatch().evaluate(pairs[:2]))
    assert corpus["precision"] == (16 + 9) / (17 + 11)
    assert corpus["recall"] == (16 + 9) / (19 + 16)
    assert corpus["f1"] == 2 * (16 + 9) / (17 + 11 + 19 + 16)
    assert "f1_upper" not in corpus  # both alignments are proven


def test_concept_and_align_smatch_by_hand(pairs):
    # 7 and 8 anchors; 在 is not 在里.
    assert triples(ConceptSmatch(), pairs)[0] == (16 + 7, 17 + 7, 19 + 8)
    assert triples(AlignSmatch(), pairs)[0] == (16 + 7, 17 + 7 + 1, 19 + 8 + 1)


def test_fix_by_hand(pairs):
    # Five relations start at 借-02: only :name and :quant stay. TOP matches unless all is fixed.
    assert triples(CamrSmatch(fix="relations"), pairs)[0] == (16 - 5, 17, 19)
    assert triples(CamrSmatch(fix="all"), pairs)[0] == (16 - 5 - 1, 17, 19)


def test_camrp2022_by_hand(pairs):
    # The name is one tuple less, and 借-02 ends like 借-01 in relations but not in the top.
    assert triples(CamrSmatch(fix="relations", mode="camrp2022"), pairs)[0] == (15, 16, 18)
    assert triples(CamrSmatch(fix="all", mode="camrp2022"), pairs)[0] == (15 - 1, 16, 18)
    # gold's coref(自己, 学生) is one more relation, its name two tuples less.
    assert triples(CamrSmatch(mode="camrp2022"), pairs)[1][2] == 16 + 1 - 2


def test_sub_scores_by_hand(pairs):
    result = subscores(pairs)
    table = {
        name: list(
            zip(*(scores.details[c] for c in ("matches", "src_total", "tgt_total")), strict=True)
        )
        for name, scores in result.sentences.items()
    }
    assert table == {
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


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        (CamrSmatch(), (39, 47, 58)),
        (CamrSmatch(fix="relations"), (33, 47, 58)),
        (CamrSmatch(fix="all"), (31, 47, 58)),
        (ConceptSmatch(), (56, 66, 81)),
        (AlignSmatch(), (57, 68, 83)),
        (AlignSmatch(fix="all"), (49, 68, 83)),
        (AlignSmatch(fix="all", mode="camrp2022"), (54, 67, 81)),
    ],
)
@pytest.mark.parametrize("form", ["gold.txt", "gold_tuples.txt"])
def test_counts_of_three_sentences(data, parsed, metric, wanted, form):
    pairs = pair_up(parsed, read_camr(data / form, lengths=data / "sentences.txt"))
    assert tuple(map(sum, zip(*triples(metric, pairs), strict=True))) == wanted


def test_a_name_differs_between_the_modes(pairs):
    # 北京大学 of the parse is the joined name of camrp2022; in the paper's graph it is "name".
    result = [subscores(pairs, mode).sentences["CA"].details["matches"][1] for mode in MODES]
    assert result == [4, 5]


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
