"""The commands: each reads its options, calls one package and returns the text to print."""
