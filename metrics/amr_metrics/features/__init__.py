"""Metrics that compare bags of features of two graphs, without an alignment."""
