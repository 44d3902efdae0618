"""The flags of the triples of an explained pair."""

from amr_metrics import Pair, parse_graph
from amr_metrics.explanation import ExplainedTriple
from bamboo.explanation.flags import PairFlags


def test_a_triple_has_the_kinds_of_its_flags_in_its_own_graph():
    src, tgt = (parse_graph(f"(b / bark-01 :polarity {constant})") for constant in ("No", "-"))
    flags = PairFlags.find(Pair(src, tgt), None)
    # As a metric compares it: without its colon, in lower case.
    triple = ExplainedTriple("attribute", "polarity", "b", "no")
    assert flags.describe(triple, triple) == "bare constant, polarity value"
    assert flags.describe(None, triple) is None
    assert flags.describe(triple._replace(source="c"), None) is None
