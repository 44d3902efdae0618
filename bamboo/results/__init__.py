"""Metrics against ratings: scores of cells, their cache, results, and the files of a run."""
