"""SemBleu by hand."""

from math import exp, sqrt

import pytest

from metrics.errors import OptionError
from metrics.features.sembleu import SemBleu

BOY = "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 b))"
GIRL = "(w / want-01 :ARG0 (g / girl) :ARG1 (h / go-01 :ARG0 g))"


def score(pair, **options):
    return SemBleu(**options).score([pair])[0]


def ngrams(pair, **options):
    details = SemBleu(**options).evaluate([pair]).details
    orders = range(1, options["k"] + 1)
    return [[int(details[f"{name}_{n}"][0]) for n in orders] for name in ("src_ngrams", "matches")]


def test_precisions_of_both_orders(pair_of):
    # Unigrams: want, boy, go. Bigrams: want :ARG0 boy, want :ARG1 go, go :ARG0 boy.
    pair = pair_of(BOY, GIRL)
    assert ngrams(pair, k=2) == [[3, 3], [2, 1]]
    assert score(pair, k=2) == pytest.approx(sqrt(2 / 3 * 1 / 3))


def test_smoothing_halves_for_each_order_without_a_match(pair_of):
    # Trigrams: want :ARG1 go :ARG0 boy. None matches, and none has four nodes.
    pair = pair_of(BOY, GIRL)
    assert ngrams(pair, k=3) == [[3, 3, 1], [2, 1, 0]]
    assert score(pair, k=3) == pytest.approx((2 / 3 * 1 / 3 * 1 / 2) ** (1 / 3))
    assert score(pair, k=4) == pytest.approx((2 / 3 * 1 / 3 * 1 / 2) ** (1 / 3))
    assert score(pair, k=3, smoothing="none") == 0
    chains = pair_of("(a / x :r (b / y :r (c / z)))", "(a / x :s (b / y :s (c / z)))")
    assert score(chains, k=3) == pytest.approx((3 / 3 * (1 / 2) / 2 * (1 / 4) / 1) ** (1 / 3))


def test_weights(pair_of):
    pair = pair_of(BOY, GIRL)
    expected = (2 / 3) ** 0.5 * (1 / 3) ** 0.25
    assert score(pair, k=2, weights=(0.5, 0.25)) == pytest.approx(expected)
    # Without bigrams there is nothing that the second weight could weigh.
    assert score(pair_of("(b / boy)", "(b / boy)"), k=2, weights=(0.5, 0.25)) == 1
    pair = pair_of("(b / boy)", "(a / and :op1 (b / boy))")
    assert score(pair, k=2, weights=(0.5, 0.25)) == pytest.approx(exp(1 - 3 / 1))


def test_a_short_hypothesis_pays(pair_of):
    # Lengths, nodes and edges: 1 and 5. All of one unigram matches.
    pair = pair_of("(b / boy)", "(b / boy :quant 2 :polarity -)")
    assert score(pair, k=1) == pytest.approx(1 / 1 * exp(1 - 5 / 1))
    assert score(pair, k=1, hypothesis="tgt") == pytest.approx(1 / 3)
    both = (exp(1 - 5 / 1) + 1 / 3) / 2
    assert score(pair, k=1, symmetric=True) == pytest.approx(both)
    assert score(pair, k=1, symmetric=True, hypothesis="tgt") == pytest.approx(both)


def test_matches_are_clipped(pair_of):
    pair = pair_of("(a / and :op1 (c / cat) :op2 (d / cat))", "(a / and :op1 (c / cat))")
    assert ngrams(pair, k=1) == [[3], [2]]


def test_nothing_in_common(pair_of):
    assert score(pair_of("(c / cat :mod (b / big))", "(d / dog :mod (s / small))")) == 0


def test_labels_are_folded(pair_of):
    assert score(pair_of('(c / Cat :name "Tom")', "(c / cat :name tom)")) == 1


def test_paths_walk_no_relation_twice(pair_of):
    # a b, b a; a b a, b a b; and then each relation has been walked.
    loop = "(a / apple :r (b / berry :s a))"
    assert ngrams(pair_of(loop, loop), k=4)[0] == [2, 2, 2, 0]
    itself = "(a / apple :r a)"
    assert ngrams(pair_of(itself, itself), k=3)[0] == [1, 1, 0]


def test_inverse_roles_are_followed_from_source_to_target(pair_of):
    there, back = "(s / sleep-01 :ARG0 (c / cat))", "(c / cat :ARG0-of (s / sleep-01))"
    assert score(pair_of(there, back), k=2) == 1
    # As they are written, "sleep :ARG0 cat" and "cat :ARG0-of sleep" differ.
    published = score(pair_of(there, back), k=2, variant="published")
    assert published == pytest.approx(sqrt(2 / 2 * (1 / 2) / 1))


def test_a_node_named_too_early_is_one_more_for_the_tool(pair_of):
    early = "(a / and :op1 (b / bark-01 :ARG0 d) :op2 (d / dog :mod (o / old)))"
    late = "(a / and :op1 (b / bark-01 :ARG0 (d / dog :mod (o / old))) :op2 d)"
    pair = pair_of(early, late)
    assert score(pair) == 1
    # The early dog is a leaf: five nodes, and no path leads over it to its :mod.
    assert ngrams(pair, k=4, variant="published")[0] == [5, 4, 2, 0]
    assert ngrams(pair_of(late, early), k=4, variant="published")[0] == [4, 4, 3, 1]


def test_the_corpus_adds_up_ngrams_and_lengths(pair_of):
    pairs = [
        pair_of("(b / boy)", "(b / boy :quant 2)"),
        pair_of("(c / cat :polarity -)", "(d / dog :polarity -)"),
    ]
    metric = SemBleu(k=1)
    assert metric.corpus(metric.evaluate(pairs))["bleu"] == pytest.approx(2 / 3 * exp(1 - 6 / 4))


def test_symmetric_is_what_it_says():
    assert SemBleu(symmetric=True).symmetric
    assert not SemBleu().symmetric


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k=0"),
        ({"k": 5}, "k=5"),
        ({"k": 2, "weights": [1]}, "give 2 positive numbers"),
        ({"k": 2, "weights": [1, 0]}, "give 2 positive numbers"),
        ({"smoothing": "add-one"}, "add-one"),
        ({"variant": "tool"}, "tool"),
        ({"hypothesis": "gold"}, "gold"),
    ],
)
def test_options_that_are_none(options, message):
    with pytest.raises(OptionError, match=message):
        SemBleu(**options)
