"""Aspects: what belongs to each, by hand; scores of sub-graphs; both alignments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_metrics import Corpus, Graph, Pair, SmatchPP, pair_up, parse_graph, read_graphs
from amr_metrics.aspects import (
    Aspect,
    FrameRoles,
    aspect_scorer,
    aspect_table,
    chosen_aspects,
    extract,
    score_aspects,
)
from amr_metrics.errors import OptionError
from amr_metrics.standardize import STEPS
from tests.strategies import graphs, rename_variables, shuffle_graph

# The dog the boy saw in Ulm, a city, does not bark loudly: see-01 is a predicate of the dog.
BARK = parse_graph(
    """(b / bark-01
          :ARG0 (d / dog
              :ARG1-of (s / see-01
                  :ARG0 (y / boy)
                  :location (c / city :name (n / name :op1 "Ulm") :wiki "Ulm"))
              :ARG1-of (o / old-01))
          :manner (l / loud)
          :polarity -)"""
)
ROOTED = STEPS["root_concept"](BARK)


def part(name, graph=ROOTED):
    extracted = extract(graph, aspect_table()[name])
    triples = [f"{s}{r}" for s, r, _ in (*extracted.attributes, *extracted.relations)]
    return set(extracted.variables), sorted(triples)


@pytest.mark.parametrize(
    ("aspect", "nodes", "triples"),
    [
        # agents; two steps down from them (nothing below dog or boy); old-01, whose only edge it is
        ("agent", "bdsyo", ["b:ARG0", "o:ARG1", "s:ARG0"]),
        # see-01 and old-01 do something to the dog, below which there is nothing
        ("patient", "sod", ["o:ARG1", "s:ARG1"]),
        ("location", "scn", ["c:name", "c:wiki", "n:op1", "s:location"]),
        ("ner", "cn", ["c:name", "n:op1"]),
        ("wiki", "c", ["c:wiki"]),
        ("polarity", "b", ["b:polarity"]),
        ("focus", "b", ["b:root"]),
        ("concept", "bdsycnol", []),
        ("frames", "bso", []),
        ("reentrancies", "bdso", ["b:ARG0", "o:ARG1", "s:ARG1"]),
        ("srl", "bdsyo", ["b:ARG0", "o:ARG1", "s:ARG0", "s:ARG1"]),
        ("np-only", "dycnl", ["c:name", "c:wiki", "n:op1"]),
        ("cause", "", []),
        ("maths", "", []),
    ],
)
def test_the_sub_graph_of_an_aspect(aspect, nodes, triples):
    assert part(aspect) == (set(nodes), triples)


def test_a_group_takes_every_edge_at_its_concepts():
    graph = parse_graph("(c / cause-01 :ARG0 (r / rain-01 :mod (h / heavy)) :ARG1 (f / flood-01))")
    assert part("cause", graph) == (set("crhf"), ["c:ARG0", "c:ARG1", "r:mod"])


def test_questions_include_the_edges_above_amr_unknown():
    graph = parse_graph("(w / want-01 :ARG1 (g / go-02 :ARG4 (a / amr-unknown)) :ARG0 (y / you))")
    assert part("question", graph) == (set("wga"), ["g:ARG4", "w:ARG1"])


def test_the_range_ends_after_two_steps():
    graph = parse_graph("(a / a-01 :time (b / b :x (c / c :y (d / d :z (e / e)))))")
    assert part("time", graph) == (set("abcd"), ["a:time", "b:x", "c:y"])


def test_an_aspect_is_only_the_edges_of_its_roles_unless_it_says_more():
    graph = parse_graph(
        "(w / w-01 :ARG1 (a / a-01 :time (b / b :x (c / c) :ARG1-of (o / old-01))))"
    )
    own = extract(graph, Aspect("own", roles=frozenset([":time"])))
    assert (own.variables, own.relations) == (("a", "b"), (("a", ":time", "b"),))


def test_bags_are_labels_without_structure():
    graph = parse_graph('(a / and :op1 (c / city :wiki "Ulm") :op2 (r / river :wiki "Ulm"))')
    bag = Graph(("item0", "item1"), ('"Ulm"', '"Ulm"'), (), (), "item0")
    assert extract(graph, aspect_table()["wikification"]) == bag
    assert extract(ROOTED, aspect_table()["negation"]).concepts == ("bark-01",)
    assert extract(ROOTED, aspect_table()["named-entities"]).concepts == ("city",)
    bags = extract(Corpus.of([graph, ROOTED, Graph.empty()]), aspect_table()["wikification"])
    assert (bags.sizes.tolist(), bags.tops.tolist()) == ([2, 1, 0], [0, 0, -1])


def test_scores_by_hand():
    bark_02 = parse_graph("(b / bark-02 :ARG0 (d / dog) :polarity -)")
    names = ["polarity", "no-wsd", "unlabelled", "frames", "wiki", "negation", "topic"]
    scored = score_aspects(SmatchPP(), [Pair(BARK, bark_02)], chosen_aspects(names))
    scores = {row.aspect: float(row.scores.values[0]) for row in scored}
    # bark-01 and polarity against bark-02 and polarity
    assert scores["polarity"] == 2 * 1 / (2 + 2)
    # 8 concepts, 10 edges, TOP against 2, 2, TOP; without senses all of these are found
    assert scores["no-wsd"] == 2 * 5 / (19 + 5)
    # dog, the edge to it, and polarity
    assert scores["unlabelled"] == 2 * 3 / (19 + 5)
    assert scores["frames"] == 0.0
    assert scores["negation"] == 0.0
    assert scores["wiki"] == 0.0
    assert [row.empty.tolist() for row in scored[-1:]] == [[True]]


def test_names_with_and_without_compression():
    """Figure 4 of the paper, by hand: a cat named Bob and a cat named Lisa.

    The aspect has two concepts, an edge and a string, of which one differs: 3 of 4. Compressed,
    concepts are the names of their nodes: the edge matches and the string does not, 1 of 2.
    """
    cats = [parse_graph(f'(c / cat :name (n / name :op1 "{name}"))') for name in ("Bob", "Lisa")]
    for metric in (SmatchPP(), SmatchPP(compression=True)):
        for option in ({}, {"compressed": True}):
            score = aspect_scorer(metric, **option)
            (ner,) = score([Pair(*cats)], chosen_aspects("ner"))
            expected = 0.5 if option or metric.compression else 0.75
            assert ner.scores.values.tolist() == [expected]
    with pytest.raises(OptionError, match="cannot be combined with compression"):
        aspect_scorer(SmatchPP(levels=2), compressed=True)


def test_one_alignment_uses_the_complete_graphs():
    animals = (
        "(x / and :op1 (r / run-01 :ARG0 ({0}) :ARG1 {1}) :op2 (s / sit-01 :ARG0 ({2}) :ARG1 {3}))"
    )
    a = parse_graph(animals.format("c / cat", "c", "d / dog", "d"))
    b = parse_graph(animals.format("d / dog", "d", "c / cat", "c"))
    by_alignment = {
        mode: score_aspects(SmatchPP(), [Pair(a, b)], chosen_aspects(["concept", "agent"]), mode)
        for mode in ("multi", "one")
    }
    # Alone, all concepts are found; in the whole two edges into each animal weigh more.
    assert by_alignment["multi"][0].scores.values.tolist() == [1.0]
    assert by_alignment["one"][0].scores.values.tolist() == [2 * 3 / (5 + 5)]
    assert by_alignment["one"][1].scores.values.tolist() == [2 * 4 / (6 + 6)]


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(st.tuples(graphs(), graphs()), min_size=4, max_size=4))
def test_one_alignment_is_never_better(several):
    """Four pairs at a time take as long as one."""
    pairs, aspects = [Pair(a, b) for a, b in several], chosen_aspects("all")
    multi = score_aspects(SmatchPP(), pairs, aspects)
    aligned_once = score_aspects(SmatchPP(), pairs, aspects, "one")
    for free, bound in zip(multi, aligned_once, strict=True):
        assert (bound.scores.values <= free.scores.values + 1e-12).all()
        assert ((free.scores.values >= 0) & (free.scores.values <= 1)).all()


@settings(max_examples=settings().max_examples // 5)
@given(st.lists(graphs(), min_size=5, max_size=5))
def test_aspects_do_not_depend_on_the_notation_of_a_graph(several):
    pairs = [Pair(graph, rename_variables(shuffle_graph(graph, 3))) for graph in several]
    for row in score_aspects(SmatchPP(), pairs, chosen_aspects("all")):
        assert row.scores.values == pytest.approx(1.0), row.aspect


def test_role_descriptions_name_core_roles(tmp_path):
    frames = tmp_path / "frames.txt"
    frames.write_text(
        "control-01  ARG0: controller  ARG1: thing controlled  ARG2: instrument, if any\n"
        "own-02  ARG0: owner  ARG1: possession\n"
        "go-24  ARGM-ADV: here, there\n\n",
        "utf-8",
    )
    roles = FrameRoles.read(frames, chosen_aspects("all"))
    graph = parse_graph("(c / control-01 :ARG0 (y / boy) :ARG2 (l / lever))")
    assert [r.role for r in roles(graph).relations] == [":ARG0", ":instrument"]
    # A role that means an inverse one turns round: what is owned stands in front of its owner.
    owned = roles(parse_graph("(o / own-02 :ARG1 (c / car))"))
    assert owned.relations == ((*("c", ":poss", "o"),),)
    pair = Pair(graph, parse_graph("(c / control-01 :instrument (l / lever))"))
    (with_roles,) = score_aspects(SmatchPP(), [pair], chosen_aspects(["instrument"]), relabel=roles)
    # control-01, lever and the edge are found; the boy is no instrument.
    assert with_roles.scores.values.tolist() == [1.0]


def test_bad_role_descriptions_are_refused(tmp_path):
    frames = tmp_path / "frames.txt"
    with pytest.raises(OptionError, match="cannot be read"):
        FrameRoles.read(frames, ())
    frames.write_text("control-01  ARG0: controller\nthis is no frame\n", "utf-8")
    with pytest.raises(OptionError, match="line 2"):
        FrameRoles.read(frames, ())
    frames.write_text("control-01  ARG0: controller\n", "utf-16")
    with pytest.raises(OptionError, match="cannot be read: line 1: is UTF-16, not UTF-8"):
        FrameRoles.read(frames, ())


def test_a_byte_order_mark_is_no_part_of_the_first_frame(tmp_path):
    frames = tmp_path / "frames.txt"
    frames.write_text("control-01  ARG0: controller  ARG2: instrument\n", "utf-8-sig")
    assert "control-01" in FrameRoles.read(frames, chosen_aspects(["instrument"])).roles


def test_invalid_options_are_errors():
    aspects = chosen_aspects(["ner"])
    with pytest.raises(OptionError, match="use one of multi, one"):
        score_aspects(SmatchPP(), [], aspects, "both")
    with pytest.raises(OptionError, match="levels"):
        score_aspects(SmatchPP(levels=3), [], aspects)
    with pytest.raises(OptionError, match="compression"):
        score_aspects(SmatchPP(compression=True), [], aspects, "one")
    with pytest.raises(OptionError, match="did you mean 'negation'"):
        chosen_aspects(["negatoin"])


def test_every_aspect_on_the_released_data(shared):
    folder = shared / "bamboo-amr-benchmark" / "sts" / "main"
    pairs = pair_up(*[read_graphs(folder / f"{side}.test.amr")[:200] for side in ("src", "tgt")])
    scored = score_aspects(SmatchPP(), pairs, chosen_aspects("all"))
    assert {row.aspect for row in scored if not row.empty.all()} >= {
        "agent",
        "srl-core",
        "location",
    }
    for row in scored:
        assert row.scores.details["optimal"].all()
        values = row.present().values
        assert ((values >= 0) & (values <= 1)).all()
        np.testing.assert_array_equal(row.scores.values[row.empty], 1.0)
