"""Words of messages that depend on a number."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in the singular or the plural.

    Args:
        plural: if it is not the noun with an s.

    >>> counted(1, "graph"), counted(2000, "graph"), counted(0, "parse of a", "parses of a")
    ('1 graph', '2,000 graphs', '0 parses of a')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def proven(unproven: int, alignments: int) -> str:
    """A sentence on how many alignments are proven optimal.

    >>> proven(0, 3), proven(0, 1), proven(1, 3)
    ('all 3 alignments are proven optimal', 'the alignment is proven optimal', \
'1 of 3 alignments is NOT proven optimal')
    """
    if unproven:
        verb = "is" if unproven == 1 else "are"
        return f"{unproven:,} of {counted(alignments, 'alignment')} {verb} NOT proven optimal"
    if alignments == 1:
        return "the alignment is proven optimal"
    return f"all {counted(alignments, 'alignment')} are proven optimal"
