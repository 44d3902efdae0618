"""The reproduction of the published tables."""
