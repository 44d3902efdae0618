"""``fetch``: download the released data and check it."""

from __future__ import annotations

from bamboo.config import Request, resolved
from bamboo.datasets import Dataset, fetch
from bamboo.progress import progress_bar


def main(request: Request) -> str:
    """Download and check the released data."""
    lines = []
    for config in request.data:
        dataset = Dataset.from_config(resolved(config))
        with progress_bar(f"fetching {dataset.name}") as progress:
            paths = fetch(dataset, report=progress)
        lines.append(f"{dataset.name}: {len(paths)} files in {dataset.root}, checksums right")
    return "\n".join(lines)
