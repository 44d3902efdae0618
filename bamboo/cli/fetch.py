"""``fetch``: download the released data and check it."""

from __future__ import annotations

from bamboo.benchmark.datasets import Dataset, fetch
from bamboo.benchmark.preference_data import PreferenceData, holds_preferences
from bamboo.cli.session import Session
from bamboo.progress import progress_bar
from metrics.utils.text import counted


def main(session: Session) -> str:
    """Fetch all files of the requested data sets and report."""
    lines = []
    for config in session.request.data:
        dataset = (PreferenceData if holds_preferences(config) else Dataset).from_config(config)
        with progress_bar(f"fetching {dataset.name}") as progress:
            if isinstance(dataset, PreferenceData):
                paths = dataset.fetch(progress)
            else:
                paths = fetch(dataset, report=progress)
        lines.append(
            f"{dataset.name}: {counted(len(paths), 'file')} in {dataset.root}, checksums verified"
            if dataset.registry
            else f"{dataset.name}: nothing to download, its files are in {dataset.root}"
        )
    return "\n".join(lines)
