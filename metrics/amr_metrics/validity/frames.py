"""PropBank's frames as a release of AMR lists them: the core roles of each, with descriptions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from amr_metrics.errors import GraphError, OptionError
from amr_metrics.utils.decoding import load_text
from amr_metrics.utils.digests import file_digest
from amr_metrics.utils.text import split_lines

ARGUMENT = re.compile(r"\s{2,}ARG(?=[\w-]+:)", re.IGNORECASE)
FRAME = re.compile(r"\S+-\d+")
EXPECTED = (
    "expected a frame and its roles, separated by two spaces, as in "
    "propbank-amr-frames-arg-descr.txt of a release of AMR"
)


@dataclass(frozen=True)
class Frames:
    """Frames and their core roles, all in lower case.

    Attributes:
        roles: for each frame, such as ``control-01``, the description of each role by what follows
            ``ARG``, such as ``{"0": "controller"}``.
        name: of the file.
        digest: of the file.
    """

    roles: Mapping[str, Mapping[str, str]] = field(repr=False)
    name: str = ""
    digest: str = ""

    @classmethod
    def read(cls, path: str | Path) -> Frames:
        """Read the AMR release's file of frames. Each line is a frame and its roles, separated by
        two or more spaces: ``control-01  ARG0: controller  ARG1: thing controlled``.

        Raises:
            OptionError: if the file cannot be read, a line is malformed, or there is no frame; it
                names the line.
        """
        try:
            lines = split_lines(load_text(path).lower())
            digest = file_digest(Path(path))[:12]
        except (OSError, GraphError) as error:
            raise OptionError(f"frames {path} cannot be read: {error}") from None
        roles: dict[str, dict[str, str]] = {}
        for number, line in enumerate(lines, 1):
            frame, *arguments = ARGUMENT.split(line.rstrip())
            if not frame.strip() and not arguments:
                continue
            if not FRAME.fullmatch(frame):
                raise OptionError(f"frames {path}, line {number}: {EXPECTED}: {line!r}")
            described = (argument.partition(":") for argument in arguments)
            roles.setdefault(frame, {}).update((role, text.strip()) for role, _, text in described)
        if not roles:
            raise OptionError(f"frames {path} has no frame: {EXPECTED}")
        return cls(roles, Path(path).name, digest)

    @property
    def label(self) -> str:
        """The name of the file with the beginning of its digest."""
        return f"{self.name}:{self.digest[:8]}"

    @cached_property
    def lemmas(self) -> frozenset[str]:
        """The frames without their senses."""
        return frozenset(frame.rpartition("-")[0] for frame in self.roles)
