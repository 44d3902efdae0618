"""Validated configurations from the command line and YAML, and the metrics built from them."""
