"""One function for each thing that the project does; the commands call them."""
