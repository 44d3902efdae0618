"""Results: one data frame with a row per metric and cell, its tables, and the files of a run."""
