"""Files of arrays with a checksum."""

import io

import numpy as np
import pytest
from numpy.lib.npyio import NpzFile

from bamboo.scoring.array_files import CHECKSUM, read_arrays, write_arrays


@pytest.mark.parametrize("compress", [True, False])
def test_arrays_are_read_as_they_were_written(tmp_path, compress):
    arrays = {"file": np.arange(6.0).reshape(2, 3), "words": np.array(["cat", "dog"])}
    with (tmp_path / "a.npz").open("wb") as file:
        write_arrays(file, arrays, compress)
    read = read_arrays(tmp_path / "a.npz")
    assert {name: array.tolist() for name, array in read.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }


def test_an_array_cannot_replace_the_checksum():
    file = io.BytesIO()
    with pytest.raises(ValueError, match="an array cannot be named 'sha256'"):
        write_arrays(file, {CHECKSUM: np.arange(3)})
    assert not file.getvalue()


def test_a_file_that_would_fill_the_memory_is_refused_before_it_is_decompressed(
    tmp_path, monkeypatch
):
    with (tmp_path / "a.npz").open("wb") as file:
        write_arrays(file, {"values": np.zeros(1 << 20)})
    monkeypatch.setattr("bamboo.scoring.array_files.MOST_BYTES", 1 << 20)
    monkeypatch.setattr(NpzFile, "__getitem__", lambda *_: pytest.fail("it was decompressed"))
    with pytest.raises(ValueError, match="it contains 8 MB, more than any entry needs"):
        read_arrays(tmp_path / "a.npz")
