"""Values of rows at the end of a path, such as ``response.choices[0].message.content``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from bamboo.errors import ConfigError

MOST_PATHS = 5  # that a message lists
LONGEST_PATH = 200  # characters of one of them
INDEX = re.compile(r"\[(-?[0-9]+)\]")
JSON = re.compile(r"\s*[{\[]")  # how the JSON of an object or a list begins
# All parts are possessive, so that the time is linear in the length of the text.
GRAPH = re.compile(r'\(\s*+[^\W\d_][^\s()/:"]*+\s*+/')  # how a graph begins
TEXT_BLOCKS = ("text", "output_text")


class NoFieldError(ValueError):
    """A path that a row does not have.

    Attributes:
        is_inside_text: whether the row has the beginning of the path, which leads to a text that
            is no JSON, or lacks the rest: what a model has written, not how rows are stored.
    """

    def __init__(self, problem: str, is_inside_text: bool) -> None:
        self.is_inside_text = is_inside_text
        super().__init__(problem)


def split_paths(option: str, paths: str | Sequence[str] | None) -> tuple[str | None, str | None]:
    """Return the paths in rows of src and of tgt.

    Raises:
        ConfigError: an empty path, or more than two.
    """
    if paths is None:
        return None, None
    names = paths.split(",") if isinstance(paths, str) else [*paths]
    if not 1 <= len(names) <= 2 or not all(names):
        raise ConfigError(
            f"{option}={','.join(names)}: name one field, or that of src and that of tgt"
        )
    return names[0], names[-1]


def find_value(row: Any, path: str) -> Any:
    """Return the value at the end of a path; None if null comes earlier.

    At an object, the longest part of the path that is a key is followed, so that keys may contain
    dots; at a list, an index. A text on the way is read as JSON.

    Raises:
        NoFieldError: there is none.

    >>> find_value({"a.b": 1, "a": [{"b": 2}, '{"b": 3}']}, "a.b")
    1
    >>> find_value({"a": [{"b": 2}, '{"b": 3}']}, "a[-1].b")
    3
    """
    *_, value = follow_path(row, path)
    return value


def follow_path(row: Any, path: str) -> Iterator[Any]:
    """Yield a row, the values on a path, and the value at its end; see `find_value`.

    Raises:
        NoFieldError: the path does not go on.
    """
    value, rest, is_inside_text = row, path, False
    yield value
    while rest and value is not None:
        if isinstance(value, str):
            value, is_inside_text = _parse_json(value), True
            if value is None:
                raise NoFieldError(f"{_before(path, rest)} is no JSON", is_inside_text)
        key = _find_key(value, rest)
        if key is not None:
            value, step = value[key], key
        elif isinstance(value, list) and (index := INDEX.match(rest)) and _has(value, index[1]):
            value, step = value[int(index[1])], index[0]
        else:
            raise NoFieldError(f"there is no field {path}", is_inside_text)
        rest = rest[len(step) :].removeprefix(".")
        yield value


def _find_key(value: Any, path: str) -> str | None:
    """Return the longest beginning of a path that is a key of an object; None without one."""
    if not isinstance(value, Mapping):
        return None
    ends = [match.start() for match in re.finditer(r"[.\[]", path)]
    keys = (path[:end] for end in [len(path), *reversed(ends)])
    return next((key for key in keys if key in value), None)


def _has(values: Sequence[Any], index: str) -> bool:
    return len(index) < 20 and -len(values) <= int(index) < len(values)


def _before(path: str, rest: str) -> str:
    return path.removesuffix(rest).removesuffix(".")


def _parse_json(text: str) -> Any:
    """Return the object or list that a text is in JSON; None if it is something else."""
    if JSON.match(text) is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def join_blocks(value: Any) -> Any:
    """Return the texts of a list of typed blocks, joined; None without a text.

    Such lists are the answers of some interfaces. Any other value is returned unchanged.

    >>> join_blocks([{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "(c / cat)"}])
    '(c / cat)'
    """
    if not isinstance(value, list) or not all(
        isinstance(block, Mapping) and "type" in block for block in value
    ):
        return value
    texts = [block.get("text") for block in value if block["type"] in TEXT_BLOCKS]
    texts = [text for text in texts if isinstance(text, str)]
    return "".join(texts) if texts else None


def list_graph_paths(value: Any, prefix: str = "") -> list[str]:
    """Return the first paths in a value whose text contains a graph.

    >>> list_graph_paths({"id": "a", "answers": ["(c / cat)", '{"amr": "(d / dog)"}']})
    ['answers[0]', 'answers[1].amr']
    """
    paths = (path for path in _walk_graphs(value, prefix) if len(path) <= LONGEST_PATH)
    return [*islice(paths, MOST_PATHS)]


def list_json_paths(text: str, prefix: str) -> list[str]:
    """Return the first paths with a graph in a text that as a whole is JSON; none in another."""
    value = _parse_json(text)
    return [] if value is None else list_graph_paths(value, prefix)


def list_paths(value: Any, prefix: str) -> list[str]:
    """Return the paths of the first values in an object or list."""
    return [path for path, _ in islice(_list_children(value, prefix), MOST_PATHS)]


def _walk_graphs(value: Any, prefix: str) -> Iterator[str]:
    """Yield the paths whose text contains a graph; without recursion, since rows may be deep."""
    waiting = [(prefix, value)]
    while waiting:
        path, value = waiting.pop()
        value = join_blocks(value)
        if isinstance(value, str) and (parsed := _parse_json(value)) is not None:
            value = parsed
        if isinstance(value, str) and GRAPH.search(value):
            yield path
        waiting += reversed([*_list_children(value, path)])


def _list_children(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"{path}.{key}" if path else str(key), item) for key, item in value.items())
    elif isinstance(value, list):
        yield from ((f"{path}[{k}]", item) for k, item in enumerate(value))
