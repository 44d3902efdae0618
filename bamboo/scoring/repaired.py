"""How many graphs were repaired, and how this is described."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from amr_metrics.utils.text import format_count
from bamboo.errors import ConfigError, describe_unknown

RULES = ("brackets", "variables")  # of repair, in the order in which they are applied


class Repaired(NamedTuple):
    """How many graphs of some texts were repaired, and how.

    Attributes:
        texts: all of them.
        graphs: those that were repaired.
        doubled: with one parenthesis in place of two that follow one another.
        indented: with parentheses as the indentation of lines requires.
        closed: with parentheses added at the end.
        dropped: with parentheses at the end left out.
        one_line: closed or dropped without an indentation that shows where one is missing, or is
            too many.
        merged: with a node that has the variable of an equal one as a mention of this.
        renamed: with another variable of a node that had that of another one.
        cut: those that cannot be read and were not repaired, because their rows say that they were
            cut off by their length.
    """

    texts: int = 0
    graphs: int = 0
    doubled: int = 0
    indented: int = 0
    closed: int = 0
    dropped: int = 0
    one_line: int = 0
    merged: int = 0
    renamed: int = 0
    cut: int = 0

    @classmethod
    def total(cls, parts: Iterable[Repaired]) -> Repaired:
        """Return the numbers of all parts."""
        return cls(*map(sum, zip(cls(), *parts, strict=True)))

    def describe(self) -> str:
        """Return the numbers as a sentence.

        >>> Repaired(200, 31, closed=24, one_line=9, indented=7).describe()
        '31 of 200 graphs were repaired (7 by indentation; 24 closed at the end); 9 of them \
have no indentation, such as in one line, where a bracket missing inside looks the same'
        """
        kinds = (
            (self.doubled, "with two opening brackets as one"),
            (self.indented, "by indentation"),
            (self.closed, "closed at the end"),
            (self.dropped, "without brackets at the end"),
            (self.merged, "with a repeated node as a mention"),
            (self.renamed, "with a variable renamed"),
        )
        done = "; ".join(f"{number:,} {what}" for number, what in kinds if number)
        were = "was" if self.graphs == 1 else "were"
        of = f"of {format_count(self.texts, 'graph')}"
        phrases = [f"{self.graphs:,} {of} {were} repaired{f' ({done})' if done else ''}"]
        if self.one_line:
            has = "has" if self.one_line == 1 else "have"
            phrases.append(
                f"{self.one_line:,} of them {has} no indentation, such as in one line, where a "
                "bracket missing inside looks the same"
            )
        if self.cut:
            are = "cannot be read and is" if self.cut == 1 else "cannot be read and are"
            phrases.append(f"{self.cut:,} cut off by the length {are} not repaired")
        return "; ".join(phrases)


def split_rules(rules: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the rules that an option names, each once, in the order in which they are applied.

    Raises:
        ConfigError: an unknown one.

    >>> split_rules("variables,brackets")
    ('brackets', 'variables')
    """
    names = rules.split(",") if isinstance(rules, str) else [*(rules or ())]
    for name in names:
        if name not in RULES:
            raise ConfigError(describe_unknown("repair", name, RULES))
    return tuple(rule for rule in RULES if rule in names)
