import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings

from amr_metrics import Metric, Pair, Pairs, Scores, Smatch, parse_graph
from amr_metrics.blend.features import Extractor
from amr_metrics.blend.metric import LOW, Blend, limit_sums
from amr_metrics.errors import OptionError, PairError
from amr_metrics.features.label_overlap import LabelOverlap
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.graphs.graph import Graph
from tests.strategies import graphs

RANDOM = settings(derandomize=True)
CAT, DOG, BIG = (
    parse_graph(text)
    for text in (
        "(s / sleep-01 :ARG0 (c / cat))",
        "(s / sleep-01 :ARG0 (d / dog))",
        "(s / see-01 :ARG0 (c / cat) :ARG1 (d / dog :mod (b / black)) :polarity -)",
    )
)
PAIRS = [Pair(CAT, DOG), Pair(CAT, BIG), Pair(DOG, BIG), Pair(BIG, CAT), Pair(CAT, CAT)]
OF = {"smatch": Smatch(), "overlap": LabelOverlap()}


@dataclass(frozen=True, kw_only=True)
class Given(Metric):
    """The number of nodes of src as a column; the score is `score` unless the graphs are equal."""

    score_of_others: float = 0.5

    def evaluate(self, pairs):
        values = [1.0 if a == b else self.score_of_others for a, b in pairs]
        size = np.array([len(a.variables) for a, _ in pairs])
        return Scores(np.array(values), {"src_size": size})


class TestFeatures:
    def test_a_feature_is_the_distance_from_identical_graphs(self):
        extractor = Extractor({"smatch": Smatch()})
        assert not {"smatch.matches", "smatch.src_total"} & set(extractor.names)
        features = extractor.features(PAIRS[:2])
        assert features["smatch"] == pytest.approx([0.25, 1 - 2 * 2 / (4 + 9)])

    def test_both_sides_become_the_better_and_the_worse(self):
        extractor = Extractor({"smatch": Smatch()})
        features = extractor.features([Pair(CAT, BIG), Pair(BIG, CAT)])
        assert features["smatch.best(precision,recall)"] == pytest.approx([1 - 2 / 4] * 2)
        assert features["smatch.worst(precision,recall)"] == pytest.approx([1 - 2 / 9] * 2)
        assert "smatch.precision" not in features

    def test_a_metric_whose_identical_graphs_differ(self):
        @dataclass(frozen=True, kw_only=True)
        class Size(Metric):
            def evaluate(self, pairs):
                return Scores(np.array([1 / len(a.variables) for a, _ in pairs]))

        with pytest.raises(OptionError, match="size gives different scores to graphs paired with"):
            _ = Extractor({"size": Size()}).anchors


class TestScore:
    def test_by_hand(self):
        weights = {"smatch>0": 0.5, "smatch>0.125": 2.0, "overlap.concepts>0.6": 9.0}
        (score,) = Blend(of=OF, weights=weights).score([Pair(CAT, DOG)])
        assert score == pytest.approx(1 - 0.5 * 0.25 - 2.0 * 0.125)

    def test_interactions_by_hand(self):
        # The overlap of both graphs in concepts and relations is 1/3, Smatch 3/4.
        weights = {"smatch>0": 0.5, "smatch*overlap": 0.6, "overlap.concepts*smatch": 0.4}
        (score,) = Blend(of=OF, weights=weights).score([Pair(CAT, DOG)])
        assert score == pytest.approx(1 - 0.5 * 0.25 - 0.6 * 0.25 / 3 - 0.4 * 0.5 * 0.75)

    @pytest.mark.parametrize(
        ("closeness", "share"),
        [(0.3, 0), (0.6, 0), (0.8, 0.5), (0.68, 0.104), (1.0, 1)],
    )
    def test_close_graphs_have_weights_of_their_own(self, closeness, share):
        of = OF | {"mine": Given(score_of_others=closeness)}
        weights = {"smatch>0": 0.8, "smatch~mine": 0.4, "smatch*smatch": 0.4}
        (score,) = Blend(of=of, near="mine", weights=weights).score([Pair(CAT, DOG)])
        distant = 0.8 * 0.25 + 0.4 * 0.25 * 0.75
        assert score == pytest.approx(1 - (1 - share) * distant - share * 0.4 * 0.25)

    def test_sums_below_0_keep_their_order(self):
        sums = np.array([-1e6, -2.0, -0.1, 0.0, 0.01, 0.04, LOW, 0.06, 0.5, 1.0, 1.2])
        scores = limit_sums(sums)
        assert (np.diff(scores[:-1]) > 0).all()
        assert scores[0] > 0
        assert (scores[6:] == np.minimum(sums[6:], 1)).all()
        near = np.array([LOW - 1e-6, LOW + 1e-6])  # no jump, and the same slope on both sides
        assert limit_sums(near) == pytest.approx(near, abs=1e-10)
        weights = {"smatch>0": 5.0}
        close, distant = Blend(of=OF, weights=weights).score([Pair(CAT, DOG), Pair(CAT, BIG)])
        assert 0 < distant < close < LOW

    @RANDOM
    @given(a=graphs(), b=graphs())
    def test_contributions_and_batches_with_all_kinds_of_terms(self, a, b):
        blend = Blend(of=OF, interactions=True, near="overlap").initialised(PAIRS)
        values = np.random.default_rng(0).normal(0.1, 0.1, len(blend.weights))
        blend = blend.with_parameters(values)
        alone, again = blend.score([Pair(a, b)])[0], blend.score([*PAIRS, Pair(a, b)])[-1]
        assert alone == again
        assert blend.score([Pair(a, a)]) == 1
        added = 1 + sum(c.effect for c in blend.contributions(Pair(a, b)))
        assert alone == pytest.approx(float(limit_sums(np.array(added))))

    @RANDOM
    @given(a=graphs(), b=graphs())
    def test_it_is_symmetric_if_its_metrics_are(self, a, b):
        of = OF | {"sembleu": SemBleu(symmetric=True), "wlk": Wlk()}
        blend = Blend(of=of).initialised(PAIRS)
        assert blend.symmetric
        forth, back = blend.score([Pair(a, b), Pair(b, a)])
        assert forth == pytest.approx(back, abs=1e-9)
        assert not Blend(of={"sembleu": SemBleu()}).symmetric


class TestParameters:
    def test_initial_weights_are_equal_and_at_the_knot_0(self):
        blend = Blend(of={"smatch": Smatch()}, knots=1).initialised(PAIRS)
        first = [name for name in blend.weights if name.endswith(">0")]
        assert first == [
            "smatch>0",
            "smatch.best(precision,recall)>0",
            "smatch.worst(precision,recall)>0",
        ]
        assert {blend.weights[name] for name in first} == {1 / 3}
        assert sum(blend.weights.values()) == pytest.approx(1)

    def test_knots_are_quantiles(self):
        blend = Blend(of={"wlk": Wlk()}, knots=3).initialised(PAIRS)
        values = 1 - Wlk().score(PAIRS)
        knots = [float(name.rpartition(">")[2]) for name in blend.weights]
        quantiles = [float(f"{q:.6g}") for q in np.quantile(values, [0.25, 0.5, 0.75])]
        # A knot at or above the largest value would never count; equal ones count once.
        assert knots == [0, *dict.fromkeys(q for q in quantiles if q < values.max())]

    def test_constant_and_repeated_features_are_left_out(self):
        of = {"one": Given(), "two": Given(), "smatch": Smatch()}
        names = {n.rpartition(">")[0] for n in Blend(of=of).initialised(PAIRS).weights}
        assert "one" in names
        assert "two" not in names  # the same as one
        assert "smatch.optimal" not in names  # always 1

    def test_interactions_and_close_graphs_have_initial_weights(self):
        blend = Blend(of=OF, knots=0, interactions=True, near="overlap").initialised(PAIRS)
        names = [name for name in blend.weights if re.match(r"smatch\W", name)][:4]
        assert names == ["smatch>0", "smatch*smatch", "smatch*overlap", "smatch~overlap"]
        start = [blend.weights[name] for name in names]
        assert start[1:3] == [0, 0]
        assert start[0] == start[3] > 0

    def test_features_that_are_left_out(self):
        full = Blend(of=OF).initialised(PAIRS)
        fewer = replace(full, without=("smatch",)).initialised(PAIRS)
        assert {*full.weights} - {*fewer.weights} == {
            name for name in full.weights if name.startswith("smatch>")
        }
        with pytest.raises(OptionError, match="unknown feature 'smtch': did you mean 'smatch'"):
            Blend(of=OF, without=["smtch"]).initialised(PAIRS)

    def test_no_feature_varies(self):
        with pytest.raises(OptionError, match="none of the 1 features of g varies"):
            Blend(of={"g": Given()}).initialised([Pair(CAT, DOG), Pair(DOG, CAT)])

    def test_terms_give_the_scores(self):
        blend = Blend(of=OF).initialised(PAIRS)
        rng = np.random.default_rng(0)
        values = rng.normal(0, 0.05, len(blend.weights))
        prepared = blend.prepare(PAIRS)
        scores = blend.with_parameters(values).score(PAIRS)
        assert prepared.score(values) == pytest.approx(scores)
        raw = prepared.offset + prepared.terms() @ values
        assert limit_sums(raw) == pytest.approx(scores)
        positions = np.array([2, 0])
        assert prepared.score(values, positions) == pytest.approx(scores[positions])
        assert (prepared.usage() == (prepared.terms() != 0).sum(axis=0)).all()

    def test_arrays_of_pairs_give_the_same_as_a_list(self):
        pairs = [*PAIRS, Pair(Graph.empty(), CAT), Pair(CAT, Graph.empty())]
        blend = Blend(of=OF).initialised(pairs)
        values = blend.parameters.values
        arrays = Pairs.of(pairs)
        assert blend.score(arrays).tolist() == blend.score(pairs).tolist()
        prepared, expected = (blend.prepare(sequence) for sequence in (arrays, pairs))
        assert (prepared.terms() == expected.terms()).all()
        for indices in (None, np.array([6, 0])):
            scores = prepared.score(values, indices)
            assert scores.tolist() == expected.score(values, indices).tolist()
        assert scores[0] == 0


class TestExplanation:
    def test_contributions_add_up_to_the_score(self):
        weights = {"smatch>0": 0.25, "smatch>0.1": 0.5, "overlap.roles>0": 0.25, "overlap>0": -0.1}
        blend = Blend(of=OF, weights=weights)
        explanation = blend.explain(Pair(CAT, BIG))
        effects = [c.effect for c in explanation.contributions]
        assert 1 + sum(effects) == pytest.approx(explanation.score)
        assert explanation.score == blend.score([Pair(CAT, BIG)])[0]
        assert explanation.contributions[0].feature == "smatch"
        assert effects == sorted(effects, key=abs, reverse=True)
        assert explanation.links == Smatch().explain(Pair(CAT, BIG)).links


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"of": {}}, "needs at least one metric"),
            ({"of": {"b": Blend(of=OF)}}, "of: b is a blend: list the metrics"),
            ({"of": {"a.b": Smatch()}}, "'a.b' contains"),
            ({"of": OF, "knots": -1}, "knots=-1: use 0 or more"),
            ({"of": OF, "near": "wlk"}, "near=wlk: use one of smatch, overlap"),
            ({"of": OF, "weights": {"smatch>0": float("nan")}}, "smatch>0 has nan"),
        ],
    )
    def test_invalid_options(self, options, message):
        with pytest.raises(OptionError, match=message):
            Blend(**options)

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ({}, "Blend has no weights: give weights, or train it"),
            ({"smatch": 1.0}, "'smatch' is not of the form feature>knot"),
            ({"smatch>high": 1.0}, "'smatch>high' is not of the form"),
            ({"smatch*wlk": 1.0}, r"'smatch\*wlk' is not of the form"),
            ({"smatch~smatch": 1.0}, "'smatch~smatch' is not of the form"),  # near is not set
            ({"smatch>-1": 1.0}, "'smatch>-1' is not of the form"),
            (
                {"wlk>0": 1.0, "smatch.matches>0": 1.0},
                "weights for 2 features .*smatch.matches, wlk",
            ),
        ],
    )
    def test_weights_of_other_features(self, weights, message):
        with pytest.raises(OptionError, match=message):
            Blend(of=OF, weights=weights).score(PAIRS)

    def test_a_feature_that_is_not_a_number(self):
        of = {"smatch": Smatch(), "mine": Given(score_of_others=float("nan"))}
        blend = Blend(of=of, weights={"smatch>0": 1.0})
        with pytest.raises(PairError, match="pair 1: the feature mine is nan") as error:
            blend.score([Pair(CAT, CAT), Pair(CAT, DOG)])
        assert error.value.pair == 1

    def test_a_metric_that_fails_on_a_pair(self):
        @dataclass(frozen=True, kw_only=True)
        class Fails(Given):
            def evaluate(self, pairs):
                for k, (a, b) in enumerate(pairs):
                    if a is BIG or b is BIG:
                        raise PairError("too big", pair=k)
                return super().evaluate(pairs)

        blend = Blend(of={"fails": Fails()}, weights={"fails>0": 1.0})
        with pytest.raises(PairError, match="pair 1: fails: too big") as error:
            blend.score(PAIRS)
        assert error.value.pair == 1
        # Knots are computed from every third of these pairs.
        many = [Pair(CAT, DOG)] * 3000 + [Pair(CAT, BIG)] * 3
        with pytest.raises(PairError, match="pair 3000: fails: too big"):
            blend.initialised(many)
