"""The folder of a site or a report."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from zlib import compress

from bamboo.errors import ConfigError
from bamboo.files import json_text, write_text
from bamboo.folders import replace_folder


class SiteFolder:
    """A folder that is being written.

    Attributes:
        folder: where the files will be.
        sizes: the bytes of each file so far.
    """

    def __init__(self, folder: Path, new: Path, kind: str) -> None:
        """Open a folder whose files are written to `new`, which takes its place later."""
        self.folder = folder
        self.sizes: dict[str, int] = {}
        self._new, self._kind = new.resolve(), kind

    def write(self, name: str, text: str) -> None:
        """Write one file below the folder.

        Raises:
            ConfigError: if it cannot be written, or would be outside the folder.
        """
        path = self._new / name
        if not path.resolve().is_relative_to(self._new):
            raise ConfigError(
                f"the {self._kind}'s file {name} would be outside {self.folder}: rename the data "
                "set or partition that it is named after"
            )
        try:
            write_text(path, text)
        except OSError as error:
            raise ConfigError(f"cannot write {self.folder / name}: {error.strerror}") from None
        self.sizes[name] = len(text.encode("utf-8"))

    def write_data(self, name: str, data: object) -> None:
        """Write a script file with data, below ``data/``: pages from disk can load only scripts.

        The data are JSON, compressed by zlib, in base64: a third of the size.
        """
        content = json_text(data, separators=(",", ":")).encode()
        packed = b64encode(compress(content)).decode()
        self.write(f"data/{name}.js", f"bamboo.add({json_text(name)},{json_text(packed)});\n")

    def open_temporary(self) -> IO[bytes]:
        """Open a file for writing and reading that has no name and is gone when it is closed.

        Raises:
            ConfigError: if it cannot be written.
        """
        try:
            return TemporaryFile(dir=self._new)
        except OSError as error:
            raise ConfigError(f"cannot write to {self.folder}: {error.strerror}") from None


@contextmanager
def site_folder(folder: Path, kind: str = "site", command: str = "site") -> Iterator[SiteFolder]:
    """Write a folder that takes the place of an earlier one of its kind; after an error, of none.

    Args:
        kind: what is written; names a file that says so in the folder.
        command: what writes it, for messages.

    Raises:
        ConfigError: a folder with other files, or one that cannot be written to.
    """
    mark = f".bamboo-{kind}"
    with ExitStack() as stack:
        try:
            if folder.exists() and any(folder.iterdir()) and not (folder / mark).is_file():
                raise ConfigError(
                    f"{folder} contains files that were not written by `{command}`; nothing was "
                    "changed. Choose an empty or new folder with out=FOLDER"
                )
            new = stack.enter_context(replace_folder(folder.absolute()))
            (new / mark).touch()
        except OSError as error:
            raise ConfigError(f"cannot write a {kind} to {folder}: {error.strerror}") from None
        yield SiteFolder(folder, new, kind)


def unique_slug(name: str, taken: set[str], fallback: str = "metric") -> str:
    """Return a unique name for addresses: the name in small letters, digits, _ . and -.

    Args:
        taken: the names that exist; the new one is added.
        fallback: for a name without such characters.
    """
    base = re.sub(r"[^a-z0-9_.]+", "-", name.lower()).strip("-._")[:60] or fallback
    slug, k = base, 2
    while slug in taken:
        slug, k = f"{base}-{k}", k + 1
    taken.add(slug)
    return slug
