"""Word vectors from files and from WordLlama, and the frequencies of labels."""

from metrics.vectors.sif import SIF, count_labels, write_frequencies
from metrics.vectors.sources import VectorSource, WordVectors
from metrics.vectors.wordllama import WordLlama

__all__ = [
    "SIF",
    "VectorSource",
    "WordLlama",
    "WordVectors",
    "count_labels",
    "write_frequencies",
]
