"""The test pairs of the released data, and what they are measured against."""

from functools import cache

import numpy as np
import pytest

from metrics import pair_up, read_graphs


def shared_file(shared, name):
    """Return the path of a file or folder in BAMBOO_SHARED; skip the test if it is missing."""
    path = shared / name
    if not path.exists():
        pytest.skip(
            f"needs {name} in the folder BAMBOO_SHARED (CONTRIBUTING, Tests on the released data)"
        )
    return path


@cache
def released(data, dataset, partition):
    """The test pairs of a partition and their ratings; on role confusion 0, 1, 0, 1, ..."""
    folder = data / dataset / partition
    pairs = pair_up(*[read_graphs(folder / f"{side}.test.amr") for side in ("src", "tgt")])
    if partition == "role_confusion":
        return pairs, np.arange(len(pairs)) % 2
    first = 0 if dataset == "sts" else 1  # SICK and PARA begin with the parse of a header
    pairs = pairs[first:-1]
    lines = (data / dataset / "test.y").read_text("utf-8").split()
    return pairs, np.array(lines, float)[first : len(pairs) + first]
