"""The published cases: matched / parsed / gold tuples and F1 of every metric."""

import re

import pytest

from metrics import pair_up
from metrics.camr import (
    AlignSmatch,
    CamrSmatch,
    ConceptSmatch,
    facts,
    format_text,
    format_tuples,
    parse_camr,
    read_camr,
    subscores,
)

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
    shown = {name: [counts(scores, k) for k in (0, 1)] for name, scores in result.items()}
    assert shown == {
        "CA": ["11/12/12", "12/15/14"],
        "RA": ["0/0/1", "0/0/1"],
        "IC": ["1/1/2", "4/4/5"],
    }


def test_full_concepts_at_end_points(sample, monkeypatch):
    monkeypatch.setattr(facts, "SENSE", re.compile("(?!)"))
    scores = AlignSmatch(fix="all", mode="camrp2022").evaluate(sample)
    assert scores.details["matches"].tolist() == [32, 42]


def test_paper_mode_counts_the_string_of_a_name(sample):
    scores = AlignSmatch(fix="all", mode="paper").evaluate(sample)
    assert [counts(scores, k) for k in (0, 1)] == ["32/38/43", f"{42 + 1}/{53 + 1}/{53 + 1}"]


def unix(path):
    return path.read_bytes().decode("utf-8").replace("\r", "").strip()


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
    assert format_tuples(graphs).strip() == unix(camr_cases / tuples)
    back = read_camr(camr_cases / tuples, lengths=camr_cases / "len_all.txt")
    assert back == graphs
    written = format_text(graphs)
    assert written.split() == unix(camr_cases / text).split()
    assert parse_camr(written) == graphs


def test_a_published_tuple_file_is_rewritten_byte_for_byte(camr_cases):
    path = camr_cases / "sample_gold_amr.txt"
    assert format_tuples(read_camr(path)).strip() == unix(path)
