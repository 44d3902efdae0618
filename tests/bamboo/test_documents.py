"""JSON documents: strict, whatever the numbers, from every command."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo.files import DocumentError, json_text, load_json, plain, read_json

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


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (math.nan, "the document is nan"),
        ([1.0, -math.inf], r"^\[1\] is -inf"),
        ({"rows": [{"a": 1.0}, {"a": (2.0, math.nan)}]}, r"^rows\[1\]\.a\[1\] is nan"),
    ],
)
def test_a_number_that_json_cannot_represent_is_named(document, message):
    with pytest.raises(DocumentError, match=message):
        json_text(document)


def test_arrays_and_numpys_numbers_become_plain_values():
    value = {"a": np.array([[1.0, math.nan]]), "b": np.int8(3), "c": (np.float64("nan"), np.True_)}
    assert plain(value) == {"a": [[1.0, None]], "b": 3, "c": [None, True]}


@pytest.mark.parametrize("text", ["NaN", "[1, Infinity]", '{"a": -Infinity}', "[1,"])
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
        ("tables", "table=1", "data=toy", "out=out"),
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[1" + "0" * 400 + "]", "an integer has 401 digits"),
        ("[-1" + "0" * 5_000 + "]", "an integer has 5002 digits"),
        ("[-1e999]", "-1e999 is too large a number"),
        ("[Infinity]", "Infinity is not JSON"),
        (r'{"name": "\ud800"}', "half of a surrogate pair"),
        (r'{"\udfff\ud800": 1}', "half of a surrogate pair"),
    ],
)
def test_what_later_steps_could_not_use_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_json(text)


def test_what_is_large_but_usable_is_read():
    state = 2**128 - 1  # of a random generator
    assert read_json(f'[{state}, -{state}, 1e308, "\\ud83d\\ude00"]') == [
        state,
        -state,
        1e308,
        "😀",
    ]


def test_a_file_is_measured_before_it_is_parsed(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("[1, 2]")
    assert load_json(path, largest=6) == [1, 2]
    with pytest.raises(ValueError, match="more than 5 bytes"):
        load_json(path, largest=5)
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        load_json(Path("/dev/zero"), largest=1_000)
