"""The BAMBOO harness: datasets, runs, tables and statistics around the metric library."""
