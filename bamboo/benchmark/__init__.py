"""Data sets, downloads, protocols and published values."""
