"""Pairs of graphs from files, and problems with some of them."""
