"""Another name of `amr_metrics.vectors.sif`, for scripts and for YAML."""

from amr_metrics.vectors.sif import SIF, count_labels, write_frequencies

__all__ = ["SIF", "count_labels", "write_frequencies"]
