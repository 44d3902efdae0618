"""Graphs: single ones, corpora and pairs in arrays, their symbols, encodings and reification."""
