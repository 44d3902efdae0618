"""Aspects of meaning: sub-graphs that are compared separately."""

from metrics.aspects.extract import extract
from metrics.aspects.frames import FrameRoles
from metrics.aspects.scores import AspectScorer, AspectScores, aspect_scorer, score_aspects
from metrics.aspects.table import Aspect, aspect_table, chosen_aspects
from metrics.aspects.tools import TOOLS, chosen_subscores, score_subscores

__all__ = [
    "TOOLS",
    "Aspect",
    "AspectScorer",
    "AspectScores",
    "FrameRoles",
    "aspect_scorer",
    "aspect_table",
    "chosen_aspects",
    "chosen_subscores",
    "extract",
    "score_aspects",
    "score_subscores",
]
