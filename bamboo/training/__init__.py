"""Fitting a metric's parameters to human ratings: the loop, SPSA, grid search, linear models."""
