"""Another name of `amr_metrics.vectors.sif`, for scripts and for YAML."""

from amr_metrics.vectors.sif import SIF

__all__ = ["SIF"]
