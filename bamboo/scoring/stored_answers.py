"""Answers that can be read in any order, without being in memory."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import overload

from amr_metrics.utils.decoding import decode
from bamboo.scoring.answers import Answer
from bamboo.scoring.inputs import open_input, strip_extensions

IN_MEMORY = 1 << 24  # bytes of answers that are kept in memory, not in a temporary file
FILE = "file"  # whose name is the id, in place of a field


class StoredAnswers(Sequence[Answer]):
    """Answers in a temporary file, of which only the places are in memory."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  (closed by `__del__`)
        self._begins = array("q")

    def add(self, answer: Answer) -> None:
        """Add an answer."""
        if len(answer.text or "") > IN_MEMORY:
            self._file.rollover()  # at once, because in memory there would be another copy
        self._begins.append(self._file.tell())
        pickle.dump(tuple(answer), self._file)

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, k: int) -> Answer: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Answer]: ...
    def __getitem__(self, k: int | slice) -> Answer | Sequence[Answer]:
        if isinstance(k, slice):
            return [self[at] for at in range(len(self))[k]]
        self._file.seek(self._begins[k])
        return Answer(*pickle.load(self._file))

    def __del__(self) -> None:
        self._file.close()


class FileAnswers(Sequence[Answer]):
    """Files with one graph each, which are read when they are needed."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, k: int) -> Answer: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Answer]: ...
    def __getitem__(self, k: int | slice) -> Answer | Sequence[Answer]:
        if isinstance(k, slice):
            return [self[at] for at in range(len(self))[k]]
        file = self._files[k]
        with open_input(file, is_prose=True) as stream:
            text = decode(stream.read(), str(file))
        return Answer(text, str(file), 0, fields={FILE: strip_extensions(file)})
