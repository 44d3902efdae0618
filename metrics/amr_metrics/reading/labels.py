"""Roles and labels as texts: inverse roles, and surface alignments."""

from __future__ import annotations

from sys import intern

# Roles of AMR that end like inverse ones; penman's AMR model has no others.
NOT_INVERSE = {":consist-of", ":prep-on-behalf-of", ":prep-out-of"}


def deinverted(role: str) -> str | None:
    """Return the role that a role is the inverse of in penman's AMR model, else None.

    >>> deinverted(":ARG0-of"), deinverted(":consist-of")
    (':ARG0', None)
    """
    return role[:-3] if role.endswith("-of") and role not in NOT_INVERSE else None


def remove_alignment(token: str) -> str:
    """Remove a token's surface alignment (``dog~e.3``); equal tokens share one string object."""
    if "~" not in token or token.endswith('"'):
        return intern(token)
    return intern(token[: token.rindex("~")])
