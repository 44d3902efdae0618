"""The files of a submission, for tests that change them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any


def read_zip(path: Path) -> dict[str, str]:
    """The text of each file of a zip file, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def write_zip(path: Path, texts: dict[str, str]) -> Path:
    """Write a zip file; half of a surrogate pair is written as it is."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text.encode("utf-8", "surrogatepass"))
    return path


def change_document(path: Path, changes: dict[str, Any]) -> None:
    """Replace values of the result in a submission."""
    texts = read_zip(path)
    document = json.loads(texts["result.json"]) | changes
    write_zip(path, texts | {"result.json": json.dumps(document)})
