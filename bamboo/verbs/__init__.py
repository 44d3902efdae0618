"""The commands: each reads its request, calls one room and gives back what to print."""
