"""Aspects of meaning: sub-graphs that are compared separately."""

from amr_metrics.aspects.extract import extract
from amr_metrics.aspects.frames import FrameRoles
from amr_metrics.aspects.scores import AspectScorer, AspectScores, aspect_scorer, score_aspects
from amr_metrics.aspects.table import Aspect, aspect_table, chosen_aspects
from amr_metrics.aspects.tools import TOOLS, chosen_subscores, score_subscores

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
