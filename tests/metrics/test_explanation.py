"""Explanations list each triple once."""

from amr_metrics import Pair, Smatch, parse_graph
from amr_metrics.explanation import ExplainedTriple, Explanation

ROOT, CAT, DOG, PET = (
    ExplainedTriple("instance", "instance", n, c)
    for n, c in (("s", "sleep-01"), ("c", "cat"), ("d", "dog"), ("p", "pet"))
)


def test_triples_of_several_matches_are_listed_once():
    explanation = Explanation(
        0.5, (), ((ROOT, ROOT, 1.0), (CAT, PET, 0.5), (DOG, PET, 0.5)), (CAT,)
    )
    assert explanation.triples == ((ROOT, CAT, DOG), (ROOT, PET))


def test_triples_are_those_of_both_graphs():
    pair = Pair(parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01)"))
    src, tgt = Smatch(root="none").explain(pair).triples
    assert [*map(str, src)] == ["instance(s, sleep-01)", "instance(c, cat)", ":arg0(s, c)"]
    assert [*map(str, tgt)] == ["instance(s, sleep-01)"]
