"""What the user typed, as checked configurations; metrics built from them."""
