"""Another name of `metrics.vectors.sif`, for scripts and for ``metrics.sif.SIF`` in YAML."""

from metrics.vectors.sif import SIF, count_labels, write_frequencies

__all__ = ["SIF", "count_labels", "write_frequencies"]
