"""Kinds of errors: one example for each, by hand; and every differing triple has one kind."""

import pytest

import amr_metrics
from amr_metrics import Pair, Smatch, parse_graph
from amr_metrics.base import ExplainedTriple, Explanation
from bamboo.explanation.errors import MEANINGS, triple_errors
from bamboo.installation import resource

GOLD = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b :time (t / tomorrow)))"
NAMED = '(c / city :wiki "Ulm" :name (n / name :op1 "Ulm") :mod (b / big) :quant 3)'
EXAMPLES = [
    # gold, parse, the expected errors (kind: triples of the parse, triples of the gold)
    (
        GOLD,
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
        {"missing concept": (0, 1), "edge of a missing concept": (0, 1)},
    ),
    (
        GOLD,
        "(w / want-01 :ARG0 (b / boy :mod (l / little)) :ARG1 (g / go-02 :ARG0 b "
        ":time (t / tomorrow)))",
        {"extra concept": (1, 0), "edge of an extra concept": (1, 0)},
    ),
    (GOLD, GOLD.replace("boy", "girl"), {"wrong concept": (1, 1)}),
    (GOLD, GOLD.replace("go-02", "go-01"), {"wrong sense": (1, 1)}),
    (GOLD, GOLD.replace(":time", ":mod"), {"wrong role": (1, 1)}),
    (
        GOLD,
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b) :time (t / tomorrow))",
        {"wrong attachment": (1, 1)},
    ),
    (
        GOLD,
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :time (t / tomorrow)))",
        {"missing re-entrancy": (0, 1)},
    ),
    (
        GOLD,
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b :time (t / tomorrow :mod b)))",
        {"extra re-entrancy": (1, 0)},
    ),
    (  # the parse repeats the node that the gold graph re-enters
        GOLD,
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 (b2 / boy) :time (t / tomorrow)))",
        {
            "extra concept": (1, 0),
            "edge of an extra concept": (1, 0),
            "missing re-entrancy": (0, 1),
        },
    ),
    (NAMED, NAMED.replace('1 "Ulm"', '1 "Bonn"'), {"wrong name": (1, 1)}),
    (NAMED, NAMED.replace('wiki "Ulm"', "wiki -"), {"wrong wiki link": (1, 1)}),
    (NAMED, NAMED.replace("quant 3", "quant 4"), {"wrong constant": (1, 1)}),
    (NAMED, NAMED.replace(" :quant 3", ""), {"missing attribute": (0, 1)}),
    (NAMED, NAMED.replace(":quant 3", ":quant 3 :ord 1"), {"extra attribute": (1, 0)}),
    ("(b / bark-01 :polarity -)", "(b / bark-01)", {"wrong polarity": (0, 1)}),
    # No triple of the predicates matches, which are nevertheless the same but for the sense.
    (
        "(s / sleep-01 :ARG0 (c / cat))",
        "(s / sleep-02 :ARG1 (c / cat))",
        {"wrong sense": (1, 1), "wrong role": (1, 1)},
    ),
]


def counts(errors):
    found = {}
    for error in errors:
        sides = found.setdefault(error.kind, [0, 0])
        sides[error.side] += 1
    return {kind: tuple(sides) for kind, sides in found.items()}


@pytest.mark.parametrize(("gold", "parse", "expected"), EXAMPLES)
def test_an_example_of_each_kind(gold, parse, expected):
    pair = Pair(parse_graph(parse), parse_graph(gold))
    assert counts(triple_errors(Smatch(root="none").explain(pair))) == expected


def test_a_wrong_root():
    pair = Pair(
        parse_graph("(c / cat :ARG0-of (s / sleep-01))"),
        parse_graph("(s / sleep-01 :ARG0 (c / cat))"),
    )
    assert counts(triple_errors(Smatch().explain(pair))) == {"wrong root": (1, 1)}


def relation(role, source, target):
    return ExplainedTriple("relation", role, source, target)


def test_relations_that_nothing_explains():
    """A relation that only one graph has, between nodes that are aligned by other triples."""
    concepts = [ExplainedTriple("instance", "instance", x, x) for x in "abc"]
    matched = tuple((triple, triple, 1.0) for triple in concepts)
    missing = Explanation(0.5, (), matched, (), (relation(":mod", "a", "b"),))
    assert counts(triple_errors(missing)) == {"missing relation": (0, 1)}
    extra = Explanation(0.5, (), matched, (relation(":mod", "a", "b"),), ())
    assert counts(triple_errors(extra)) == {"extra relation": (1, 0)}


def test_triples_of_other_kinds():
    own = ExplainedTriple("depth", "depth", "a", "3")
    found = triple_errors(Explanation(0.5, (), (), (own, "a text"), (own,)))
    assert counts(found) == {"other": (2, 1)}


def test_every_kind_has_an_example():
    kinds = {kind for _, _, expected in EXAMPLES for kind in expected}
    elsewhere = {"wrong root", "missing relation", "extra relation", "other"}
    assert kinds | elsewhere == set(MEANINGS)


def check_total(explanation):
    errors = triple_errors(explanation)
    assert [error.triple for error in errors if error.side == 0] == [*explanation.unmatched_src]
    assert [error.triple for error in errors if error.side == 1] == [*explanation.unmatched_tgt]
    assert {error.kind for error in errors} <= set(MEANINGS)


@pytest.mark.parametrize("metric", ["smatch_1.0", "smatchpp", "wsmatch"])
def test_every_differing_triple_of_the_sample_is_counted_once(metric):
    folder = resource("data") / "sample" / "main"
    sides = [amr_metrics.read_graphs(folder / f"{side}.test.amr") for side in ("src", "tgt")]
    for explanation in amr_metrics.get(metric).explanations(amr_metrics.pair_up(*sides)):
        check_total(explanation)
