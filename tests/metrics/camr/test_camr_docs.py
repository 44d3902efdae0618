"""The pages on Chinese AMR: their code runs, and their tables are what the files score."""

import doctest
import re
from pathlib import Path

import pytest

from metrics import pair_up
from metrics.camr import AlignSmatch, CamrSmatch, ConceptSmatch, read_camr, subscores

DOCS = Path(__file__).parents[3] / "docs"
PAGES = ("camr.md", "camr.zh.md")
CLASSES = {
    "camr_smatch": CamrSmatch,
    "concept_smatch": ConceptSmatch,
    "align_smatch": AlignSmatch,
}
NUMBERS = r"(\d+) / (\d+) / (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|"
SCORE = re.compile(
    rf"\| `metric=(\w+)(?: metric\.fix=(\w+))?(?: metric\.mode=(\w+))?` \| {NUMBERS}"
)
SUBSCORE = re.compile(rf"\| (CA|RA|IC) \| {NUMBERS}")


@pytest.fixture(params=PAGES)
def page(request):
    return (DOCS / request.param).read_text("utf-8")


def test_code_runs(page):
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, "page", "page", 0)
    outcome = doctest.DocTestRunner().run(test)
    assert outcome.attempted > 20
    assert outcome.failed == 0


@pytest.fixture(params=["gold.txt", "gold_tuples.txt"])
def pairs(request, data):
    sentences = data / "sentences.txt"
    return pair_up(
        read_camr(data / "parsed.txt"), read_camr(data / request.param, lengths=sentences)
    )


def test_scores_of_the_example_sentences(page, pairs):
    rows = SCORE.findall(page)
    assert len(rows) == 7
    for name, fix, mode, *numbers in rows:
        metric = CLASSES[name](fix=fix or "none", mode=mode or "paper")
        scores = metric.evaluate(pairs)
        corpus = metric.corpus(scores)
        assert numbers == shown(scores, corpus), name


def test_sub_scores_of_the_example_sentences(page, pairs):
    result = subscores(pairs)
    rows = SUBSCORE.findall(page)
    assert [name for name, *_ in rows] == ["CA", "RA", "IC"]
    for name, *numbers in rows:
        assert numbers == shown(result.sentences[name], result.corpus[name]), name


def shown(scores, corpus):
    """Counts and scores as the tables print them."""
    counts = [f"{scores.details[n].sum():g}" for n in ("matches", "src_total", "tgt_total")]
    return counts + [f"{corpus[n]:.4f}".lstrip("0") for n in ("precision", "recall", "f1")]


def test_both_pages_have_the_same_code():
    blocks = [
        re.findall(r"```\w+\n(.*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)
        for name in PAGES
    ]
    assert blocks[0] == blocks[1]
