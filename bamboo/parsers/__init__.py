"""Parsers against gold graphs: scores, parts, mistakes, comparisons and the report."""
