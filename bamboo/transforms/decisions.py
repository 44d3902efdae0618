"""What a disambiguator is asked, and its answers cached on disk."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from bamboo.documents import json_text, read_json
from bamboo.log import warn
from bamboo.transforms.errors import BuildError

TABLES = """
create table if not exists decisions (
    signature text, sentence text, concept text, synonyms text,
    primary key (signature, sentence, concept)
) without rowid;
create table if not exists checksums (
    signature text, sentence text, concept text, sha256 text,
    primary key (signature, sentence, concept)
) without rowid;
"""


class Question(NamedTuple):
    """A concept, as written in its graph, in a sentence."""

    sentence: str
    concept: str


Decisions = Mapping[Question, tuple[str, ...]]


class DecisionCache:
    """An SQLite file of decisions by (signature, sentence, concept); without a file, always empty.

    SQLite's transactions keep the file consistent when several processes write to it.
    """

    def __init__(self, connection: sqlite3.Connection | None, signature: str) -> None:
        self.connection, self.signature = connection, signature

    @classmethod
    @contextmanager
    def open(cls, path: Path | None, signature: str) -> Iterator[DecisionCache]:
        """Open the cached decisions of one signature.

        Raises:
            BuildError: the file cannot be used.
        """
        if path is None:
            yield cls(None, signature)
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(TABLES)
                yield cls(connection, signature)
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            raise BuildError(
                f"the cache of decisions {path} cannot be used: {' '.join(str(error).split())}. "
                "Delete it to start again"
            ) from None

    def find(self, questions: Iterable[Question]) -> dict[Question, tuple[str, ...]]:
        """The cached decisions for these questions; damaged ones are left out, with a warning."""
        decisions: dict[Question, tuple[str, ...]] = {}
        if self.connection is None:
            return decisions
        query = (
            "select synonyms, sha256 from decisions "
            "left join checksums using (signature, sentence, concept) "
            "where signature = ? and sentence = ? and concept = ?"
        )
        damaged = 0
        for question in questions:
            row = self.connection.execute(query, (self.signature, *question)).fetchone()
            if row is None:
                continue
            if row[1] == self._checksum(question, str(row[0])):
                decisions[question] = tuple(read_json(row[0]))
            else:
                damaged += 1
        if damaged:
            warn([f"{damaged} cached decisions are damaged: they are made again"])
        return decisions

    def store(self, decisions: Decisions) -> None:
        """Cache decisions, in one transaction."""
        if self.connection is None:
            return
        rows = [
            (self.signature, *question, json_text(synonyms))
            for question, synonyms in decisions.items()
        ]
        checksums = [
            (*row[:3], self._checksum(question, row[3]))
            for row, question in zip(rows, decisions, strict=True)
        ]
        with self.connection:
            for table, values in (("decisions", rows), ("checksums", checksums)):
                self.connection.executemany(
                    f"insert or replace into {table} values (?, ?, ?, ?)", values
                )

    def _checksum(self, question: Question, synonyms: str) -> str:
        """A checksum of one row."""
        return hashlib.sha256(json_text([self.signature, *question, synonyms]).encode()).hexdigest()
