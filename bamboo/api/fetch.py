"""Download and verify the released data."""

from __future__ import annotations

from pathlib import Path

from bamboo.api.call import ConfigDir, check_call
from bamboo.api.data import Data, resolve_datasets
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.datasets import fetch as fetch_files
from bamboo.config.rows import Options
from bamboo.progress import progress_bar


@check_call
def fetch(
    data: Data = "all",
    *,
    data_options: Options | None = None,
    progress: bool = False,
    config_dir: ConfigDir = None,
) -> dict[Dataset, list[Path]]:
    """Download and verify the released data.

    Args:
        data: sts | sick | para | sembleu | all, or a list.
        data_options: options of the data sets that are given by name.
        progress: show progress on standard error.
        config_dir: a folder with data sets of your own.

    Returns:
        the files of each data set.

    Raises:
        BambooError: for bad input, or a file that cannot be downloaded.
    """
    files = {}
    for dataset in resolve_datasets(data, data_options, config_dir):
        with progress_bar(f"fetching {dataset.name}") as bar:
            files[dataset] = list(fetch_files(dataset, report=bar))
    return files
