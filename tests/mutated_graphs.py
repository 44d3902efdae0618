"""Graphs in Penman notation with random changes, for tests of reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

PRINTED = r"""
( ) / : ~ # \ " ' , . - ~1 ~e.2 ~e.1,3 ~e. ~ab b b2 s n name () (b) (b) (x) :ARG0 :ARG0-of :-of :
:mod :consist-of "New_York" "a~b"~e.4 "\"" "( \\ ::id #::snt ::a::b ::tok é 走 🐈
"""
WHITESPACE = "\n \r \r\n \t \v \f \x00 \x1c \x85 \xa0 \u2028 \u3000 \ufeff"
SEVERAL = "(x / y)", "(x / y :a (b))", '"a b"', "# ::id x", "\n\n", "\n\n# ::id x\n", " ", "  "
TOKENS = (*PRINTED.split(), *WHITESPACE.split(" "), *SEVERAL)
JOINTS = ("\n\n", "\n\n", "\n", " ", "\r\n\r\n", "")


def blocks_of(paths: Iterable[Path]) -> list[str]:
    """The graphs of files, as text; none that is very long."""
    texts = [block for path in paths for block in path.read_text("utf-8").split("\n\n")]
    return [text for text in texts if text.strip() and len(text) < 1_500]


def mutated(text: str, rng: Random, changes: int) -> str:
    """A text with changes to its characters, tokens or lines."""
    for _ in range(changes):
        at, kind = rng.randint(0, len(text)), rng.randint(0, 7)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[at + rng.randint(1, 200) :]
        elif kind <= 4:
            text = text[:at] + rng.choice(TOKENS) + text[at + rng.randint(0, 1) :]
        elif kind <= 6:
            text = with_pieces_changed(text, rng, swap=kind == 6)
        else:  # a line is removed or repeated
            lines = text.splitlines(keepends=True) or [""]
            k = rng.randrange(len(lines))
            lines[k : k + 1] = lines[k : k + 1] * rng.choice([0, 2])
            text = "".join(lines)
    return text


def with_pieces_changed(text: str, rng: Random, swap: bool) -> str:
    """Two pieces of a text between blanks change places, or one is replaced by a token."""
    pieces = text.split(" ")
    a, b = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    pieces[a], pieces[b] = (pieces[b], pieces[a]) if swap else (rng.choice(TOKENS), pieces[b])
    return " ".join(pieces)


def fuzzed(blocks: Sequence[str], rng: Random) -> bytes:
    """The bytes of one to three graphs, some of them changed."""
    text = rng.choice(JOINTS).join(rng.choices(blocks, k=rng.randint(1, 3)))
    data = bytearray(mutated(text, rng, rng.randint(0, 3)).encode())
    if data and rng.random() < 0.05:
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
