"""The ``# ::key value`` lines of many graphs, parsed on demand.

As for penman, a value ends at the next ``::``, but the value of ``::snt`` and ``::tok`` is the rest
of the line, because sentences contain colons, such as ``std::sort``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from amr_metrics.graphs.rows import find_span
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.types import Ints
from amr_metrics.utils.text import split_lines

# A graph's sentence is the value of the first of these keys that it has.
SENTENCE_KEYS = ("snt", "tok")
# In a line: the key and the value.
SENTENCE = re.compile(rf"::({'|'.join(SENTENCE_KEYS)})(?:(?: |(?=::))([^\r\n]*)|(?=[\r\n]|\Z))")
# What ``comments.c`` says of the value of a key; if it is neither, Python parses the comments.
MISSING, FOUND = range(2)


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
        if (span := find_span(graphs)) is not None:
            start = self.start[span.start : span.stop + 1]
            return Comments(self.text[start[0] : start[-1]], start - start[0])
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
        text, graphs, name = self.text, len(self), key.encode()
        kinds, joined = np.empty(graphs, np.int8), np.empty(len(text) + graphs, np.uint8)
        size = _collect_values(
            *(len(text), graphs, len(name), key in SENTENCE_KEYS, text, self.start, name),
            *(kinds, joined),
        )
        texts = joined[:size].tobytes().decode()
        values: list[str | None] = [*texts.split("\n")]
        values.pop()
        if not texts.isascii():  # there may be other blanks
            values = [value and value.rstrip() for value in values]
        for k in np.flatnonzero(kinds != FOUND).tolist():
            values[k] = None if kinds[k] == MISSING else self[k].get(key)
        return values


def take_metadata(
    metadata: Sequence[Mapping[str, str]], graphs: Ints
) -> Sequence[Mapping[str, str]]:
    """Return the metadata of the graphs at some positions."""
    if isinstance(metadata, Comments):
        return metadata.take(graphs)
    return tuple([metadata[k] for k in graphs.tolist()])


def list_values(key: str, metadata: Sequence[Mapping[str, str]]) -> list[str | None]:
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


_collect_values = declare_kernel("collect_values")
