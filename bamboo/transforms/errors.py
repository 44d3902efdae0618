"""The error of the builder."""

from __future__ import annotations

from bamboo.errors import BambooError


class BuildError(BambooError):
    """A partition that cannot be built or must not be overwritten."""
