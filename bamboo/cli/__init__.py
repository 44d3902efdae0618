"""The commands: each reads its options, calls one package and returns what to print."""
