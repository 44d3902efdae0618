"""Flags of graphs: by hand, as penman decodes the graphs, and on the output of parsers."""

import os
from collections import Counter

import numpy as np
import pytest
from flags_oracle import decode_flags
from hypothesis import given
from hypothesis import strategies as st
from released import shared_file
from strategies import graphs

from amr_metrics import parse_graph, read_graphs
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.reading.writing import format_graph
from amr_metrics.validity import KINDS, Frames, count_triples, find_flags

FRAMES = Frames({"bark-01": {"0": "barker"}, "see-01": {"0": "viewer", "1": "thing viewed"}})


def kinds(text, frames=FRAMES):
    return [flag.kind for flag in find_flags(Corpus.of([parse_graph(text)]), frames)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(b / bark-01 :ARG0 (d / dog :consist-of (m / meat)))", []),
        ("(b / bark-01 :ARG0-of (d / dog))", ["argument of a non-frame"]),
        ("(d / dog :ARG0-of (b / bark-01))", []),
        ("(d / dog :ARG1-of (b / bark-01))", ["argument not in frame"]),
        ("(b / bark-02)", ["unknown sense"]),
        ("(b / Bark-01)", []),
        ("(b / purr-01 :ARG7 (c / cat))", ["unknown frame"]),
        ("(b / bark-101)", []),
        ("(b / bark-101 :ARG0 (d / dog))", ["argument of a non-frame"]),
        ("(s / see-01 :ARG1 (d / dog) :ARG1 (c / cat) :ARG1 (b / bird))", ["core role twice"]),
        ("(s / see-01 :ARG1 (d / dog) :ARG1 d)", ["repeated triple"]),
        ("(s / see-01 :ARG1 (d / dog :ARG1-of s))", ["repeated triple"]),
        ("(d / dog :quant 3 :quant 3 :quant 3)", ["repeated triple", "repeated triple"]),
        ("(d / dog :foo (c / cat) :bar-of (e / cat))", ["unknown role", "unknown role"]),
        (
            "(d / dog :prep-in-front (c / cat) :conj-so c :prep-by-of (e / cat) :wiki - "
            ":compared-to c :range 3)",
            [],
        ),
        ("(n / name)", ["name without :op"]),
        ("(n / name :op1 (x / dog))", []),
        ('(n / name :op1 "Ann" :op3 "Lee")', []),
        ("(d / dog :mod d)", ["self loop", "cycle"]),
        ("(s / see-01 :ARG0 (d / dog :part (t / tail :mod s)))", ["cycle"]),
        ("(s / dog :mod (d / dog :mod (t / dog :mod s) :part s) :part d)", ["cycle"]),
        ("(s / dog :mod (d / dog) :part (t / dog :mod d))", []),
        ("(d / dog :polarity -)", []),
        ("(d / dog :polarity +)", ["polarity value"]),
        ('(d / dog :polarity "-")', ["polarity value"]),
        ("(d / dog :polarity (a / amr-unknown))", []),
        ("(d / dog :polarity-of (a / truth-value))", ["polarity value"]),
        ("(a / truth-value :polarity-of (d / dog))", []),
        ("(d / dog :polarity (c / cat))", ["polarity value"]),
        ("(d / dog :polarity nope)", ["bare constant", "polarity value"]),
        ("(d / dog :mode imperative :mode expressive :mode interrogative)", []),
        ("(d / dog :mode Imperative :wiki Ann_Lee)", ["bare constant", "bare constant"]),
        ("(d / dog :mod x :mod ab12)", ["dangling variable", "dangling variable"]),
        ("(d / dog :ARG0-of x)", ["dangling variable"]),
        ('(d / dog :value "x" :quant 1,000.5 :quant -3 :mod +)', []),
        ("(d / dog :time 2002-01-05 :time 2002-1)", []),
        ("(d / dog :value 7-100-30-000 :value 20_0)", ["bare constant", "bare constant"]),
    ],
)
def test_flags_by_hand(text, expected):
    assert kinds(text) == expected


def test_the_worked_example_has_five_flags_on_three_triples():
    text = "(b / bark-01 :ARG0 (d / dog) :ARG0 (c / cat) :polarity no :ARG1 x)"
    flags = find_flags(Corpus.of([parse_graph(text)]), FRAMES)
    assert [(flag.kind, flag.triple) for flag in flags] == [
        ("dangling variable", ("b", ":polarity", "no")),
        ("polarity value", ("b", ":polarity", "no")),
        ("argument not in frame", ("b", ":ARG1", "x")),
        ("dangling variable", ("b", ":ARG1", "x")),
        ("core role twice", ("b", ":ARG0", "c")),
    ]
    assert len(kinds(text, frames=None)) == 4
    assert str(flags[-1]) == "core role twice: b :ARG0 c"


def test_a_cycle_is_flagged_where_it_closes():
    text = "(a / dog :mod (b / dog :mod (c / dog :mod b)) :mod (d / dog :mod d))"
    flags = find_flags(Corpus.of([parse_graph("(x / cat)"), parse_graph(text)]))
    assert [(f.graph, f.kind, f.triple) for f in flags] == [
        (1, "cycle", ("c", ":mod", "b")),
        (1, "self loop", ("d", ":mod", "d")),
    ]
    # One that no path from the top reaches.
    (flag,) = find_flags(
        Corpus.of([parse_graph("(a / dog :mod-of (b / dog :mod (c / dog :mod b)))")])
    )
    assert flag.triple == ("c", ":mod", "b")


def test_no_graph_has_no_flags():
    assert find_flags(Corpus.of([]), FRAMES) == []
    empty = Corpus.of([parse_graph("(c / cat)")]).take(np.array([], np.int64))
    assert count_triples(empty).tolist() == []


def compared(flags):
    """Flags as the oracle returns them: the edges of a core role in no order."""
    counts = Counter()
    for _, kind, triple in flags:
        place = triple[:2] if kind == "core role twice" else triple
        counts[kind, triple[0] if triple[1] == ":instance" else place] += 1
    return counts


def assert_as_decoded(texts, frames):
    corpus = Corpus.of([parse_graph(text) for text in texts])
    roles = {frame: {*of_frame} for frame, of_frame in frames.roles.items()}
    flags = find_flags(corpus, frames)
    triples = count_triples(corpus).tolist()
    for k, text in enumerate(texts):
        expected, count = decode_flags(text, roles)
        assert compared(flag for flag in flags if flag.graph == k) == expected, text
        assert triples[k] == count
    return flags


ATTRIBUTES = st.sampled_from(
    [
        ":polarity x",
        ":ARG0 no",
        ":mode rude",
        ":quant 3",
        ":time 2002-01-05",
        ":foo +",
        ":ARG1-of z",
    ]
)
ROLES = (":ARG0", ":ARG1", ":ARG2", ":mod", ":consist-of", ":polarity", ":fo", ":op1")


@given(
    st.lists(graphs(loops=True, duplicates=True, roles=ROLES), min_size=1, max_size=4), ATTRIBUTES
)
def test_flags_are_those_of_the_triples_that_penman_decodes(several, attribute):
    texts = [format_graph(graph) for graph in several]
    texts = [f"{text[:-1]} {attribute})" for text in texts]
    frames = Frames({"want-01": {"0": ""}, "sleep-02": {"1": ""}})
    assert_as_decoded(texts, frames)


@pytest.fixture(scope="module")
def frames():
    """The role descriptions of a release of AMR, which are not distributed with BAMBOO."""
    name = os.environ.get("BAMBOO_FRAMES")
    if not name:
        pytest.skip(
            "needs the environment variable BAMBOO_FRAMES with the path of "
            "propbank-amr-frames-arg-descr.txt (CONTRIBUTING, Tests on the released data)"
        )
    return Frames.read(name)


# Flags, flagged graphs and triples; without a file of frames, and with that of smatchpp 1.8.0.
FILES = {
    "little-prince/gold.amr": (0, 0, 1, 1, 3733),
    "little-prince/bart.amr": (3, 3, 24, 24, 3773),
    "little-prince/t5.amr": (9, 7, 35, 29, 3767),
    "ewt/amrbart.amr": (40, 30, 107, 89, 29950),
    "ewt/spring.amr": (71, 56, 145, 118, 25523),
    "ewt/bart.amr": (89, 53, 180, 127, 29781),
    "ewt/t5.amr": (136, 93, 285, 185, 28854),
}


@pytest.mark.parametrize("name", FILES)
def test_flags_of_parsers_without_frames(shared, name):
    file = shared_file(shared, f"parsers/{name}")
    corpus = Corpus.of(read_graphs(file))
    flags = find_flags(corpus)
    counts = len(flags), len({flag.graph for flag in flags})
    assert (*counts, count_triples(corpus).sum()) == (*FILES[name][:2], FILES[name][4])


@pytest.mark.parametrize("name", FILES)
def test_flags_of_parsers_with_frames(shared, name, frames):
    text = shared_file(shared, f"parsers/{name}").read_text("utf-8")
    texts = [block for block in text.split("\n\n") if block.strip()]
    flags = assert_as_decoded(texts, frames)
    assert (len(flags), len({flag.graph for flag in flags})) == FILES[name][2:4]


LITTLE_PRINCE = {
    "gold": {"unknown frame": 1},
    "bart": {
        "argument not in frame": 10,
        "unknown frame": 8,
        "unknown sense": 3,
        "cycle": 1,
        "dangling variable": 1,
        "bare constant": 1,
    },
    "t5": {
        "unknown frame": 15,
        "argument not in frame": 8,
        "core role twice": 4,
        "unknown sense": 3,
        "cycle": 2,
        "bare constant": 2,
        "argument of a non-frame": 1,
    },
}


@pytest.mark.parametrize("name", LITTLE_PRINCE)
def test_kinds_of_flags_on_the_little_prince(shared, name, frames):
    graphs = read_graphs(shared_file(shared, f"parsers/little-prince/{name}.amr"))
    counts = Counter(flag.kind for flag in find_flags(Corpus.of(graphs), frames))
    assert counts == LITTLE_PRINCE[name]
    assert counts.keys() <= {*KINDS}
