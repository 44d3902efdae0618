"""What a disambiguator is asked, and its answers cached on disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from bamboo.documents import json_text
from bamboo.transforms.errors import BuildError

TABLE = """
create table if not exists decisions (
    signature text, sentence text, concept text, synonyms text,
    primary key (signature, sentence, concept)
) without rowid
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
                connection.execute(TABLE)
                yield cls(connection, signature)
        except (OSError, sqlite3.Error) as error:
            raise BuildError(
                f"the cache of decisions {path} cannot be used: {error}. Delete it to start again"
            ) from None

    def find(self, questions: Iterable[Question]) -> dict[Question, tuple[str, ...]]:
        """The cached decisions for these questions."""
        decisions: dict[Question, tuple[str, ...]] = {}
        if self.connection is None:
            return decisions
        query = (
            "select synonyms from decisions where signature = ? and sentence = ? and concept = ?"
        )
        for question in questions:
            row = self.connection.execute(query, (self.signature, *question)).fetchone()
            if row is not None:
                decisions[question] = tuple(json.loads(row[0]))
        return decisions

    def store(self, decisions: Decisions) -> None:
        """Cache decisions, in one transaction."""
        if self.connection is None:
            return
        rows = [
            (self.signature, *question, json_text(synonyms))
            for question, synonyms in decisions.items()
        ]
        with self.connection:
            self.connection.executemany(
                "insert or replace into decisions values (?, ?, ?, ?)", rows
            )
