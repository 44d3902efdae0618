"""Faults that a graph shows by itself: roles, frames and constants that AMR does not have."""

from amr_metrics.validity.flags import (
    FRAME_KINDS,
    KINDS,
    NO_FRAMES,
    Flag,
    count_triples,
    find_flags,
)
from amr_metrics.validity.frames import Frames

__all__ = ["FRAME_KINDS", "KINDS", "NO_FRAMES", "Flag", "Frames", "count_triples", "find_flags"]
