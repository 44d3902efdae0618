"""Evaluation outside the benchmark: parsers, aspects, human preferences."""
