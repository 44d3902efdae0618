"""Download and verify the released data.

python -m bamboo fetch data=all
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from amr_metrics.utils.text import counted
from bamboo.benchmark.datasets import fetch
from bamboo.commands.data import DataCommand
from bamboo.commands.options import option
from bamboo.progress import progress_bar


@dataclass(frozen=True, kw_only=True)
class Fetch(DataCommand):
    """The options of ``fetch``."""

    NAME: ClassVar[str] = "fetch"

    data: tuple[Mapping[str, Any], ...] = option(
        "all", "sts | sick | para | sembleu | all, or a list"
    )

    def __call__(self) -> str:
        """Fetch all files of the requested data sets and report."""
        lines = []
        for dataset in self.datasets:
            with progress_bar(f"fetching {dataset.name}") as progress:
                paths = fetch(dataset, report=progress)
            lines.append(
                f"{dataset.name}: {counted(len(paths), 'file')} in {dataset.root}, "
                "checksums verified"
                if dataset.registry
                else f"{dataset.name}: nothing to download, its files are in {dataset.root}"
            )
        return "\n".join(lines)
