"""How the concepts that two graphs do not share are related in WordNet."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar, NamedTuple
from zipfile import BadZipFile

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.errors import OptionError
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair
from amr_metrics.types import Floats
from amr_metrics.utils.extras import describe_lacking

# From the closest relation to the most distant one.
SYNONYM, ANTONYM, HYPERNYM, SISTER, UNRELATED = range(5)
KINDS = ("synonym", "antonym", "hypernym", "sister", "unrelated")
DOWNLOAD = "python -m nltk.downloader wordnet"
# The files of WordNet that scores depend on.
FILES = [
    name
    for pos in ("adj", "adv", "noun", "verb")
    for name in (f"data.{pos}", f"index.{pos}", f"{pos}.exc")
]


@dataclass(frozen=True, kw_only=True)
class WordNetMatch(Metric):
    """Mean share of concepts that the other graph has too, or has a synonym of, in 0..1.

    Concepts are compared without senses, as multisets. A concept without a match is a synonym of
    one of the other graph's unmatched concepts if WordNet has a synset with both. The columns
    give the shares of further relations (see `evaluate`). Constants and relations do not count.

    Raises:
        OptionError: at the first use, if NLTK or its WordNet is not installed; in any use, if the
            files of WordNet are damaged.
    """

    reference: ClassVar[str] = (
        "Miller (1995), WordNet: a lexical database for English, "
        "https://doi.org/10.1145/219717.219748"
    )

    @property
    def signature(self) -> str:
        """The metric, its version, that of WordNet and a digest of its files."""
        wordnet = _load_wordnet()
        version = wordnet.reader.get_version()
        return f"{super().signature}|wordnet={version}|wordnet_files={wordnet.digest}"

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the score of each pair; two empty graphs score 1, an empty and a non-empty one 0.

        Columns: the share of the concepts of src (``src_K``) and of tgt (``tgt_K``) that have no
        match, by the closest relation K to an unmatched concept of the other graph: ``synonym``,
        ``antonym``, ``hypernym`` (either one is a hypernym of the other, at most two levels up),
        ``sister`` (a common hypernym one level up), or ``unrelated``.

        Raises:
            OptionError: if NLTK or its WordNet is not installed, or files of WordNet are damaged.
        """
        shares = np.zeros((2, len(KINDS), len(pairs)))
        for p, pair in enumerate(self.views(pairs)):
            concepts = [_count_words(graph) for graph in pair]
            shares[0, :, p] = _measure_shares(*concepts)
            shares[1, :, p] = _measure_shares(*concepts[::-1])
        matched = 1 - shares.sum(axis=1) + shares[:, SYNONYM]
        details = {
            f"{side}_{kind}": shares[s, k]
            for s, side in enumerate(("src", "tgt"))
            for k, kind in enumerate(KINDS)
        }
        return Scores(matched.mean(axis=0), details)

    def warm_up(self) -> None:
        """Load WordNet."""
        _load_wordnet()


class _Entry(NamedTuple):
    """What WordNet says of a word, or of any of several, by the names of synsets and words."""

    words: frozenset[str]
    synsets: frozenset[str]
    parents: frozenset[str]
    ancestors: frozenset[str]
    antonyms: frozenset[str]


def _count_words(graph: Graph) -> Counter[str]:
    return Counter(SENSE.sub("", concept.lower()) for concept in graph.concepts)


def _measure_shares(concepts: Counter[str], others: Counter[str]) -> Floats:
    """Return the share of concepts without a match, by the closest relation to the others."""
    shares = np.zeros(len(KINDS))
    if not concepts:
        shares[UNRELATED] = bool(others)
        return shares
    # Multisets: what is left of each side after equal concepts are taken from both. A concept may
    # be related to several of the other side; the closest relation counts.
    unmatched, candidates = concepts - others, others - concepts
    if not unmatched or not candidates:
        shares[UNRELATED] = unmatched.total()
    else:
        joined = _join_entries([_look_up_entry(candidate) for candidate in candidates])
        for concept, count in unmatched.items():
            shares[_find_relation(_look_up_entry(concept), joined)] += count
    return shares / concepts.total()


def _join_entries(entries: Sequence[_Entry]) -> _Entry:
    """Return what WordNet says of any of several words, at least one."""
    return _Entry(*(frozenset().union(*names) for names in zip(*entries, strict=True)))


def _find_relation(first: _Entry, others: _Entry) -> int:
    """Return the position in `KINDS` of the closest relation between a word and any of others."""
    if first.synsets & others.synsets:
        return SYNONYM
    if first.antonyms & others.words or first.words & others.antonyms:
        return ANTONYM
    if first.synsets & others.ancestors or first.ancestors & others.synsets:
        return HYPERNYM
    return SISTER if first.parents & others.parents else UNRELATED


@lru_cache(maxsize=1 << 16)
def _look_up_entry(concept: str) -> _Entry:
    word = concept.replace("-", "_")
    wordnet = _load_wordnet().reader
    with _report_damage(wordnet.root):
        synsets = wordnet.synsets(word)
        parents = {parent for synset in synsets for parent in synset.hypernyms()}
        grandparents = {above for parent in parents for above in parent.hypernyms()}
        senses = [lemma for synset in synsets for lemma in synset.lemmas()]
        return _Entry(
            frozenset([word]),
            _list_names(synsets),
            _list_names(parents),
            _list_names(parents | grandparents),
            frozenset(
                antonym.name().lower()
                for sense in senses
                if sense.name().lower() == word
                for antonym in sense.antonyms()
            ),
        )


def _list_names(synsets: Any) -> frozenset[str]:
    return frozenset(synset.name() for synset in synsets)


class _WordNet(NamedTuple):
    """NLTK's reader of WordNet, and the first digits of the SHA-256 of `FILES`."""

    reader: Any
    digest: str


@cache
def _load_wordnet() -> _WordNet:
    """Load WordNet.

    Raises:
        OptionError: if NLTK or WordNet is not installed, or files of WordNet are damaged.
    """
    if (problem := describe_lacking("wordnet", "relations between concepts")) is not None:
        raise OptionError(problem)
    from nltk.corpus.reader.wordnet import WordNetCorpusReader  # slow to import
    from nltk.data import find

    class English(WordNetCorpusReader):  # type: ignore[misc]
        """Without the map to the synsets of other languages, which takes seconds to build."""

        def map_wn(self, version: str = "wordnet") -> None:
            return None

    try:
        root = find("corpora/wordnet/")  # with the slash, also in wordnet.zip
    except (LookupError, BadZipFile):
        raise OptionError(
            f"WordNet is not installed, or its archive is damaged: run `{DOWNLOAD}`, or set "
            "NLTK_DATA to the folder that contains corpora/wordnet"
        ) from None
    digest = hashlib.sha256()
    with _report_damage(root):
        reader = English(root, omw_reader=())  # None would be a warning
        for name in FILES:
            with root.join(name).open() as file:
                content = file.read()
            if not content:  # NLTK reads an empty file as one without words
                raise ValueError(f"{name} is empty")
            digest.update(content)
    return _WordNet(reader, digest.hexdigest()[:12])


@contextmanager
def _report_damage(root: Any) -> Iterator[None]:
    """Convert what NLTK raises for damaged files, which may be anything, to one error."""
    try:
        yield
    except Exception as error:
        raise OptionError(
            f"{root}: WordNet is damaged ({type(error).__name__}: {error}). Remove it and "
            f"download it again: `{DOWNLOAD}`"
        ) from None
