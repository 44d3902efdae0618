"""Blends: linear models over the scores and columns of other metrics."""
