"""The alignment behind a score, as tables and as a drawing, and the mistakes that it shows."""
