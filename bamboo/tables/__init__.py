"""The table model with its renderings, and the published tables computed again."""
