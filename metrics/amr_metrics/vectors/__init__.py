"""Word vectors from files and from WordLlama, and the frequencies of labels."""

from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.sources import VectorSource, WordVectors
from amr_metrics.vectors.wordllama import WordLlama

__all__ = [
    "SIF",
    "VectorSource",
    "WordLlama",
    "WordVectors",
]
