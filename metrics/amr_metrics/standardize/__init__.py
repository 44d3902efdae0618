"""Standardisation of graphs, as a function and as a wrapper of any metric."""

from amr_metrics.standardize.metric import Standardized
from amr_metrics.standardize.standardizer import PRESETS, STEPS, Standardizer

__all__ = ["PRESETS", "STEPS", "Standardized", "Standardizer"]
