"""SemBleu by hand."""

from math import exp, sqrt

import pytest

from amr_metrics.errors import OptionError
from amr_metrics.features.sembleu import SemBleu
from tests.builders import pair_of

BOY = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 b))"
GIRL = "(w / want-01 :ARG0 (g / girl) :ARG1 (h / go-01 :ARG0 g))"


def score(pair, **options):
    return SemBleu(**{"variant": "corrected", **options}).score([pair])[0]


def ngrams(pair, **options):
    details = SemBleu(**{"variant": "corrected", **options}).evaluate([pair]).details
    orders = range(1, options["k"] + 1)
    return [[int(details[f"{name}_{n}"][0]) for n in orders] for name in ("src_ngrams", "matches")]


def test_precisions_of_both_orders():
    # Unigrams: want, boy, go. Bigrams: want :ARG0 boy, want :ARG1 go, go :ARG0 boy.
    pair = pair_of(BOY, GIRL)
    assert ngrams(pair, k=2) == [[3, 3], [2, 1]]
    assert score(pair, k=2) == pytest.approx(sqrt(2 / 3 * 1 / 3))


def test_smoothing_halves_for_each_order_without_a_match():
    # Trigrams: want :ARG1 go :ARG0 boy. None matches, and none has four nodes.
    pair = pair_of(BOY, GIRL)
    assert ngrams(pair, k=3) == [[3, 3, 1], [2, 1, 0]]
    assert score(pair, k=3) == pytest.approx((2 / 3 * 1 / 3 * 1 / 2) ** (1 / 3))
    assert score(pair, k=4) == pytest.approx((2 / 3 * 1 / 3 * 1 / 2) ** (1 / 3))
    chains = pair_of("(a / x :r (b / y :r (c / z)))", "(a / x :s (b / y :s (c / z)))")
    assert score(chains, k=3) == pytest.approx((3 / 3 * (1 / 2) / 2 * (1 / 4) / 1) ** (1 / 3))


def test_weights():
    pair = pair_of(BOY, GIRL)
    expected = (2 / 3) ** 0.5 * (1 / 3) ** 0.25
    assert score(pair, k=2, weights=(0.5, 0.25)) == pytest.approx(expected)
    # Without bigrams there is nothing that the second weight could weigh.
    assert score(pair_of("(b / boy)", "(b / boy)"), k=2, weights=(0.5, 0.25)) == 1
    pair = pair_of("(b / boy)", "(a / and :op1 (b / boy))")
    assert score(pair, k=2, weights=(0.5, 0.25)) == pytest.approx(exp(1 - 3 / 1))


@pytest.mark.parametrize("weights", [(0.5, 0), (0, 0.5), (0.5, -0.5), (0.5,), (0.5, 0.5, 0.5)])
def test_each_order_has_a_positive_weight(weights):
    with pytest.raises(OptionError, match="give 2 positive numbers"):
        SemBleu(k=2, weights=weights)


def test_ngrams_have_1_to_4_nodes():
    pair = pair_of(BOY, BOY)
    assert [score(pair, k=k) for k in (1, 2, 3, 4)] == [1] * 4
    for k in (0, 5):
        with pytest.raises(OptionError, match="n-grams have 1 to 4 nodes"):
            SemBleu(k=k)


def test_a_short_hypothesis_pays():
    # Lengths, nodes and edges: 1 and 5. All of one unigram matches.
    pair = pair_of("(b / boy)", "(b / boy :quant 2 :polarity -)")
    assert score(pair, k=1) == pytest.approx(1 / 1 * exp(1 - 5 / 1))
    assert score(pair, k=1, hypothesis="tgt") == pytest.approx(1 / 3)
    both = (exp(1 - 5 / 1) + 1 / 3) / 2
    assert score(pair, k=1, symmetric=True) == pytest.approx(both)
    assert score(pair, k=1, symmetric=True, hypothesis="tgt") == pytest.approx(both)


def test_paths_walk_no_relation_twice():
    # a b, b a; a b a, b a b; and then each relation has been walked.
    loop = "(a / apple :r (b / berry :s a))"
    assert ngrams(pair_of(loop, loop), k=4)[0] == [2, 2, 2, 0]
    itself = "(a / apple :r a)"
    assert ngrams(pair_of(itself, itself), k=3)[0] == [1, 1, 0]


def test_inverse_roles_are_followed_from_source_to_target():
    direct, inverse = "(s / sleep-01 :ARG0 (c / cat))", "(c / cat :ARG0-of (s / sleep-01))"
    assert score(pair_of(direct, inverse), k=2) == 1
    # Both versions of the tool keep the role: "sleep :ARG0 cat" is not "cat :ARG0-of sleep" (as
    # it is written) and not "sleep :ARG0-of cat" (turned).
    for variant in ("published", "2019"):
        value = score(pair_of(direct, inverse), k=2, variant=variant)
        assert value == pytest.approx(sqrt(2 / 2 * (1 / 2) / 1))


def test_the_direction_of_inverse_roles_in_both_versions_of_the_tool():
    # As it is written there is one path of three nodes, house :location-of sleep :ARG0 cat. Turned,
    # sleep has two edges and nothing leads to it: sleep :ARG0 cat, sleep :location-of house.
    pair = pair_of(*["(h / house :location-of (s / sleep-01 :ARG0 (c / cat)))"] * 2)
    assert ngrams(pair, k=3, variant="published")[0] == [3, 2, 1]
    assert ngrams(pair, k=3, variant="2019")[0] == [3, 2, 0]
    assert ngrams(pair, k=3)[0] == [3, 2, 0]


@pytest.mark.parametrize("role", [":consist-of", ":ARG1-of-of", ":prep-on-behalf-of"])
def test_the_tool_of_2019_turns_whatever_ends_in_of(role):
    # a -> b -> c as it is written; turned, b has an edge to a and one to c.
    pair = pair_of(*[f"(a / apple {role} (b / berry :mod (c / cherry)))"] * 2)
    assert ngrams(pair, k=3, variant="2019")[0] == [3, 2, 0]
    assert ngrams(pair, k=3, variant="published")[0] == [3, 2, 1]


def test_the_tool_of_2019_starts_from_what_it_can_reach():
    # Turned: rest -> cat, sleep -> cat, dream -> sleep, sleep -> dream. Of the nodes only rest has
    # no incoming edge, and no path leads from it to the loop of sleep and dream.
    graph = (
        "(c / cat :ARG0-of (s / sleep-01 :manner-of (d / dream-01 :topic-of s)) :mod-of (r / rest))"
    )
    pair = pair_of(graph, graph)
    details = SemBleu(k=2, variant="2019").evaluate([pair]).details
    assert details["src_length"][0] == 4 + 4  # nodes and edges all count
    assert ngrams(pair, k=2, variant="2019")[0] == [2, 1]  # rest, cat; rest :mod-of cat
    assert ngrams(pair, k=2)[0] == [4, 4]


def test_in_a_loop_the_tool_of_2019_starts_from_the_root():
    # a -> b -> a: every node has an incoming edge.
    loop = pair_of(*["(a / apple :r (b / berry :s a))"] * 2)
    assert ngrams(loop, k=2, variant="2019")[0] == [2, 2]


def test_a_long_name_used_too_early_is_one_more_node_for_the_tool():
    early = "(a / and :op1 (b / bark-01 :ARG0 dd) :op2 (dd / dog :mod (o / old)))"
    late = "(a / and :op1 (b / bark-01 :ARG0 (dd / dog :mod (o / old))) :op2 dd)"
    pair = pair_of(early, late)
    assert score(pair) == 1
    for variant in ("published", "2019"):
        # The early dog is a leaf: five nodes, and no path leads over it to its :mod.
        assert ngrams(pair, k=4, variant=variant)[0] == [5, 4, 2, 0]
        assert ngrams(pair_of(late, early), k=4, variant=variant)[0] == [4, 4, 3, 1]


def test_the_tool_reads_labels_in_its_own_way():
    def unigrams(first, second, variant="published"):
        return ngrams(pair_of(first, second), k=1, variant=variant)[1][0]

    for variant in ("published", "2019"):
        assert unigrams("(c / Cat)", "(c / cat)", variant) == 1
        assert unigrams('(c / "cat")', "(c / cat)", variant) == 0  # a concept's quotes stay
        both = '(n / name :op1 "New (York)")', '(n / name :op1 "new  york")'
        assert unigrams(*both, variant) == 2
        # A constant with the name of a variable has that variable's concept as its label.
        assert unigrams('(c / cat :value "c")', "(a / and :op1 (c / cat) :op2 (d / cat))") == 2
    assert unigrams('(c / "cat")', "(c / cat)", "corrected") == 1
    # Roles keep their case.
    pair = pair_of("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :arg0 (c / cat))")
    assert ngrams(pair, k=2, variant="published")[1] == [2, 0]
    assert ngrams(pair, k=2)[1] == [2, 1]


def test_the_corpus_adds_up_ngrams_and_lengths():
    pairs = [
        pair_of("(b / boy)", "(b / boy :quant 2)"),
        pair_of("(c / cat :polarity -)", "(d / dog :polarity -)"),
    ]
    metric = SemBleu(k=1)
    assert metric.corpus(metric.evaluate(pairs))["bleu"] == pytest.approx(2 / 3 * exp(1 - 6 / 4))
