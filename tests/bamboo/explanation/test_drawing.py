"""The drawing of `explain` and its table of matches."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from amr_metrics import Graph, Pair, Smatch, parse_graph
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.explanation import Explanation, Link
from amr_metrics.graphs.graph import Relation
from bamboo.display.table import render
from bamboo.explanation.drawing import draw
from bamboo.explanation.explained import ExplainedPair

PAIR = Pair(
    parse_graph("(w / want-01 :polarity - :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))"),
    parse_graph("(w / want-01 :ARG0 (b / girl) :ARG1 (g / go-02 :ARG1 b))"),
)
CAT = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
SVG = "{http://www.w3.org/2000/svg}"


def test_unmatched_parts_are_marked():
    drawing = draw(PAIR, Smatch().explain(PAIR), "title")
    assert re.findall(r'<tspan class="concept unmatched">([^<]*)<', drawing) == [
        "-",
        "b / boy",
        "b / girl",
    ]
    assert re.findall(r'class="role unmatched"[^>]*>([^<]*)<', drawing) == [
        ":polarity",
        ":ARG0",  # the re-entrant edges
        ":ARG1",
    ]
    assert drawing.count('class="tree unmatched"') == 1
    assert drawing.count('class="again unmatched"') == 2
    assert drawing.count('class="root matched"') == 2


def test_the_drawing_shows_the_sentences_if_there_are_any_and_the_score():
    src = parse_graph("# ::snt A cat <sleeps>.\n(s / sleep-01 :ARG0 (c / cat))")
    pairs = [Pair(src, PAIR.tgt), PAIR]
    drawings = [draw(pair, Smatch().explain(pair), "title") for pair in pairs]
    heads = [re.findall(r'class="head"[^>]*>([^<]*)<', drawing) for drawing in drawings]
    assert heads == [["src: A cat &lt;sleeps&gt;.", "score: 0.1818"], ["score: 0.6667"]]


@pytest.mark.parametrize(("concept", "width"), [("cat", 7 * 7.85), ("睡觉", 4 * 7.85 + 2 * 13)])
def test_a_link_begins_behind_its_line(concept, width):
    """Of "c / cat", or of Chinese letters, which are about as wide as they are high."""
    graph = parse_graph(f"(c / {concept})")
    drawing = draw(Pair(graph, graph), Smatch().explain(Pair(graph, graph)), "title")
    start = re.search(r'class="link" [^>]* d="M([\d.]+)', drawing)[1]
    text = re.search(r'<text x="([\d.]+)"', drawing)[1]
    assert float(start) == pytest.approx(float(text) + width + 8, abs=0.1)


def test_wider_links_have_more_weight():
    """From 0.8 to 4, in proportion to the heaviest: 0.8 + 3.2 / 2 for half its weight."""
    links = (Link("s", "s", 0.5, 0.0), Link("c", "c", 0.25, 0.0))
    drawing = draw(Pair(CAT, CAT), Explanation(0.5, links), "title")
    assert re.findall(r'stroke-width="(\d\.\d+)"', drawing) == ["4.00", "2.40"]


def test_the_places_of_lines_roots_and_further_edges():
    """Further edges of src begin before the texts, and those of tgt behind them, 6 pixels apart."""
    drawing = ElementTree.fromstring(draw(PAIR, Smatch().explain(PAIR), "title"))
    lines = []
    for text in drawing.iter(f"{SVG}text"):
        if "class" not in text.attrib:
            x, y = float(text.get("x")), float(text.get("y")) - 4
            lines.append(([x - 6, y], [x + 7.85 * len("".join(text.itertext())) + 6, y]))
    boy, go, _, girl, gone = lines[2:]  # after want-01 and its :polarity; before girl, want-01
    heights = [place[1] for place, _ in lines]
    assert [np.diff(side).tolist() for side in (heights[:4], heights[4:])] == [[26] * 3, [26] * 2]
    paths = {}
    for path in drawing.iter(f"{SVG}path"):
        numbers = [*map(float, re.findall(r"[\d.]+", path.get("d")))]
        paths.setdefault(path.get("class"), []).append(numbers)
    # A root's triangle is 10 high.
    assert [numbers[1] + 5 for numbers in paths["root matched"]] == [heights[0], heights[4]]
    src, tgt = paths["again unmatched"]
    assert src[:2] + src[-2:] == pytest.approx(go[0] + boy[0], abs=0.2)
    assert tgt[:2] + tgt[-2:] == pytest.approx(gone[1] + girl[1], abs=0.2)


def test_the_drawing_is_well_formed_xml_whatever_the_texts():
    hidden = "\x1b\x00\x0c\x7f\ufffe\uffff"
    labels = ("dog", f"cat{hidden}")
    src = Graph(("a", "b"), labels, (), (Relation("a", f":r{hidden}", "b"),), "a", {"snt": hidden})
    drawing = draw(Pair(src, src), Smatch().explain(Pair(src, src)), f"{hidden}\ud800")
    text = "".join(ElementTree.fromstring(drawing).itertext())
    assert r"b / cat\u001b\u0000\u000c\u007f\ufffe\uffff" in text
    assert r"\uffff\ud800" in text


def list_keys(drawing):
    return re.findall(r'<text class="key"[^>]*>([^<]*)<', drawing)


def test_the_legend_names_what_occurs():
    same = Pair(CAT, CAT)
    assert list_keys(draw(same, Smatch().explain(same), "title")) == [
        "aligned; wider: more weight",
        "root",
    ]
    keys = list_keys(draw(PAIR, Smatch().explain(PAIR), "title"))
    assert keys[1:] == [
        "further edge to a node named before",
        "root",
        "orange, dotted or in italics: counted by the metric, not matched",
    ]


@pytest.mark.parametrize("word", ["cats ", "\u732b"])
def test_long_sentences_are_wrapped(word):
    """The least width is 480, of which 420 are for text: 52 letters, or 26 that are wide."""
    text = (word * 100).strip()
    graph = replace(CAT, metadata={"snt": text})
    drawing = draw(Pair(graph, CAT), Smatch().explain(Pair(graph, CAT)), "title")
    *lines, _ = re.findall(r'class="head"[^>]*>([^<]*)<', drawing)
    width = float(re.search(r'width="(\d+)"', drawing)[1])
    letter = 8 if word.isascii() else 16
    assert max(map(len, lines)) * letter <= width - 60
    assert "".join(lines).replace(" ", "") == f"src:{text}".replace(" ", "")


def test_a_metric_without_triples_marks_nothing():
    drawing = draw(PAIR, Explanation(0.5, ()), "title")
    assert list_keys(drawing) == ["further edge to a node named before"]
    assert not re.search(r'class="[^"]*matched', drawing)


def test_the_table_of_matches_gives_the_score():
    explained = ExplainedPair.of("title", Smatch(), PAIR)
    text = render(explained.tables(), "table")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    for line in ("concepts 2 3 3", "attributes 0 1 0", "relations 2 3 3", "all 5 8 7"):
        assert line in lines
    assert "F1: 2 * 5 / (8 + 7) = 0.6667" in lines
    assert explained.score == pytest.approx(10 / 15)
    assert explained.to_json()["matches"][0] == {
        "kind": "concepts", "matched": 2, "weight": 2.0, "src": 3, "tgt": 3,
    }  # fmt: skip


def test_weights_are_shown_where_they_matter():
    text = render(ExplainedPair.of("title", WSmatch(), PAIR).tables(), "table")
    assert "weight of matches" in text
    assert "the counts alone do not give the score" in text
