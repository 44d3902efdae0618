"""Results as files that can be verified."""
