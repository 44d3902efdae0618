"""The ``# ::key value`` lines of many graphs, parsed on demand.

As for penman, a value ends at the next ``::``, but the value of ``::snt`` and ``::tok`` is the rest
of the line, because sentences contain colons, such as ``std::sort``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import overload

import numpy as np

from amr_metrics.types import Ints
from amr_metrics.utils.text import split_lines

# A graph's sentence is the value of the first of these keys that it has.
SENTENCE_KEYS = ("snt", "tok")
# In a line: the key and the value.
_PATTERN = rf"::({'|'.join(SENTENCE_KEYS)})(?:(?: |(?=::))([^\r\n]*)|(?=[\r\n]|\Z))"
SENTENCE = re.compile(_PATTERN)


@dataclass(frozen=True, eq=False)
class Comments(Sequence[Mapping[str, str]]):
    r"""The metadata of graphs: one mapping of keys to values per graph.

    Attributes:
        text: the comment lines of all graphs, in UTF-8.
        start: int64 g + 1, where those of each graph start in `text`.

    >>> import numpy as np
    >>> text = b"# ::id 1 ::date today\n# ::snt A dog.\n# ::id 2\n"
    >>> comments = Comments(text, np.array([0, 37, 46]))
    >>> comments[0]
    {'date': 'today', 'id': '1', 'snt': 'A dog.'}
    """

    text: bytes = field(repr=False)
    start: Ints = field(repr=False)

    def __len__(self) -> int:
        return len(self.start) - 1

    @overload
    def __getitem__(self, k: int) -> Mapping[str, str]: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Mapping[str, str]]: ...
    def __getitem__(self, k: int | slice) -> Mapping[str, str] | Sequence[Mapping[str, str]]:
        if isinstance(k, slice):
            return tuple(self[at] for at in range(len(self))[k])
        at = range(len(self))[k]
        return metadata(self.text[self.start[at] : self.start[at + 1]].decode())

    def take(self, graphs: Ints) -> Comments:
        """Return the metadata of some graphs, with a text of their comment lines only."""
        spans = zip(self.start[graphs].tolist(), self.start[graphs + 1].tolist(), strict=True)
        parts = [self.text[begin:end] for begin, end in spans]
        lengths = np.array([len(part) for part in parts], np.int64)
        return Comments(b"".join(parts), np.concatenate([[0], np.cumsum(lengths)]))

    def values(self, key: str) -> list[str | None]:
        r"""Return the value of one key for each graph; None for a graph without it.

        The same as ``[entry.get(key) for entry in self]``, but much faster.

        >>> import numpy as np
        >>> Comments(b"# ::id 1 ::n 2\n# ::snt A dog.\n", np.array([0, 15, 30])).values("id")
        ['1', None]
        """
        begins, entries = _entries(self.text, key)
        values: list[str | None] = [None] * len(self)
        graphs = np.searchsorted(self.start, begins, side="right") - 1
        counts = np.bincount(graphs, minlength=len(self)).tolist()
        texts = b"\n".join([entry or b"" for entry in entries]).decode().split("\n")
        for k, entry, text in zip(graphs.tolist(), entries, texts, strict=False):
            # An entry that is None, or several entries of the key: penman takes the first.
            values[k] = self[k].get(key) if entry is None or counts[k] > 1 else text.rstrip()
        return values


def _entries(text: bytes, key: str) -> tuple[Ints, list[bytes | None]]:
    """Find ``::key`` in comment lines: return its positions and its values.

    A value is None if ``::key`` may be part of a sentence, or if a third colon follows the value,
    which penman may count to the next key or to the value.
    """
    mark = b"::" + key.encode()
    parts = text.split(mark + b" ")
    if b"\r" in text or text.count(mark) != len(parts) - 1:  # no value, or a longer key
        return _entries_by_pattern(text, key)
    entries: list[bytes | None] = []
    is_sentence = key in SENTENCE_KEYS
    for before, part in pairwise(parts):
        value, line = part.partition(b"\n")[0], before[before.rfind(b"\n") + 1 :]
        is_unsure = b"::snt" in line or b"::tok" in line
        if not is_sentence:
            value, colons, rest = value.partition(b"::")
            is_unsure = is_unsure or (colons != b"" and rest[:1] == b":")
        entries.append(None if is_unsure else value)
    steps = np.array([len(part) for part in parts[1:]], np.int64) + len(mark) + 1
    return len(text) - np.cumsum(steps[::-1])[::-1], entries


def _entries_by_pattern(text: bytes, key: str) -> tuple[Ints, list[bytes | None]]:
    """Do the same as `_entries` for all keys and ends of lines, three times slower."""
    sentence = _PATTERN.encode()
    if key in SENTENCE_KEYS:
        matches = [match for match in re.finditer(sentence, text) if match[1] == key.encode()]
        entries: list[bytes | None] = [match[2] or b"" for match in matches]
    else:
        # Up to "::" or the end of the line: ([^\r\n] unless "::" begins there)*, without a test
        # of each character.
        value = rb"(?: ([^\r\n:]*(?::(?!:)[^\r\n:]*)*)|(?=::|[\r\n]|\Z))"
        pattern = rb"%b|::%b%b" % (sentence, re.escape(key.encode()), value)
        matches = [match for match in re.finditer(pattern, text) if match[1] is None]
        entries = [
            None if b":" in text[match.end() + 2 : match.end() + 3] else match[3] or b""
            for match in matches
        ]
    return np.array([match.start() for match in matches], np.int64), entries


def take_metadata(
    metadata: Sequence[Mapping[str, str]], graphs: Ints
) -> Sequence[Mapping[str, str]]:
    """Return the metadata of the graphs at some positions."""
    if isinstance(metadata, Comments):
        return metadata.take(graphs)
    return tuple([metadata[k] for k in graphs.tolist()])


def values_of(key: str, metadata: Sequence[Mapping[str, str]]) -> list[str | None]:
    """Return the value of one key in each of some mappings; None where it is missing."""
    if isinstance(metadata, Comments):
        return metadata.values(key)
    return [entry.get(key) for entry in metadata]


def choose_sentences(snt: Sequence[str | None], tok: Sequence[str | None]) -> list[str | None]:
    """Return the sentence of each graph: the value of ``::snt``, or else of ``::tok``.

    >>> choose_sentences(["A dog.", None, None], ["A dog .", "A cat .", None])
    ['A dog.', 'A cat .', None]
    """
    both = zip(snt, tok, strict=True)
    return [tokens if sentence is None else sentence for sentence, tokens in both]


def join_metadata(parts: Sequence[Sequence[Mapping[str, str]]]) -> Sequence[Mapping[str, str]]:
    """Return the metadata of the graphs of several corpora, in order."""
    comments = [part for part in parts if isinstance(part, Comments)]
    if len(comments) < len(parts):
        return tuple([entry for part in parts for entry in part])
    texts = [part.text[part.start[0] : part.start[-1]] for part in comments]
    begins = np.cumsum([0, *map(len, texts)])
    moved = [
        part.start[:-1] - part.start[0] + begin
        for part, begin in zip(comments, begins[:-1], strict=True)
    ]
    return Comments(b"".join(texts), np.concatenate([*moved, begins[-1:]]).astype(np.int64))


def metadata(comments: str) -> dict[str, str]:
    r"""Return the keys and values in comment lines.

    >>> metadata("# no key\n# ::id a ::b  c \n# ::snt Use std::sort ::here.")
    {'b': ' c', 'id': 'a', 'snt': 'Use std::sort ::here.'}
    """
    values: dict[str, str] = {}
    if "::" not in comments:
        return values
    for line in split_lines(comments):
        if sentence := SENTENCE.search(line):
            values[sentence[1]] = (sentence[2] or "").rstrip()
            line = line[: sentence.start()]
        while line:
            line, separator, entry = line.rpartition("::")
            if separator:
                key, _, value = entry.partition(" ")
                values[key] = value.rstrip()
    return values
