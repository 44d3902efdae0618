"""The alignment behind a score, as tables and as a drawing."""
