r"""Repair graphs that cannot be read: brackets, and variables that two nodes share.

Only repairs that give the intended graph wherever it can be known are made; what is ambiguous, or
cut off, is left as it is. The time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count, pairwise
from typing import NamedTuple

from bamboo.scoring.graph_text import COMMENT, ROLE, STRING
from bamboo.scoring.repaired import RULES

LINES = 3  # of which a graph has at least as many show its indentation

DOUBLED = re.compile(rf"(?P<kept>{COMMENT}|{STRING})|\((?:\s*+\()++", re.MULTILINE)
TOKEN = re.compile(rf"(?P<comment>{COMMENT})|{STRING}|[()]|[^\s()\"]++", re.MULTILINE)
ROLE_LINE = re.compile(rf"[^\S\n]*+{ROLE}")
SYMBOL = r"[^\s()/:\"~]++"
PART = re.compile(
    rf"{COMMENT}|\(\s*+(?P<variable>{SYMBOL})\s*+/\s*+(?P<concept>{STRING}|[^\s()\"~]++)"
    rf"(?:~[^\s()]*+)?(?P<end>\s*+\))?|{STRING}|:[^\s()\"]*+(?:\s++(?P<target>{SYMBOL}))?"
    rf"|\(\s*+(?P<mention>{SYMBOL})\s*+\)",
    re.MULTILINE,
)
VARIABLE = re.compile(r"[A-Za-z]{1,2}|[A-Za-z]+\d+")  # what may be one, if no node has it


class Repair(NamedTuple):
    """A repaired text.

    Attributes:
        text: the text.
        done: what was done, by the names of the numbers of `bamboo.scoring.repaired.Repaired`.
    """

    text: str
    done: tuple[str, ...]


def repair_text(text: str, rules: Sequence[str]) -> Repair | None:
    """Repair the graph of a text; None if nothing is to be repaired, or the graph is not known.

    Whether the repaired text can be read is not checked.

    Args:
        rules: those of `RULES` that are applied.

    >>> repair_text("(s / sleep-01 :ARG0 (c / cat)", ["brackets"])
    Repair(text='(s / sleep-01 :ARG0 (c / cat))', done=('closed', 'one_line'))
    >>> repair_text("(s / see-01 :ARG0 (c / cat) :ARG1 (c / cow))", ["variables"])
    Repair(text='(s / see-01 :ARG0 (c / cat) :ARG1 (c2 / cow))', done=('renamed',))
    """
    done: tuple[str, ...] = ()
    for rule, apply in zip(RULES, (_repair_brackets, _repair_variables), strict=True):
        if rule in rules:
            repaired = apply(text)
            if repaired is None:
                return None
            text, done = repaired.text, done + repaired.done
    return Repair(text, done) if done else None


def _repair_brackets(text: str) -> Repair | None:
    """Balance the parentheses of a text that ends in one; None for another text."""
    single = DOUBLED.sub(lambda part: part["kept"] or "(", text)
    done: tuple[str, ...] = () if single == text else ("doubled",)
    tokens = [token for token in TOKEN.finditer(single) if token["comment"] is None]
    if not tokens or tokens[-1][0] != ")":
        return None  # it is cut off
    depth, closed = 0, len(tokens)  # the position of the token that closes the first parenthesis
    for k, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth <= 0:
            closed = min(closed, k)
    if depth == 0 and closed == len(tokens) - 1:
        return Repair(single, done)
    lines = single.split("\n")
    numbers = [k for k, line in enumerate(lines) if not re.match(r"\s*+(?:#|\Z)", line)]
    if _is_indented([lines[k] for k in numbers]):
        indented = _close_lines([lines[k] for k in numbers])
        if indented is None:
            return None
        for k, line in zip(numbers, indented, strict=True):
            lines[k] = line
        return Repair("\n".join(lines), (*done, "indented"))
    if closed == len(tokens):
        end = tokens[-1].end()
        return Repair(single[:end] + ")" * depth + single[end:], (*done, "closed", "one_line"))
    if all(token[0] == ")" for token in tokens[closed:]):
        return Repair(single[: tokens[closed].end()], (*done, "dropped", "one_line"))
    return None  # text follows the graph


def _is_indented(lines: Sequence[str]) -> bool:
    """Check that the indentation of lines shows the depths of their roles.

    That of lines with the same one does so only if it agrees with almost all parentheses: otherwise
    the lines may simply not be indented by their depth.
    """
    if len(lines) < LINES or not all(map(ROLE_LINE.match, lines[1:])):
        return False
    indents = {_find_indent(line) for line in lines[1:]}
    if len(indents) > 1:
        return True
    closed = _close_lines(lines) if indents != {0} else None
    if closed is None:
        return False
    pairs = zip(lines[:-1], closed[:-1], strict=True)
    return sum(line.rstrip() != other for line, other in pairs) <= 1


def _close_lines(lines: Sequence[str]) -> list[str] | None:
    """Return lines with as many parentheses at their ends as their indentation requires.

    A line that is indented more than the one before it is inside of the last node that is open.

    Returns:
        None if the indentation contradicts what is inside the lines.
    """
    outer = [(-1, 0)]  # the indentation of the lines that are open, and how deep they begin
    closed = []
    for line, next_line in pairwise([*lines, ""]):
        body, opened = _split_line(line)
        if opened is None:
            return None
        own = line[len(body) :].count(")")
        begin = outer[-1][1]
        indent = _find_indent(next_line)
        if not next_line:
            depth = 0
        elif indent > outer[-1][0]:
            # Of several nodes that a line opens, the parentheses show which one continues.
            depth = max(begin + 1, begin + opened - own)
            if opened == 0:
                return None
            outer.append((indent, depth))
        else:
            while outer[-1][0] > indent:
                outer.pop()
            depth = outer[-1][1]
            if outer[-1][0] != indent:
                return None
        closed.append(body + ")" * (begin + opened - depth))
    return closed


def _find_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _split_line(line: str) -> tuple[str, int | None]:
    """Return a line without its last parentheses, and how many remain open in it.

    The number is None if it closes others than its own.
    """
    depth, end, opened = 0, 0, 0
    for token in TOKEN.finditer(line):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] != ")":
            if depth < 0:
                return line, None
            end, opened = token.end(), depth
    return line[:end], opened


def _repair_variables(text: str) -> Repair | None:
    """Give each node a variable of its own, and write further mentions without their concepts.

    None if a reference to the variable may be one to either node.
    """
    parts = [*PART.finditer(text)]
    mentioned = {part["target"] or part["mention"] for part in parts} - {None}
    first: dict[str, re.Match[str]] = {}
    merged: set[str] = set()
    edits: list[tuple[int, int, str]] = []
    later: list[re.Match[str]] = []
    for part in parts:
        if (variable := part["variable"]) is None:
            continue
        earlier = first.setdefault(variable, part)
        if earlier is part:
            continue
        if part["end"] is not None and part["concept"] == earlier["concept"]:
            merged.add(variable)
            edits.append((part.start(), part.end(), f" {variable} "))
        elif earlier["end"] is not None and part["concept"] == earlier["concept"]:
            return None  # the first of them may be a reference
        else:
            later.append(part)
    renamed = {part["variable"] for part in later}
    if renamed & (mentioned | merged) or (renamed and _has_undefined(mentioned - first.keys())):
        return None
    numbers: dict[str, count[int]] = {}
    for part in later:
        prefix = part["variable"].rstrip("0123456789")
        names = (f"{prefix}{k}" for k in numbers.setdefault(prefix, count(2)))
        name = next(name for name in names if name not in first and name not in mentioned)
        edits.append((*part.span("variable"), name))
    done = ("merged",) * bool(merged) + ("renamed",) * bool(renamed)
    return Repair(_edit(text, edits), done)


def _has_undefined(symbols: set[str]) -> bool:
    return any(map(VARIABLE.fullmatch, symbols))


def _edit(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    """Return a text with other text at some places, which do not overlap."""
    pieces, position = [], 0
    for begin, end, piece in sorted(edits):
        pieces += [text[position:begin], piece]
        position = end
    return "".join([*pieces, text[position:]])
