"""The flags of the graphs of an explained pair: a table, marks of triples, and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amr_metrics.explanation import ExplainedTriple
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.pairs import Pair
from amr_metrics.validity import NO_FRAMES, Flag, Frames, find_flags
from bamboo.display.table import Table
from bamboo.explanation.matches import fold_constant

SIDES = ("src", "tgt")


@dataclass(frozen=True)
class PairFlags:
    """The flags of both graphs of a pair as they were read.

    Attributes:
        flags: src is graph 0, tgt graph 1.
        frames: the file of frames; "" if frames were not checked.
    """

    flags: tuple[Flag, ...]
    frames: str = ""

    @classmethod
    def find(cls, pair: Pair, frames: Frames | None) -> PairFlags:
        """Find the flags of both graphs."""
        flags = find_flags(Corpus.of(pair), frames)
        return cls(tuple(flags), "" if frames is None else frames.label)

    def to_table(self) -> Table:
        """Return one row per flag."""
        rows = tuple((SIDES[f.graph], " ".join(f.triple), f.kind) for f in self.flags)
        notes = [] if rows else ["no flags"]
        notes.append(f"frames={self.frames}" if self.frames else NO_FRAMES)
        return Table("Flags", ("graph", "triple", "flag"), rows, notes=tuple(notes))

    def describe(self, *triples: ExplainedTriple | None) -> str | None:
        """Return the kinds of flags of a triple of src and of one of tgt; None without."""
        kinds = [
            flag.kind
            for flag in self.flags
            if isinstance(triple := triples[flag.graph], ExplainedTriple) and _is_at(flag, triple)
        ]
        return ", ".join(dict.fromkeys(kinds)) or None

    def to_json(self) -> dict[str, Any]:
        """Return the flags as JSON values."""
        flags = [
            {"graph": SIDES[f.graph], "triple": [*f.triple], "flag": f.kind} for f in self.flags
        ]
        return {"frames": self.frames or None, "flags": flags}


def _is_at(flag: Flag, triple: ExplainedTriple) -> bool:
    """Return whether a triple is that of a flag, in the form in which a metric compares it."""
    source, role, target = flag.triple
    return (
        role.removeprefix(":").lower() == triple.role.removeprefix(":").lower()
        and source == triple.source
        and fold_constant(target) == fold_constant(triple.target)
    )
