"""Scoring of cells, with cache, engines, results and the folder that a run writes."""
