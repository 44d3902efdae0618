"""Pairs of graphs from files, and what is wrong with some of them."""
