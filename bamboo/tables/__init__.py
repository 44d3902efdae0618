"""The table model and its renderings, and the reproduction of the published tables."""
