"""The folder of a site; only files that an earlier build wrote are ever removed or replaced."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Self

from bamboo.errors import ConfigError
from bamboo.files import json_text, load_json, write_text


class SiteFolder:
    """A folder being written; `finish` removes files of an earlier build that are now obsolete.

    A context manager: after an error, a new folder without a file is removed.
    """

    def __init__(self, folder: Path, kind: str = "site", command: str = "site") -> None:
        """Open a folder that is new, empty, or contains a site of the same kind.

        Args:
            kind: what is written; names the list of the files in the folder.
            command: what writes it, for messages.

        Raises:
            ConfigError: a folder with other files, or one that cannot be written to.
        """
        self.folder = folder
        self._kind, self._command = kind, command
        self._list = folder / f".bamboo-{kind}.json"
        self.sizes: dict[str, int] = {}
        self._before: list[str] = []
        self._made = [path for path in (folder, *folder.parents) if not path.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._was_empty = not any(folder.iterdir())
            if not self._was_empty:
                self._before = self._manifest()
            self._write_manifest(self._before)
        except OSError as error:
            raise ConfigError(f"cannot write a {kind} to {folder}: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None or self.sizes or not self._was_empty:
            return
        with suppress(OSError):
            self._list.unlink()
            for folder in self._made:
                folder.rmdir()

    def write(self, name: str, text: str) -> None:
        """Write one file below the folder.

        Raises:
            ConfigError: if it cannot be written, or would be outside the folder.
        """
        path = self.folder / name
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise ConfigError(
                f"the {self._kind}'s file {name} would be outside {self.folder}: rename the data "
                "set or partition that it is named after"
            )
        try:
            write_text(path, text)
        except OSError as error:
            raise ConfigError(f"cannot write {path}: {error.strerror}") from None
        self.sizes[name] = len(text.encode("utf-8"))

    def finish(self) -> None:
        """Remove the earlier build's other files, and list the files in the manifest."""
        for name in self._before:
            if name not in self.sizes:
                (self.folder / name).unlink(missing_ok=True)
        self._write_manifest(sorted(self.sizes))

    def _manifest(self) -> list[str]:
        try:
            names = load_json(self._list)["files"]
            inside = self.folder.resolve()
            if isinstance(names, list) and all(
                (inside / name).resolve().is_relative_to(inside) for name in names
            ):
                return names
        except (OSError, ValueError, KeyError, TypeError):
            pass
        raise ConfigError(
            f"{self.folder} contains files that were not written by `{self._command}`; nothing was "
            "changed. Choose an empty or new folder with out=FOLDER"
        )

    def _write_manifest(self, names: list[str]) -> None:
        write_text(self._list, json_text({"files": names}) + "\n")
