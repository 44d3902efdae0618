"""JSON documents: strict, whatever the numbers, from every command."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.files import DocumentError, json_text, plain, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def strict(text):
    """What a parser reads that takes JSON alone."""

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


@given(VALUES)
def test_a_text_is_strict_json(value):
    text = json_text(plain(value))
    assert strict(text) == read_json(text) == plain(value)


def test_a_number_that_json_cannot_represent_is_an_error():
    with pytest.raises(DocumentError, match="Out of range float values"):
        json_text({"rows": [{"a": (2.0, math.nan)}]})


def test_arrays_and_numpys_numbers_become_plain_values():
    value = {"a": np.array([[1.0, math.nan]]), "b": np.int8(3), "c": (np.float64("nan"), np.True_)}
    assert plain(value) == {"a": [[1.0, None]], "b": 3, "c": [None, True]}


@pytest.mark.parametrize("text", ["NaN", "[1, Infinity]", "[1,", "[" * 100_000])
def test_invalid_json_is_rejected(text):
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


def test_no_other_module_of_the_harness_writes_json():
    import bamboo

    folder = Path(bamboo.__file__).parent
    modules = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "json.dump" in path.read_text("utf-8")
    }
    assert modules == {"files.py"}


# --- every command ---------------------------------------------------------------------------


@pytest.fixture
def odd(user, home):
    """Data with a pair that no metric of its own can score, and scores that are all the same."""
    user.metric("constant", "Constant")
    user.metric("refusing", "Refusing")
    user.metric("size", "Size")
    user.data("toy", [1, 2, 3, 4, 5, 6], [0, 0.1, 0.4, 0.3, 0.8, 1])
    (home / "src.amr").write_text(
        "(a / b)\n\n(a / b :ARG0 (c / d))\n\n(x / y)\n\n(a / b :mod (c / e))\n", "utf-8"
    )
    (home / "tgt.amr").write_text(
        "(a / b)\n\n(a / c :ARG0 (c / d))\n\n(x / y)\n\n(a / b :mod (c / e))\n", "utf-8"
    )
    return user


METRICS = "metric=[constant,refusing,size]"
TOY = ("data=toy", "on_error=nan", "out=out")
FILES = ("src=src.amr", "tgt=tgt.amr")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", METRICS, *TOY, "ci=true"),
        ("run", METRICS, *TOY, "protocol=spearman"),
        ("compare", METRICS, *TOY, "permutations=99", "resamples=99"),
        ("compare", "metric=[constant,size]", *TOY, "permutations=99", "resamples=99"),
        ("score", "metric=refusing", *FILES, "on_error=nan", "ci=true", "resamples=20"),
        ("score", "metric=smatchpp", *FILES, "aspects=all", "ci=true", "resamples=20"),
        ("score", "metric=constant", "src=[src.amr,tgt.amr]", "tgt=tgt.amr", "resamples=20"),
        ("explain", "metric=smatch", *FILES, "pair=1"),
        ("tables", "table=table1", "data=toy", "out=out", "engine=serial"),
        ("build", "data=toy", "partition=[reify,arg]", "out=out"),
    ],
    ids=lambda arguments: "-".join(arguments[:2]),
)
def test_every_command_writes_strict_json(cli, odd, home, arguments):
    outcome = cli(*arguments, "report=json", odd.option)
    assert outcome.status == 0, outcome.err
    strict(outcome.out)
    for path in (home / "out").rglob("*.json"):
        strict(path.read_text("utf-8"))
