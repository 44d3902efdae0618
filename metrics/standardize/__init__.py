"""Standardisation of graphs, as a function and as a wrapper of any metric."""

from metrics.standardize.metric import Standardized
from metrics.standardize.standardizer import PRESETS, STEPS, Standardizer

__all__ = ["PRESETS", "STEPS", "Standardized", "Standardizer"]
