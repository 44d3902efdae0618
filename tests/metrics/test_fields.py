"""Values from YAML against the fields of a dataclass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from amr_metrics.errors import OptionError
from amr_metrics.fields import fit, fit_options, read_options

if TYPE_CHECKING:
    from decimal import Decimal


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
    found = fit(value, hint, "x")
    assert found == expected
    assert type(found) is type(expected)


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
