"""Functions with options as text."""

from keyword import iskeyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.errors import OptionError
from amr_metrics.utils.functions import call_text, extract_target, import_function

plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
).filter(lambda value: "inf" not in repr(value))
names = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)


@given(st.dictionaries(names.filter(lambda name: not iskeyword(name)), plain, max_size=3))
def test_options_survive(options):
    text = call_text("builtins.dict", options)
    assert extract_target(text) == "builtins.dict"
    assert import_function(text)() == options


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
        import_function(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [("no.such(k=1)", "no.such: No module named 'no'"), ("math.pi", "expected a function, not a")],
)
def test_functions_that_do_not_exist(text, message):
    with pytest.raises(OptionError, match=message):
        import_function(text)
