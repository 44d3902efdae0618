"""Metrics that compare nodes by optimal transport between their vectors."""
