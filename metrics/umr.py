"""Read the sentence graphs of files in the format of Uniform Meaning Representation (UMR).

A file is divided into sentences by lines of hash signs. Each sentence has a header and three parts,
which start with comment lines: the sentence graph in Penman notation, the alignment of its nodes to
words, and the document level annotation. Only the sentence graphs are read.

Source: UMR 2.0 data release and the UMR file format page of ÚFAL (Charles University).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from metrics.corpus import Corpus
from metrics.decoding import after_mark, decode, read_bytes
from metrics.errors import GraphError
from metrics.scanner import scan_regions

SEPARATOR = re.compile(r"#{20,}\s*")  # 80 hash signs in released files
PARTS = {
    "sentence level graph": "graph",
    "alignment": "alignment",
    "document level annotation": "document",
}
PART = re.compile(rf"#\s*({'|'.join(PARTS)})\s*:?\s*", re.IGNORECASE)
SENTENCE_ID = re.compile(r"#.*::\s*sent_id\s*=\s*(\S+)")
SENTENCE = re.compile(r"#\s*::\s*(snt\S*)\s*(.*)")
WORDS = re.compile(r"(?:Words|Sentence):?\s+(.*)")


@dataclass(frozen=True)
class UmrFile:
    """The sentence graphs of a UMR file.

    Attributes:
        graphs: one graph per sentence, with the id and the words as metadata ``id`` and ``snt``.
        alignments: the number of sentences whose alignment was skipped.
        documents: the number of sentences whose document level annotation was skipped.
    """

    graphs: Corpus
    alignments: int
    documents: int


def read_umr(path: str | Path) -> UmrFile:
    """Read the sentence graphs of a UMR file.

    Raises:
        GraphError: if the file cannot be read, is not valid UTF-8 or has no sentences, or if a
            sentence does not have exactly one valid graph.
    """
    return parse_umr(read_bytes(path), str(path))


def parse_umr(data: bytes, source: str = "<text>") -> UmrFile:
    r"""Read the sentence graphs of a text in UMR format.

    Args:
        data: the text, in UTF-8; a byte order mark is skipped.
        source: its name in error messages.

    Raises:
        GraphError: as `read_umr`.

    >>> umr = parse_umr(b'''########################################
    ... # :: snt1
    ... Words: Dogs bark .
    ...
    ... # sentence level graph:
    ... (s1b / bark-01 :ARG0 (s1d / dog) :aspect habitual)
    ...
    ... # alignment:
    ... s1b: 2-2
    ...
    ... # document level annotation:
    ... (s1s0 / sentence)
    ... ''')
    >>> umr.graphs[0].concepts, umr.graphs[0].sentence, umr.alignments, umr.documents
    (('bark-01', 'dog'), 'Dogs bark .', 1, 1)
    """
    data = data[after_mark(data, source) :]
    decode(data, source)
    sentences: list[dict[str, str]] = []
    regions: list[tuple[int, int]] = []
    filled = {"alignment": 0, "document": 0}
    part, has_graph, is_empty, position = "", False, True, 0
    for row in data.splitlines(keepends=True):
        end, line = position + len(row), row.decode().strip()
        if SEPARATOR.fullmatch(line):
            sentences.append({})
            regions.append((end, end))
            part, has_graph = "header", False
        elif part and (heading := PART.fullmatch(line)):
            part, is_empty = PARTS[heading[1].lower()], True
            if part == "graph":
                if has_graph:
                    problem = "a second graph of one sentence: is a line of hash signs missing?"
                    raise _error(problem, data, position, source)
                regions[-1], has_graph = (end, end), True
        elif part == "graph":
            regions[-1] = regions[-1][0], end
        elif part == "header":
            sentences[-1] |= _metadata(line, sentences[-1])
        elif part and line and not line.startswith("#"):
            filled[part] += is_empty
            is_empty = False
        elif not part and line and not line.startswith("#"):
            problem = "expected a line of hash signs before the first sentence: is it a UMR file?"
            raise _error(problem, data, position, source)
        position = end
    if not sentences:
        raise GraphError("contains no sentence: is it a UMR file?", source=source)
    graphs = scan_regions(data, np.array(regions), source)
    metadata = [{**own, **dict(old)} for own, old in zip(sentences, graphs.metadata, strict=True)]
    return UmrFile(
        replace(graphs, metadata=tuple(metadata)), filled["alignment"], filled["document"]
    )


def _error(problem: str, data: bytes, position: int, source: str) -> GraphError:
    """An error on the line that starts at a position."""
    return GraphError(problem, source=source, line=1 + len(data[:position].splitlines()))


def _metadata(line: str, known: Mapping[str, str]) -> dict[str, str]:
    """The id or the words that a line of a sentence's header gives."""
    if match := SENTENCE_ID.match(line):
        return {"id": match[1]}
    if match := SENTENCE.match(line):
        found = {"snt": match[2]} if match[2] else {}
        return found | ({} if "id" in known else {"id": match[1]})
    if match := WORDS.match(line):
        return {"snt": " ".join(match[1].split())}
    return {}
