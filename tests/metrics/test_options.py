"""Options of metrics and solvers that are refused, and functions with options as text."""

from keyword import iskeyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics import Smatch, SmatchPP
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.alignment.s2match import S2match
from amr_metrics.alignment.wsmatch import WSmatch
from amr_metrics.camr import AlignSmatch, CamrSmatch
from amr_metrics.errors import OptionError
from amr_metrics.external import CommandMetric, FunctionMetric
from amr_metrics.features.sema import Sema
from amr_metrics.features.sembleu import SemBleu
from amr_metrics.features.wlk import Wlk
from amr_metrics.options import call_text, function_of, target_of
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import VectorSource, WordVectors
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.with_vectors import WithVectors

NAN, INF = float("nan"), float("inf")
VECTORS = WordVectors.of({"cat": [1, 0]})
REFUSED = [
    (Exact, {"node_limit": -1}, "limits must be"),
    (Exact, {"work_limit": -1}, "limits must be"),
    (Exact, {"work_limit": 2**63}, "limits must be at most"),
    (Exact, {"root_rounds": 0}, "round"),
    (Exact, {"node_rounds": 0}, "round"),
    (Exact, {"root_rounds": 10_001}, "rounds must be at most 10,000"),
    (HillClimb, {"restarts": -1}, "restarts"),
    (HillClimb, {"seed": -1}, "seed"),
    (Smatch, {"root": "Concept"}, "concept"),
    (WSmatch, {"depth": 0}, "depth"),
    (WSmatch, {"root": "top"}, "root"),
    (S2match, {"tau": -0.1}, "tau"),
    (S2match, {"tau": 1.1}, "tau"),
    (S2match, {"tau_sense": NAN}, "tau_sense"),
    (S2match, {"root": "x"}, "root"),
    (SmatchPP, {"root": "verb"}, "use one of preset, concept"),
    (SmatchPP, {"weights": {"polarity": 2}}, "neither a role"),
    (SmatchPP, {"weights": {":polarity": 0}}, "positive"),
    (SmatchPP, {"weights": {"root": INF}}, "positive"),
    (SmatchPP, {"levels": -1}, "at least 0"),
    (SmatchPP, {"levels": 2, "compression": True}, "cannot be combined"),
    (SmatchPP, {"standardize": "amrr"}, "use one of"),
    (Sema, {"variant": "original"}, "original"),
    (Sema, {"hypothesis": "parse"}, "parse"),
    (SemBleu, {"k": 0}, "k=0"),
    (SemBleu, {"k": 5}, "k=5"),
    (SemBleu, {"k": 2, "weights": [1]}, "give 2 positive numbers"),
    (SemBleu, {"k": 2, "weights": [1, 0]}, "give 2 positive numbers"),
    (SemBleu, {"variant": "tool"}, "tool"),
    (SemBleu, {"variant": 2019}, "expected a string: use '2019'"),
    (SemBleu, {"hypothesis": "gold"}, "gold"),
    (Wlk, {"K": -1}, "K=-1"),
    (Wlk, {"K": 101}, "K=101: expected an integer of at most 100"),
    (Wlk, {"direction": "down"}, "down"),
    (Wlk, {"level_weights": "linear"}, "linear"),
    (Wlk, {"variant": 2022}, "2022"),
    (Wlk, {"variant": 2021}, "expected a string: use '2021'"),
    (WWLK, {"K": -1}, "K"),
    (WWLK, {"K": 1.5}, "K"),
    (WWLK, {"K": 101}, "^K=.*: expected an integer of at most"),
    (WWLK, {"seed": -1}, "seed"),
    (WWLK, {"seed": 2**64}, "^seed=.*: expected an integer of at most"),
    (WWLK, {"stability": -1}, "stability"),
    (WWLK, {"stability": 100}, "^stability=.*: expected an integer of at most"),
    (WWLK, {"variant": 2022}, "variant"),
    (WWLK, {"direction": "sideways"}, "direction"),
    (WWLK, {"init": "ones"}, "init"),
    (WWLKTheta, {"weights": {"arg0": 1.0}}, "weights"),
    (WWLKTheta, {"weights": {":ARG0": 1.0}}, "weights"),
    (WWLKTheta, {"weights": {":arg0": NAN}}, "weights"),
    (WWLKTheta, {"weights": {":arg0": INF}}, "weights"),
    (NodeMatch, {"K": 0}, "K=0: expected an integer of at least 1"),
    (NodeMatch, {"edge_weight": -1.0}, "edge_weight=-1.0: must be at least 0"),
    (NodeMatch, {"edge_weight": NAN}, "edge_weight=nan"),
    (NodeMatch, {"mass": "none"}, "mass='none': use one of uniform, sif"),
    (ConceptCosine, {"mass": "heavy"}, "mass='heavy': use one of uniform, sif"),
    (CamrSmatch, {"fix": "some"}, "use one of"),
    (AlignSmatch, {"mode": "camrp2023"}, "use one of"),
    (SIF, {"a": 0}, "must be positive"),
    (SIF, {"a": -0.1}, "must be positive"),
    (SIF, {"a": INF}, "must be positive"),
    (SIF, {"a": NAN}, "must be positive"),
    (VectorSource, {"dimension": 0}, "at least one dimension"),
    (CommandMetric, {"command": "metric {src}"}, "must contain"),
    (CommandMetric, {"command": "metric\0 {src} {tgt}"}, "contains a NUL character"),
    (CommandMetric, {"command": "'a {src} {tgt}"}, "cannot be split: No closing quotation"),
    (FunctionMetric, {"function": "nowhere.at_all"}, "nowhere"),
    (FunctionMetric, {"function": "math.nothing"}, "nothing"),
    (FunctionMetric, {"function": "function"}, "function"),
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


@pytest.mark.parametrize(
    ("text", "message"),
    [("no.such(k=1)", "no.such: No module named 'no'"), ("math.pi", "expected a function, not a")],
)
def test_functions_that_do_not_exist(text, message):
    with pytest.raises(OptionError, match=message):
        function_of(text)


def test_equal_weights_have_one_signature():
    given = [SemBleu(weights=weights).signature for weights in ((1, 2, 0.5), [1.0, 2.0, 0.5])]
    assert given[0] == given[1]
    assert "weights=[1.0,2.0,0.5]" in given[0]
