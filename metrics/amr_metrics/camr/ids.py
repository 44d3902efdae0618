"""Node ids of Chinese AMR: an id specifies the words, or characters of words, of a node."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from amr_metrics.errors import GraphError
from amr_metrics.utils.text import format_count

ID = re.compile(r"x[1-9][0-9]{0,8}(_x?[1-9][0-9]{0,8})*")
OP = re.compile(r":op[0-9]{1,9}")  # the roles of a name's strings
INVISIBLE = "\ufeff\u200b"


def is_id(text: str) -> bool:
    """Check whether a string has the form of a node id.

    >>> is_id("x1_x2_3"), is_id("x光"), is_id("x０")
    (True, False, False)
    """
    return ID.fullmatch(text) is not None


def check_id(text: str, what: str = "a node id") -> str:
    """Return the id unchanged.

    Raises:
        GraphError: if it is not an id; the message points out full-width characters.
    """
    if is_id(text):
        return text
    raise GraphError(f"{text!r} is not {what} (x7, x7_x8, x15_2){full_width_hint(text)}")


def full_width_hint(text: str) -> str:
    """Return the replacement of the first full-width character of a string, for a message.

    >>> full_width_hint("x１"), full_width_hint("x1")
    ("; replace the full-width '１' by '1'", '')
    """
    for character in text:
        if "\uff01" <= character <= "\uff5e" or character == "\u3000":
            half_width = unicodedata.normalize("NFKC", character)
            return f"; replace the full-width {character!r} by {half_width!r}"
    return ""


def check_visible(line: str) -> None:
    """Check that a line contains no byte order mark and no zero-width space.

    Raises:
        GraphError: if it does; with such a character, two concepts look equal but are not.
    """
    for column, character in enumerate(line, 1):
        if character in INVISIBLE:
            raise GraphError(
                f"the invisible character U+{ord(character):04X} in column {column}: remove it"
            )


def list_words(node: str) -> list[tuple[int, tuple[int, ...]]]:
    """Return the words of an id, in its order: (word, its characters); no characters mean all.

    >>> list_words("x7_x8"), list_words("x1_2_3"), list_words("x1_x2_3")
    ([(7, ()), (8, ())], [(1, (2, 3))], [(1, ()), (2, (3,))])
    """
    # "_x" begins a word, "_" alone a character of the word before it: x1_x2_3 is word 1 and the
    # third character of word 2.
    words = []
    for part in check_id(node)[1:].split("_x"):
        word, *characters = map(int, part.split("_"))
        words.append((word, tuple(characters)))
    return words


def anchor(node: str, length: int) -> str:
    """Return the anchor of a node in a sentence of `length` words; "" for an implicit concept.

    Words are joined by ``_``, characters follow their word after a point. A single number above
    the sentence's length is an implicit concept.

    Raises:
        GraphError: an id of several parts with a word beyond the end of the sentence.

    >>> [anchor(node, 15) for node in ("x7", "x7_x8", "x15_2", "x1_2_3", "x1_x2_3", "x26")]
    ['7', '7_8', '15.2', '1.2_1.3', '1_2.3', '']
    """
    words = list_words(node)
    if len(words) == 1 and not words[0][1] and words[0][0] > length:
        return ""
    check_inside(node, length)
    return "_".join(
        "_".join(f"{word}.{character}" for character in characters) or str(word)
        for word, characters in words
    )


def check_inside(node: str, length: int) -> None:
    """Check that the words of an id are within the sentence.

    Raises:
        GraphError: if they are not.
    """
    beyond = next((word for word, _ in list_words(node) if word > length), None)
    if beyond is not None:
        raise GraphError(
            f"{node} refers to word {beyond}, but the sentence has {format_count(length, 'word')}: "
            "check the id and the sentence's length"
        )


def join_words(node: str, words: Mapping[int, str]) -> str:
    """Join the words and characters of an id; "" for a word that the sentence does not have.

    Raises:
        GraphError: a character beyond the end of its word.

    >>> join_words("x1_x2_3", {1: "北京", 2: "天安门"})
    '北京门'
    """
    text = ""
    for word, characters in list_words(node):
        if word not in words:
            return ""
        if max(characters, default=0) > len(words[word]):
            raise GraphError(f"{node} refers to character {max(characters)} of {words[word]!r}")
        text += "".join(words[word][c - 1] for c in characters) or words[word]
    return text
