"""The compiled scanner reads the same graphs as penman, and refuses the same texts."""

import re
from pathlib import Path

import numpy as np
import pytest

from bamboo.paths import resource
from metrics.decoding import after_mark, decode
from metrics.errors import GraphError
from metrics.penman_reading import interpret, parse_trees
from metrics.scanner import scan_amr

SAMPLE = Path(str(resource("data"))) / "sample"

FIELDS = ("variables", "concepts", "attributes", "relations", "top", "inverted", "forward")


def with_penman(data, source="some.amr"):
    """The graphs, read by penman alone."""
    return parse_trees(decode(data[after_mark(data, source) :], source), interpret, source)


def outcome(read, *arguments):
    """All that a reader tells of the graphs, or its error."""
    try:
        graphs = read(*arguments)
    except GraphError as error:
        return type(error), str(error), error.source, error.graph, error.line
    return [
        [getattr(graph, field) for field in FIELDS] + [list(graph.metadata.items())]
        for graph in graphs
    ]


def check(data):
    """Compare the scanner with penman; returns whether the text is valid."""
    expected = outcome(with_penman, data)
    assert outcome(scan_amr, data, "some.amr") == expected, data
    return isinstance(expected, list)


# What is read


@pytest.mark.parametrize("path", sorted(SAMPLE.rglob("*.amr")), ids=lambda path: path.parent.name)
def test_the_sample(path):
    assert check(path.read_bytes())


@pytest.mark.parametrize("dataset", ["sts", "sick", "para"])
@pytest.mark.parametrize("partition", ["main", "reify", "syno", "role_confusion"])
def test_the_released_files(shared, dataset, partition):
    folder = shared / "bamboo-amr-benchmark" / dataset / partition
    paths = sorted(folder.glob("*.amr"))
    assert len(paths) >= 2
    for path in paths:
        assert check(path.read_bytes())


# Fuzzing

PRINTED = r"""
( ) / : ~ # \ " ' , . - ~1 ~e.2 ~e.1,3 ~e. ~ab b b2 s n name () (b) (b) (x) :ARG0 :ARG0-of :-of :
:mod :consist-of "New_York" "a~b"~e.4 "\"" "( \\ ::id #::snt ::a::b é 走 🐈
"""
WHITESPACE = "\n \r \r\n \t \v \f \x00 \x1c \x85 \xa0 \u2028 \u3000 \ufeff"
SEVERAL = "(x / y)", "(x / y :a (b))", '"a b"', "# ::id x", "\n\n", "\n\n# ::id x\n", " ", "  "
TOKENS = (*PRINTED.split(), *WHITESPACE.split(" "), *SEVERAL)


def blocks_of(paths):
    return [
        block
        for path in paths
        for block in path.read_text("utf-8").split("\n\n")
        if block.strip() and len(block) < 1_500
    ]


def mutated(text, rng):
    """A text with a few changes to its characters, tokens or lines."""
    for _ in range(rng.integers(0, 4)):
        at, other = sorted(rng.integers(0, len(text) + 1, 2).tolist())
        kind = rng.integers(0, 8)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind <= 3:
            text = text[:at] + str(rng.choice(TOKENS)) + text[at + (kind == 3) :]
        elif kind == 4:  # a token in place of another
            pieces = re.split(r"(\s+|[()\"])", text)
            pieces[rng.integers(len(pieces))] = str(rng.choice(TOKENS))
            text = "".join(pieces)
        elif kind == 5:  # two tokens change places
            pieces = re.split(r"(\s+|[()])", text)
            a, b = rng.integers(0, len(pieces), 2)
            pieces[a], pieces[b] = pieces[b], pieces[a]
            text = "".join(pieces)
        elif kind == 6:  # a line is removed or repeated
            lines = text.splitlines(keepends=True)
            k = rng.integers(0, len(lines)) if lines else 0
            lines[k : k + 1] = lines[k : k + 1] * int(rng.choice([0, 2]))
            text = "".join(lines)
        elif other - at < 200:
            text = text[:at] + text[other:]
    return text


def fuzzed(blocks, rng):
    """A text of one to three graphs, some of them changed."""
    chosen = [blocks[k] for k in rng.integers(0, len(blocks), rng.integers(1, 4))]
    joint = str(rng.choice(["\n\n", "\n\n", "\n", " ", "\r\n\r\n", ""]))
    data = bytearray(mutated(joint.join(chosen), rng).encode())
    if data and rng.random() < 0.05:
        data[rng.integers(len(data))] = rng.integers(256)
    return bytes(data)


def test_fuzzed_sample_graphs():
    blocks, rng = blocks_of(sorted(SAMPLE.rglob("*.amr"))), np.random.default_rng(14)
    valid = [check(fuzzed(blocks, rng)) for _ in range(3_000)]
    assert 0.2 < np.mean(valid) < 0.8
