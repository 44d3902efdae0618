"""Aspects of meaning: sub-graphs that are compared by themselves."""

from metrics.aspects.extract import extract
from metrics.aspects.frames import FrameRoles
from metrics.aspects.scores import AspectScores, score_aspects
from metrics.aspects.table import Aspect, aspect_table, chosen_aspects

__all__ = [
    "Aspect",
    "AspectScores",
    "FrameRoles",
    "aspect_table",
    "chosen_aspects",
    "extract",
    "score_aspects",
]
