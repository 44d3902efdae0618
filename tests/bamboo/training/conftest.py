"""What a file of tests trains once; each has its own fixture ``train``."""

import pytest
from harness import read_files

from bamboo.results.run_folder import HYDRA


@pytest.fixture(scope="module")
def files_of_training():
    """The files that ``train`` wrote in the first test that needed them, by name."""
    return {}


@pytest.fixture
def trained(train, home, files_of_training):
    """The folder ``a`` with the files of ``train("a")``."""
    return first_training(train, home / "a", files_of_training)


def first_training(train, folder, files):
    """Write the files of ``train(NAME)`` to a folder; `files` has them after the first time."""
    if files:
        (folder / HYDRA).mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
    else:
        assert train(folder.name).status == 0
        files |= read_files(folder)
    return folder
