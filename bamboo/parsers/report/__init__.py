"""The report on parsers: pages to look at, from disk."""
