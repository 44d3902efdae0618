"""Scoring: pairs of files, lists and cells, read and scored in one pipeline, with any engine."""
