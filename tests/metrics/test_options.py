"""Options of metrics and solvers that are refused, and functions with options as text."""

from keyword import iskeyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import Smatch, SmatchPP
from metrics.alignment.exact import Exact
from metrics.alignment.hillclimb import HillClimb
from metrics.alignment.milp import Milp
from metrics.alignment.s2match import S2match
from metrics.alignment.wsmatch import WSmatch
from metrics.camr import AlignSmatch, CamrSmatch
from metrics.errors import OptionError
from metrics.external import CommandMetric, FunctionMetric
from metrics.features.sema import Sema
from metrics.features.sembleu import SemBleu
from metrics.features.wlk import Wlk
from metrics.options import call_text, function_of, target_of
from metrics.transport.node_match import NodeMatch
from metrics.transport.wwlk import WWLK
from metrics.transport.wwlk_theta import WWLKTheta
from metrics.vectors import VectorSource, WordVectors
from metrics.vectors.sif import SIF
from metrics.vectors.with_vectors import WithVectors

NAN, INF = float("nan"), float("inf")
VECTORS = WordVectors.of({"cat": [1, 0]})
REFUSED = [
    (Exact, {"node_limit": -1}, "limits must be"),
    (Exact, {"work_limit": 2**63}, "limits must be at most"),
    (Exact, {"root_rounds": 10_001}, "rounds must be at most 10,000"),
    (HillClimb, {"restarts": -1}, "restarts"),
    (HillClimb, {"restarts": 0, "smart": False}, "restarts"),
    (Milp, {"time_limit": 0}, "time_limit"),
    (Smatch, {"root": "Concept"}, "concept"),
    (WSmatch, {"weighting": "steep"}, "weighting"),
    (WSmatch, {"depth": 0}, "depth"),
    (S2match, {"tau": -0.1}, "tau"),
    (SmatchPP, {"root": "verb"}, "use one of preset, concept"),
    (SmatchPP, {"weights": {"polarity": 2}}, "neither a role"),
    (SmatchPP, {"weights": {":polarity": 0}}, "positive"),
    (SmatchPP, {"levels": -1}, "at least 0"),
    (SmatchPP, {"levels": 2, "compression": True}, "cannot be combined"),
    (SmatchPP, {"standardize": "amrr"}, "use one of"),
    (SmatchPP, {"similarity": "s2match"}, "graded"),
    (Sema, {"variant": "original"}, "original"),
    (SemBleu, {"k": 0}, "k=0"),
    (SemBleu, {"k": 2, "weights": [1]}, "give 2 positive numbers"),
    (SemBleu, {"variant": 2019}, "expected a string: use '2019'"),
    (Wlk, {"K": -1}, "K=-1"),
    (Wlk, {"K": 101}, "K=101: expected an integer of at most 100"),
    (Wlk, {"direction": "down"}, "down"),
    (Wlk, {"level_weights": "linear"}, "linear"),
    (Wlk, {"level_weights": [1, 1]}, "give 3 numbers"),
    (WWLK, {"K": -1}, "K"),
    (WWLK, {"seed": -1}, "seed"),
    (WWLK, {"stability": -1}, "stability"),
    (WWLK, {"stability": 100}, "^stability=.*: expected an integer of at most"),
    (WWLK, {"variant": 2022}, "variant"),
    (WWLK, {"transport": "sinkhorn"}, "transport"),
    (WWLK, {"step_scale": 0.0}, "step_scale"),
    (WWLKTheta, {"weights": {"arg0": 1.0}}, "weights"),
    (WWLKTheta, {"weights": {":arg0": NAN}}, "weights"),
    (NodeMatch, {"K": 0}, "K=0: expected an integer of at least 1"),
    (NodeMatch, {"edge_weight": -1.0}, "edge_weight=-1.0: must be at least 0"),
    (NodeMatch, {"mass": "none"}, "mass='none': use one of uniform, sif"),
    (CamrSmatch, {"fix": "some"}, "use one of"),
    (AlignSmatch, {"mode": "camrp2023"}, "use one of"),
    (SIF, {"a": 0}, "must be positive"),
    (VectorSource, {"dimension": 0}, "at least one dimension"),
    (CommandMetric, {"command": "metric {src}"}, "must contain"),
    (CommandMetric, {"command": "metric\0 {src} {tgt}"}, "contains a NUL character"),
    (CommandMetric, {"command": "'a {src} {tgt}"}, "cannot be split: No closing quotation"),
    (FunctionMetric, {"function": "nowhere.at_all"}, "nowhere"),
    (FunctionMetric, {"function": "math.pi"}, "pi"),
]


@pytest.mark.parametrize(
    ("cls", "options", "message"), REFUSED, ids=lambda value: getattr(value, "__name__", None)
)
def test_options_that_are_refused(cls, options, message):
    vectors = {"vectors": VECTORS} if issubclass(cls, WithVectors) else {}
    with pytest.raises(OptionError, match=message):
        cls(**options, **vectors)


plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
).filter(lambda value: "inf" not in repr(value))
names = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)


@given(st.dictionaries(names.filter(lambda name: not iskeyword(name)), plain, max_size=3))
def test_options_survive(options):
    text = call_text("builtins.dict", options)
    assert target_of(text) == "builtins.dict"
    assert function_of(text)() == options


@pytest.mark.parametrize(
    ("options", "name"),
    [({"k": object()}, "k"), ({"k": float("nan")}, "k"), ({"k": [{1}]}, "k"), ({"a b": 1}, "a b")],
)
def test_options_that_have_no_text(options, name):
    with pytest.raises(OptionError, match=f"m.f: option '{name}': expected a plain value"):
        call_text("m.f", options)


@pytest.mark.parametrize(
    "text",
    ["m.f(", "m.f(1)", "m.f(k=len)", "m.f(**{'k': 1})", "m.f(k=1)(k=2)", "m.f(k=1) + 1"],
)
def test_texts_that_are_not_calls(text):
    with pytest.raises(OptionError, match=r"expected a function with options, such as module\."):
        function_of(text)


def test_equal_weights_have_one_signature():
    for cls, name in ((SemBleu, "weights"), (Wlk, "level_weights")):
        given = [cls(**{name: weights}).signature for weights in ((1, 2, 0.5), [1.0, 2.0, 0.5])]
        assert given[0] == given[1]
        assert f"{name}=[1.0,2.0,0.5]" in given[0]
