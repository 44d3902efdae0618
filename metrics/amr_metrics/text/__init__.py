"""Metrics that compare the sentences of two graphs: what the text alone would give."""
