"""YAML that is invalid."""

import sys

import pytest

from bamboo.files import parse_yaml


@pytest.fixture
def usual_limit():
    """Python's own recursion limit: up to that of the tests, YAML takes seconds."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 1_000, "nested too deeply"),
        ("a: [", "expected the node content"),
        ("when: 2021-13-45", "month must be in 1..12"),
        ("a: !!int ''", "string index out of range"),
        ("a: !!python/object/apply:os.system [ls]", "could not determine a constructor"),
        ("\x00", "special characters are not allowed"),
    ],
)
def test_what_is_refused(usual_limit, text, message):
    with pytest.raises(ValueError, match=message) as caught:
        parse_yaml(text)
    assert "\n" not in str(caught.value)


def test_in_the_users_folder(refused, user, tiny):
    path = user.path / "metric" / "damaged.yaml"
    path.write_text("a: [")
    assert f"{path} cannot be read: " in refused("run", "metric=damaged", "data=tiny", user.option)
    path.write_text("a: 1\n", "utf-16")
    message = f"{path} cannot be read: line 1: is UTF-16, not UTF-8: convert the file first"
    assert message in refused("run", "metric=damaged", "data=tiny", user.option)
