"""Of numbers that are equal as they are shown, none is bold alone."""

import re

import pytest

import bamboo

MODIFIERS = " ".join(f":mod (m{k} / m{k})" for k in range(18))
GRAPH = f"(a / sleep-01 :ARG0 (b / boy {MODIFIERS}))"  # 40 triples
GOLD = [GRAPH] * 120
WRONG = GRAPH.replace("boy", "girl")
# One and two wrong triples of 4,800: F1 99.979 and 99.958, both shown as 100.0.
PARSERS = {"one": [WRONG, *GOLD[1:]], "two": [WRONG] * 2 + GOLD[2:], "all": [WRONG] * 120}


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
    (scores, *_) = report.tables(digits=2)  # 99.98 and 99.96
    assert find_bold(scores.to_markdown()) == ["one"]


def test_in_the_report(scored):
    _, html = scored
    ranking = html.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr>.*?</tr>", ranking, re.DOTALL)
    bold = [re.search(r'class="who \w+">(\w+)<', row)[1] for row in rows if "<b>100.0</b>" in row]
    assert bold == ["one", "two"]
