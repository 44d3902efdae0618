"""Checks that the graphs of two sides belong together: their ids, sentences and roles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from itertools import chain, compress
from typing import Literal

import numpy as np

from amr_metrics.graphs.comments import SENTENCE_KEYS
from amr_metrics.graphs.pairs import Pairs
from amr_metrics.graphs.rows import select_group_rows
from amr_metrics.utils.arrays import sort_distinct
from amr_metrics.utils.text import format_count
from bamboo.errors import DataError
from bamboo.scoring.file_pairs import FilePairs
from bamboo.scoring.scored import Names

IN_BOTH = 0.9  # the share of sentences that files of the same sentences have in common, at least
SENTENCES = 5  # pairs; fewer pairs of different sentences can have the same sentences by chance
SHOWN_TEXT = 60  # characters of a sentence that a message shows
# A role on one side only is mentioned if it has at least so many triples, and at least this share
# of all: rare roles are often on one side only. In the data of BAMBOO and in the parses of 946
# sentences, such roles have up to 7 triples and .6 %; those of :wiki are 955 and 5.7 %.
ROLE_TRIPLES = 100
ROLE_SHARE = 0.01


class IdCheck:
    """Compares the ids of both sides, chunk by chunk.

    Two different ids in one pair are an error. Ids that occur twice, and pairs in which only one
    graph has an id, are an error if `strict`, else `warnings` counts them. A pair in which neither
    graph has an id is accepted.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str, strict: bool) -> None:
        self._names = src, tgt
        self._strict = strict
        self._count = 0  # of pairs
        # If `strict`, the position of each id. Else repeated ids are looked for at the end, since
        # these take more memory than the ids.
        self._ids: tuple[list[Names], list[Names]] = [], []
        self._seen: tuple[dict[str, int], dict[str, int]] = {}, {}
        self._alone: tuple[list[int], list[int]] = [], []  # pairs in which one side has an id

    def add(
        self,
        src_ids: Sequence[str | None],
        tgt_ids: Sequence[str | None],
        unread: Container[int] = (),
    ) -> None:
        """Check the next pairs.

        Args:
            unread: positions of pairs with a graph that could not be read, whose id may be unknown.

        Raises:
            DataError: ids that differ, and if `strict`, ids that occur twice or only on one side.
        """
        src, tgt = self._names
        start = self._count
        self._count += len(src_ids)
        if not self._strict:
            names = Names.of(src_ids)
            self._ids[0].append(names)
            self._ids[1].append(names if tgt_ids == src_ids else Names.of(tgt_ids))
        for side, ids in enumerate((src_ids, tgt_ids) if self._strict else ()):
            for k, graph_id in enumerate(ids, start):
                if graph_id is None:
                    continue
                if (first := self._seen[side].setdefault(graph_id, k)) != k:
                    raise DataError(
                        f"{self._names[side]}: graphs {first} and {k} have the same ::id "
                        f"{graph_id}. Remove one of them, or set ids=warn or ids=ignore"
                    )
        for position, (src_id, tgt_id) in enumerate(zip(src_ids, tgt_ids, strict=True)):
            if src_id == tgt_id:
                continue
            k = start + position
            if src_id is not None and tgt_id is not None:
                raise DataError(
                    f"pair {k}: {src} has ::id {src_id} but {tgt} has ::id {tgt_id}. Are these "
                    "parses of the same sentences in the same order? ids=match pairs graphs by "
                    "their ::id, ids=ignore only by their position"
                )
            if position in unread:
                continue
            side = 0 if tgt_id is None else 1
            if self._strict:
                raise DataError(
                    f"pair {k}: {self._names[side]} has ::id {src_id or tgt_id} but "
                    f"{self._names[1 - side]} has no ::id. Add it, or set ids=warn or ids=ignore"
                )
            self._alone[side].append(k)

    def warnings(self) -> list[str]:
        """Return warnings about ids that occur twice or only on one side."""
        texts = []
        for ids, alone, name, other_name in zip(
            self._ids, self._alone, self._names, self._names[::-1], strict=True
        ):
            if (repeated := _find_repeated(ids)) is not None:
                count, first, second, graph_id = repeated
                have = format_count(count, "graph has", "graphs have")
                texts.append(
                    f"{name}: {have} the ::id of an earlier graph (the first: "
                    f"graphs {first} and {second} have ::id {graph_id}); ids=check makes this an "
                    "error"
                )
            if alone:
                have = "has" if len(alone) == 1 else "have"
                texts.append(
                    f"{len(alone):,} of {format_count(self._count, 'pair')} {have} an ::id in "
                    f"{name} but none in {other_name} (the first: pair {alone[0]}), so that they "
                    "are paired by position; ids=check makes this an error, ids=ignore gives no "
                    "warning"
                )
        return texts


def check_positions(
    src: str, src_ids: Sequence[str | None], tgt: str, tgt_ids: Sequence[str | None]
) -> None:
    """Check that the graphs of two sides with the same id are at the same position.

    The sides may be different texts: ids that only one of them has are accepted.

    Args:
        src, tgt: the names of both sides, for messages.

    Raises:
        DataError: an id is on both sides, but in no pair on both.
    """
    in_place = {None, *(a for a, b in zip(src_ids, tgt_ids, strict=True) if a == b)}
    positions = {graph_id: k for k, graph_id in enumerate(tgt_ids) if graph_id not in in_place}
    moved = [k for k, graph_id in enumerate(src_ids) if graph_id in positions]
    if moved:
        k = moved[0]
        has = "no ::id" if tgt_ids[k] is None else f"::id {tgt_ids[k]}"
        raise DataError(
            f"pair {k}: {src} has ::id {src_ids[k]} but {tgt} has {has}, and ::id "
            f"{src_ids[k]} in pair {positions[src_ids[k]]}. {format_count(len(moved), 'id')} of "
            "both files are at different positions. In the YAML file of the data set, ids: match "
            "pairs graphs by their ::id, ids: ignore only by their position"
        )


def _find_repeated(parts: Sequence[Names]) -> tuple[int, int, int, str] | None:
    """Find ids that occur twice; None without.

    Ids are first compared by their hashes, because a set of them takes much memory.

    Returns:
        how many graphs have the id of an earlier one; of the first of these the positions of the
        earlier graph and of this one, and their id.
    """
    hashes = np.fromiter(map(hash, chain.from_iterable(parts)), np.int64, sum(map(len, parts)))
    ordered = np.sort(hashes)
    repeated = sort_distinct(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return None
    nearest = np.searchsorted(repeated, hashes).clip(max=len(repeated) - 1)
    may_repeat = repeated[nearest] == hashes
    seen: dict[str, int] = {}
    count, example = 0, None
    for k, graph_id in compress(enumerate(chain.from_iterable(parts)), may_repeat.tolist()):
        if graph_id is not None and (first := seen.setdefault(graph_id, k)) != k:
            count += 1
            example = example or (first, k, graph_id)
    return None if example is None else (count, *example)


class SentenceCheck:
    """Compares the sentences of pairs in which not both graphs have an id, chunk by chunk.

    A sentence that differs from that of its partner is no error by itself: a parser may have cut it
    off, and pairs of similar sentences differ on purpose. It is an error if both sides have nearly
    the same sentences, some of them at other positions. Only letters and digits are compared, in
    lower case, because parsers write sentences with other tokens.

    Args:
        src, tgt: the names of both sides, for messages.
    """

    def __init__(self, src: str, tgt: str) -> None:
        self._names = src, tgt
        self._pairs = 0  # in which both graphs have a sentence
        self._same = 0
        # How often a sentence without its counterpart occurs in src, minus how often in tgt; by
        # its hash, because sentences take much memory.
        self._unmatched: Counter[int] = Counter()
        self._moved = 0  # sentences with a counterpart at another position
        self._example = ""

    def add(
        self,
        first: int,
        pairs: FilePairs,
        src_ids: Sequence[str | None],
        tgt_ids: Sequence[str | None],
    ) -> None:
        """Check the next pairs.

        Args:
            first: the position of the first of them.

        Raises:
            DataError: the sentences of both sides are in different orders.
        """
        without = [k for k, ids in enumerate(zip(src_ids, tgt_ids, strict=True)) if None in ids]
        if not without:
            return
        src_sentences, tgt_sentences = pairs.sentences(0), pairs.sentences(1)
        for k in without:
            src, tgt = src_sentences[k], tgt_sentences[k]
            if src is None or tgt is None:
                continue
            self._pairs += 1
            if src == tgt or _keep_letters(src) == _keep_letters(tgt):
                self._same += 1
                continue
            moved = self._is_unmatched(src, 1) + self._is_unmatched(tgt, -1)
            self._moved += moved
            if moved and not self._example:
                lines = (
                    f"{name} has ::{_find_sentence_key(pairs, side, k)} {_quote_sentence(text)}"
                    for side, (name, text) in enumerate(zip(self._names, (src, tgt), strict=True))
                )
                self._example = f"pair {first + k}: {' but '.join(lines)}"
        in_both = self._same + self._moved
        if self._pairs >= SENTENCES and self._moved > 1 and in_both >= IN_BOTH * self._pairs:
            raise DataError(
                f"{self._example}, and {self._moved:,} of {format_count(self._pairs, 'sentence')} "
                "occur "
                "on both sides at different positions. Bring both sides into the same order. "
                "ids=ignore pairs graphs by their position, whatever their sentences"
            )

    def _is_unmatched(self, sentence: str, step: Literal[1, -1]) -> bool:
        """Count a sentence; check if the other side has it without its counterpart."""
        letters = _keep_letters(sentence)
        if not letters:
            return False
        key = hash(letters)
        self._unmatched[key] += step
        return self._unmatched[key] * step <= 0


def _find_sentence_key(pairs: FilePairs, side: int, k: int) -> str:
    """Return the key of the metadata that has the sentence of a pair's graph."""
    return next(key for key in SENTENCE_KEYS if pairs.metadata(side, key)[k] is not None)


def _keep_letters(sentence: str) -> str:
    return re.sub(r"[\W_]+", "", sentence.lower())


def _quote_sentence(sentence: str) -> str:
    return repr(sentence if len(sentence) <= SHOWN_TEXT else f"{sentence[:SHOWN_TEXT]}...")


def drop_option(roles: Sequence[str]) -> str:
    """Return the option that removes roles from all graphs.

    >>> drop_option([":wiki", ":quant"])
    'drop=wiki,:quant'
    """
    return "drop=" + ",".join("wiki" if role == ":wiki" else role for role in roles)


class RoleCount:
    """Counts the triples of each role on both sides, chunk by chunk.

    Args:
        src, tgt: the names of both sides, for messages.
        is_ignored: returns whether a role changes no score.
        option: returns the option that leaves out some roles, "" if there is none.
    """

    def __init__(
        self,
        src: str,
        tgt: str,
        is_ignored: Callable[[str], bool] = lambda _: False,
        option: Callable[[Sequence[str]], str] = drop_option,
    ) -> None:
        self._names = src, tgt
        self._is_ignored, self._option = is_ignored, option
        self._counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()

    def add(self, pairs: FilePairs) -> None:
        """Count the roles of the next pairs."""
        for side, counts in enumerate(self._counts):
            counts.update(count_roles(pairs, side))

    def notes(self) -> list[str]:
        """Return a note for each side that often has roles which the other never has."""
        notes = []
        for counts, others, name, other_name in zip(
            self._counts, self._counts[::-1], self._names, self._names[::-1], strict=True
        ):
            fewest = max(ROLE_TRIPLES, ROLE_SHARE * counts.total())
            alone = [
                role
                for role, count in counts.most_common()
                if count >= fewest and role not in others and not self._is_ignored(role)
            ]
            if alone:
                numbers = ", ".join(f"{role} {counts[role]:,} times" for role in alone)
                advice = f" {option} leaves them out" if (option := self._option(alone)) else ""
                notes.append(
                    f"{name} has {numbers}, {other_name} never. Such triples lower most "
                    f"scores: were they removed from one side only?{advice}"
                )
        return notes


def count_roles(pairs: FilePairs, side: int) -> Counter[str]:
    """Return how many triples of the first (0) or second (1) graphs of pairs have each role."""
    if not isinstance(pairs.pairs, Pairs):
        graphs = [pair[side] for pair in pairs if pair is not None]
        return Counter(role for g in graphs for _, role, _ in (*g.relations, *g.attributes))
    corpus = (pairs.pairs.src, pairs.pairs.tgt)[side]
    index = (pairs.pairs.src_index, pairs.pairs.tgt_index)[side][pairs.present]
    relations = corpus.relation_roles[select_group_rows(corpus.relation_start, index).rows]
    attributes = corpus.attribute_roles[select_group_rows(corpus.attribute_start, index).rows]
    counts = np.bincount(np.concatenate([relations, attributes]))
    return Counter({corpus.symbols.texts[k]: int(counts[k]) for k in np.flatnonzero(counts)})
