"""The functions of the Python API: what the commands do, with values instead of text."""
