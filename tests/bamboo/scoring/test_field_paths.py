"""Paths in rows."""

import json

import pytest

from bamboo.errors import ConfigError
from bamboo.scoring.field_paths import (
    NoFieldError,
    find_value,
    join_blocks,
    list_graph_paths,
    list_json_paths,
    split_paths,
)

CAT = "(c / cat)"
ROW = {
    "a.b": 1,
    "a": {"b": 2, "c.d": {"e": 3}, "": 4},
    "list": [{"x": "first"}, {"x": "last"}],
    "json": '{"amr": "(c / cat)", "more": [5, "{\\"deep\\": 6}"]}',
    "null": None,
    "text": "no JSON",
    "x[0]": 7,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", 1),
        ("a.c.d.e", 3),
        ("a.", ROW["a"]),
        ("list[0].x", "first"),
        ("list[-1].x", "last"),
        ("json", ROW["json"]),
        ("json.amr", CAT),
        ("json.more[0]", 5),
        ("json.more[1].deep", 6),
        ("null", None),
        ("null.and[0].more", None),
        ("x[0]", 7),
    ],
)
def test_values(path, value):
    assert find_value(ROW, path) == value


@pytest.mark.parametrize(
    ("path", "is_inside_text"),
    [
        *((path, False) for path in ("b", "a.x", "list[2].x", "list[-3]", "list.x", "list[x]")),
        *((path, False) for path in ("list[" + "9" * 5000 + "]", "a.b.c", "x[0][0]")),
        *((path, True) for path in ("text.amr", "json.amr.x", "json.other", "json.more[1].x")),
    ],
)
def test_paths_that_a_row_lacks(path, is_inside_text):
    with pytest.raises(NoFieldError) as raised:
        find_value(ROW, path)
    assert raised.value.is_inside_text == is_inside_text


def test_blocks_of_text():
    blocks = [
        {"type": "thinking", "thinking": "(x / thing)"},
        {"type": "text", "text": "(c "},
        {"type": "output_text", "text": "/ cat)"},
        {"type": "text", "text": None},
    ]
    assert join_blocks(blocks) == CAT
    assert join_blocks(blocks[:1]) is None
    assert join_blocks([]) is None
    for value in (CAT, [CAT], [{"text": CAT}], {"type": "text", "text": CAT}, 3):
        assert join_blocks(value) is value


def test_paths_with_graphs():
    assert list_graph_paths(ROW) == ["json.amr"]
    row = {"a": [CAT] * 9, "he / she": "(he)", "b": 1}
    assert list_graph_paths(row) == [f"a[{k}]" for k in range(5)]
    blocks = {"answer": {"content": [{"type": "text", "text": CAT}]}}
    assert list_graph_paths(blocks, "row") == ["row.answer.content"]
    assert list_json_paths(json.dumps({"amr": CAT}), "answer") == ["answer.amr"]
    assert list_json_paths(CAT, "answer") == []
    for path in list_graph_paths(row | blocks):
        assert CAT in str(join_blocks(find_value(row | blocks, path)))


def test_a_deep_row():
    value = CAT
    for _ in range(10_000):
        value = [value]
    assert list_graph_paths({"deep": value, "short": CAT}) == ["short"]


def test_paths_of_both_sides():
    assert split_paths("field", None) == (None, None)
    assert split_paths("field", "a.b") == ("a.b", "a.b")
    assert split_paths("field", "a,b") == split_paths("field", ("a", "b")) == ("a", "b")
    for paths in ("", "a,", "a,b,c"):
        with pytest.raises(ConfigError, match=r"^id_field=.*: name one field, or"):
            split_paths("id_field", paths)
