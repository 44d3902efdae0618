"""Options of metrics and solvers that are refused, and values from YAML for fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

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
from amr_metrics.options import fit, fit_options, read_options
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import VectorSource, WordVectors
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.with_vectors import WithVectors

if TYPE_CHECKING:
    from decimal import Decimal

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
    (SmatchPP, {"weights": {":arg0": 2}}, "writes ':arg0' as ':ARG0'"),
    (SmatchPP, {"weights": {":Polarity": 2}}, "use this"),
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


def test_equal_weights_have_one_signature():
    signatures = [SemBleu(weights=weights).signature for weights in ((1, 2, 0.5), [1.0, 2.0, 0.5])]
    assert signatures[0] == signatures[1]
    assert "weights=[1.0,2.0,0.5]" in signatures[0]


@dataclass(frozen=True)
class Inner:
    depth: int


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    parts: Mapping[str, Inner] = field(default_factory=dict)


@dataclass(frozen=True)
class Unknowable:
    amount: Decimal
    count: int = 0


GOOD = [
    (True, bool, True),
    (3, int, 3),
    (3, float, 3),
    (0.5, float, 0.5),
    ("x", str, "x"),
    (None, str | None, None),
    ("x", str | None, "x"),
    ("a/b", Path, Path("a/b")),
    ("x", str | tuple[str, ...], "x"),
    (["x", "y"], str | tuple[str, ...], ("x", "y")),
    ([], tuple[str, ...], ()),
    ([1, 2.5], tuple[float, float], (1, 2.5)),
    ([1, 2], list[int], [1, 2]),
    ([1, 2], Sequence[int], [1, 2]),
    ({"a": 1}, Mapping[str, int | None], {"a": 1}),
    ({"depth": 1}, Inner, Inner(1)),
    ({"_target_": "a.B", "any": 1}, Inner, {"_target_": "a.B", "any": 1}),
    ("stop", Literal["stop", "nan"], "stop"),
    (float("nan"), Literal["stop", "nan"], "nan"),  # as Hydra reads it
    (object, Any, object),
    ("f", Callable[[int], int], "f"),
]

BAD = [
    ("maybe", bool, 'x="maybe": expected true or false'),
    (1, bool, "x=1: expected true or false"),
    ("abc", int, 'x="abc": expected an integer'),
    (1.5, int, "x=1.5: expected an integer"),
    (True, int, "x=true: expected an integer"),
    (True, float, "x=true: expected a number"),
    ("abc", float, 'x="abc": expected a number'),
    (5, str, "x=5: expected a string"),
    (None, str, "x=null: expected a string"),
    (["a"], Path, 'x=["a"]: expected a path'),
    (5, str | tuple[str, ...], "x=5: expected a string or a list"),
    ([1], tuple[float, float], "x=[1]: expected 2 values"),
    ([1, "b"], tuple[float, float], 'x[1]="b": expected a number'),
    ([["a"]], str | tuple[str, ...], 'x[0]=["a"]: expected a string'),
    ({"a": "b"}, Mapping[str, int], 'x.a="b": expected an integer'),
    ("abc", Mapping[str, int], 'x="abc": expected a mapping'),
    ("stpo", Literal["stop", "nan"], "unknown x 'stpo': did you mean 'stop'"),
    (3, Literal["stop", "nan"], "x=3: expected one of stop, nan"),
    ("abc", Inner, 'x="abc": expected the options of Inner'),
    ({"depth": "b"}, Inner, 'x.depth="b": expected an integer'),
    ({"dept": 1}, Inner, "unknown option of x 'dept': did you mean 'depth'"),
    ({}, Inner, "x.depth=... is required"),
]


@pytest.mark.parametrize(("value", "hint", "expected"), GOOD)
def test_a_valid_value_is_converted_to_the_annotated_type(value, hint, expected):
    fitted = fit(value, hint, "x")
    assert fitted == expected
    assert type(fitted) is type(expected)


@pytest.mark.parametrize(("value", "hint", "message"), BAD)
def test_a_value_of_a_wrong_type_is_named_with_the_expected_type(value, hint, message):
    with pytest.raises(OptionError) as caught:
        fit(value, hint, "x")
    assert message in str(caught.value)


def test_nested_dataclasses_are_built_and_named_by_their_path():
    values = {"name": "n", "inner": {"depth": 1}, "parts": {"a": {"depth": 2}}}
    assert read_options(Outer, values) == Outer("n", Inner(1), {"a": Inner(2)})
    values["parts"] = {"a": {"depth": None}}
    with pytest.raises(OptionError, match=r"^data\.parts\.a\.depth=null"):
        read_options(Outer, values, "data")


def test_unknown_and_missing_options():
    with pytest.raises(OptionError, match="unknown option 'nmae': did you mean 'name'"):
        read_options(Outer, {"nmae": "n", "inner": {"depth": 1}})
    with pytest.raises(OptionError, match=r"^inner=\.\.\. is required"):
        read_options(Outer, {"name": "n"})
    assert fit_options(Outer, {"name": "n"}) == {"name": "n"}


def test_types_that_exist_for_type_checkers_only_let_values_pass():
    assert fit_options(Unknowable, {"amount": "1", "count": 2}) == {"amount": "1", "count": 2}


def test_home_folders_are_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/of/mine")
    assert fit("~/data", Path, "x") == Path("/home/of/mine/data")
    assert fit("~nobody-of-that-name/data", Path, "x") == Path("~nobody-of-that-name/data")
