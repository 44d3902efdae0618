"""How tables show scores: times 100, with how many decimals, and which columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from bamboo.display.table import format_cell as as_text

# Which columns tables have: `main` leaves out p-values and some scores, such as means over pairs.
ShownColumns = Literal["main", "all"]


class Shown(NamedTuple):
    """How tables show scores.

    Attributes:
        times_100: whether the scores are in 0..1 and shown times 100.
        digits: the number of decimals; None for one of scores times 100, else four.
        columns: which columns there are.
    """

    times_100: bool = True
    digits: int | None = None
    columns: ShownColumns = "main"

    @property
    def decimals(self) -> int:
        """The number of decimals."""
        return (1 if self.times_100 else 4) if self.digits is None else self.digits

    def number(self, score: float) -> str:
        """Return a score as text."""
        return as_text(100 * score if self.times_100 else score, self.decimals)

    def title(self, text: str) -> str:
        """Return the title of a table of scores."""
        return f"{text} (x 100)" if self.times_100 else text

    def scaled(self, columns: Iterable[int]) -> frozenset[int]:
        """Return which of the columns with scores are shown times 100."""
        return frozenset(columns) if self.times_100 else frozenset()
