"""Analyses: what `score` computes besides the corpus scores, one module each."""
