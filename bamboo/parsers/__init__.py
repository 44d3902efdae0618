"""Evaluation outside the benchmark: parsers and aspects."""
