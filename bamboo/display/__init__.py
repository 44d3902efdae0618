"""How tables, numbers and differences are written."""
