"""Metrics with a one-to-one alignment of nodes, and the solvers that compute it."""
