"""Of numbers that are equal as they are shown, none is bold alone."""

import re

import pytest

import bamboo

MODIFIERS = " ".join(f":mod (m{k} / m{k})" for k in range(18))
GRAPH = f"(a / sleep-01 :ARG0 (b / boy {MODIFIERS}))"  # 40 triples
GOLD = [GRAPH] * 38
WRONG = GRAPH.replace("boy", "girl")
# 13 and 14 wrong triples of 1,520: F1 99.145 and 99.079, both shown as 99.1.
COUNTS = {"one": 13, "two": 14, "all": 38}
PARSERS = {name: [WRONG] * count + GOLD[count:] for name, count in COUNTS.items()}


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    pages = tmp_path_factory.mktemp("report") / "pages"
    options = {"resamples": 50, "permutations": 99}
    report = bamboo.score(PARSERS, GOLD, **options, pages=pages)
    return report, (pages / "index.html").read_text("utf-8")


def find_bold(markdown):
    rows = re.findall(r"^\| (\w+) \|(.*)\|$", markdown.partition("\n\n")[2], re.MULTILINE)
    return [name for name, rest in rows if "**" in rest]


def test_in_tables(scored):
    report, _ = scored
    (scores, *_) = report.tables()
    assert find_bold(scores.to_markdown()) == ["one", "two"]
    (scores, *_) = report.tables(digits=2)  # 99.14 and 99.08
    assert find_bold(scores.to_markdown()) == ["one"]


def test_in_the_report(scored):
    _, html = scored
    ranking = html.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr>.*?</tr>", ranking, re.DOTALL)
    bold = [re.search(r'class="who \w+">(\w+)<', row)[1] for row in rows if "<b>99.1</b>" in row]
    assert bold == ["one", "two"]
