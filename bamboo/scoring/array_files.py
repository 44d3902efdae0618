"""Files of several arrays with a checksum, in which any damage is detected.

They are NumPy's ``.npz`` files with one more array, the checksum of the others.
"""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import NDArray

from amr_metrics.limits import MEMORY, readable

CHECKSUM = "sha256"
MOST_BYTES = MEMORY // 4  # of the arrays of a file: those of millions of pairs
COMPRESSION_LEVEL = 1  # higher ones save a few percent and take three times as long

Arrays = Mapping[str, NDArray[Any]]


def write_arrays(file: IO[bytes], arrays: Arrays, compress: bool = True) -> None:
    """Write arrays by name, with a checksum.

    Args:
        file: open for writing, in binary mode.
        arrays: of numbers or strings; none may have the name ``sha256``.

    Raises:
        OSError: the file cannot be written.
        ValueError: an array has the name of the checksum.
    """
    if CHECKSUM in arrays:
        raise ValueError(f"an array cannot be named {CHECKSUM!r}: the checksum has this name")
    # `numpy.savez_compressed` has no option for the level, and takes several times as long.
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method, compresslevel=COMPRESSION_LEVEL) as archive:
        for name, array in {CHECKSUM: np.array(_checksum(arrays)), **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                write_array(entry, np.asanyarray(array), allow_pickle=False)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays of a file that `write_arrays` wrote.

    Raises:
        OSError: the file does not exist or cannot be opened.
        ValueError: it differs from what was written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.npz"
    ...     with path.open("wb") as file:
    ...         write_arrays(file, {"words": np.array(["cat", "dog"])})
    ...     read_arrays(path)["words"].tolist()
    ['cat', 'dog']
    """
    # NumPy warns about some damaged headers before it rejects them.
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with np.load(file, allow_pickle=False) as entry:
                size = sum(member.file_size for member in entry.zip.infolist())
                if size > MOST_BYTES:
                    raise ValueError(f"it contains {readable(size)}, more than any entry needs")
                arrays = {name: entry[name] for name in entry.files}
            checksum = str(arrays.pop(CHECKSUM))
        except Exception as error:  # of a damaged file zipfile, zlib and NumPy may raise anything
            raise ValueError(_reason(error)) from None
    if checksum != _checksum(arrays):
        raise ValueError("its content does not match its checksum")
    return arrays


def _checksum(arrays: Arrays) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        total.update(array.data)
    return total.hexdigest()


def _reason(error: Exception) -> str:
    """Return the reason for an error in one line, without characters that are not printable."""
    text = " ".join(str(error).split()) or type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in text)[:200]
