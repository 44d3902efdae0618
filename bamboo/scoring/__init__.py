"""Scoring: pairs of cells, files and lists in one pipeline, with any engine; the cache."""
