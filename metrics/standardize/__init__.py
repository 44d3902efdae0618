"""Standardisation of graphs, and of what any metric sees."""

from metrics.standardize.metric import Standardized
from metrics.standardize.standardizer import PRESETS, STEPS, Standardizer

__all__ = ["PRESETS", "STEPS", "Standardized", "Standardizer"]
