"""Another name of `metrics.vectors.sif`, for scripts and for ``metrics.sif.SIF`` in YAML."""

from metrics.vectors.sif import SIF, Information, count_labels, write_frequencies

__all__ = ["SIF", "Information", "count_labels", "write_frequencies"]
