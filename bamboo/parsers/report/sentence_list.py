"""The page of all sentences, and the data of its list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bamboo.pages.explorer import CHUNK, round_to_units
from bamboo.pages.folder import SiteFolder
from bamboo.parsers.buckets import list_buckets
from bamboo.parsers.parts import ASPECT, parts_with
from bamboo.parsers.report.mistake_tables import count_agreements, find_confused_pairs
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.sentences import KINDS, PART, kind_code
from bamboo.parsers.systems import EMPTY
from bamboo.scoring.scored import Scored

SIDES = ("precision", "recall")
COST_UNIT = 1e-8  # of the costs of sentences in data files
ORDERS = {
    "agreement": "lowest agreement",
    "cost": "costs most points",
    "gap": "A better than B",
    "number": "number",
    "low": "lowest score",
    "short": "smallest against gold",
    "size": "largest graph",
    "agree": "parsers agree, gold differs",
}


@dataclass(frozen=True)
class ParserLabel:
    """A parser: its name, its name in addresses and files, and the class of its colour."""

    name: str
    slug: str
    hue: str


@dataclass(frozen=True)
class AboutSentences:
    """What the script of the page needs before it loads a file.

    Attributes:
        ranked: the slugs of the parsers, best first, with those that are not ranked.
        kinds: the names of all kinds of mistakes, by number.
        count: the number of sentences; `chunk` of them are in a file of graphs, `part` in one of
            texts.
        views: how a pair can be shown.
        costs: whether sentences have costs.
        order: that of the list, at first.
        words: those of the page.
    """

    metric: str
    parsers: Sequence[ParserLabel]
    ranked: Sequence[str]
    kinds: Sequence[str]
    aspects: Sequence[str]
    count: int
    chunk: int
    part: int
    views: Sequence[str]
    costs: bool
    order: str
    words: Mapping[str, str]


@dataclass(frozen=True)
class SentencesPage:
    """What the page of all sentences shows: names and labels of what can be chosen."""

    orders: Sequence[tuple[str, str]]
    kinds: Sequence[tuple[str, str]]
    aspects: Sequence[str]
    about: AboutSentences


@dataclass(frozen=True)
class SentencesData:
    """All sentences, as the list needs them.

    Attributes:
        names: in addresses.
        ids: None if these are the names.
        sizes: the number of nodes of each gold graph; -1 if it is unknown.
        gold: the number of its triples; None if the metric does not count them.
        agree: in how many places all parsers agree with one another and not with gold.
        agreement: of annotators, the mean score of every two; None for parsers.
        buckets: of `by`; empty without, and for sizes.
    """

    names: Sequence[str]
    ids: Sequence[str | None] | None
    sizes: Sequence[int]
    gold: Sequence[int] | None
    agree: Sequence[int]
    agreement: Sequence[int | None] | None
    buckets: Sequence[str]


@dataclass(frozen=True)
class ScoresData:
    """The scores of a parser by sentence, as `bamboo.pages.explorer.round_to_units` writes them.

    Attributes:
        sides: precision and recall; empty without.
        problems: by the position of the sentence.
    """

    scores: Sequence[int | None]
    sides: Sequence[Sequence[int | None]]
    problems: Mapping[str, str]


@dataclass(frozen=True)
class CostsData(ScoresData):
    """The same for a metric that counts triples: those of each parse, and what each one costs."""

    triples: Sequence[int]
    cost: Sequence[int]


def build_sentences_page(view: Overview) -> SentencesPage:
    """Return what the template of the page shows."""
    found = view.found
    aspects = view.report.board.select(kind="aspect").list_names("part")
    views = (["side"] if view.mistakes else []) + (["drawing"] if found.is_aligned else [])
    absent = set() if view.is_several else {"gap"}
    absent |= set() if view.is_several and view.mistakes else {"agree"}
    absent |= set() if view.costs else {"cost", "short"}
    # The graph beside those of annotators is one of theirs.
    absent |= {"agreement"} if view.agreement is None else {"agree", "cost", "short"}
    return SentencesPage(
        orders=[(order, text) for order, text in ORDERS.items() if order not in absent],
        kinds=[(kind_code(kind), ": ".join(kind)) for kind in KINDS] if view.mistakes else [],
        aspects=aspects,
        about=AboutSentences(
            metric=view.report.metric,
            parsers=[ParserLabel(n, slug, view.hues[n]) for n, slug in found.slugs.items()],
            ranked=[found.slugs[name] for name in view.ranks],
            kinds=[*map(kind_code, KINDS)],
            aspects=aspects,
            count=len(found.ids),
            chunk=CHUNK,
            part=PART,
            views=[*views, "penman"],
            costs=view.costs is not None,
            order=next(order for order in ("agreement", "cost", "low") if order not in absent),
            words=view.words._asdict(),
        ),
    )


def write_lists(folder: SiteFolder, view: Overview) -> None:
    """Write what the list of sentences needs: names, and each parser's scores and mistakes."""
    found, report, gold = view.found, view.report, view.gold_triples
    sentences = SentencesData(
        names=found.names,
        ids=None if found.names == found.ids else found.ids,
        sizes=found.sizes,
        gold=None if gold is None else gold.astype(int).tolist(),
        agree=count_agreements(view),
        agreement=None if view.agreement is None else round_to_units(view.agreement),
        buckets=list_buckets(next(iter(report.of_metric.values())).pairs),
    )
    folder.write_data("sentences", sentences)
    folder.write_data("confusions", find_confused_pairs(view) if view.mistakes else {})
    for name, slug in found.slugs.items():
        folder.write_data(f"scores/{slug}", _build_scores(view, name, report.of_metric[name]))
        if view.mistakes:
            counts = np.nan_to_num(view.mistakes[name].counts).reshape(len(found.ids), -1)
            kinds = [
                [v for k in np.flatnonzero(row) for v in (int(k), int(row[k]))] for row in counts
            ]
            folder.write_data(f"mistakes/{slug}", kinds)
    for n, of_aspect in enumerate(parts_with(ASPECT, report.of_metric).values()):
        scores = {
            found.slugs[name]: round_to_units(np.where(part.details[EMPTY], np.nan, part.values))
            for name, part in of_aspect.items()
        }
        folder.write_data(f"aspects/{n}", scores)


def _build_scores(view: Overview, parser: str, scored: Scored) -> ScoresData:
    details = scored.scores.details
    scores = round_to_units(scored.scores.values)
    sides = [round_to_units(details[side]) for side in SIDES if side in details]
    problems = {str(k): str(problem) for k, problem in scored.problems.items()}
    if view.costs is None:
        return ScoresData(scores, sides, problems)
    triples = np.nan_to_num(np.asarray(details["src_total"], np.float64)).astype(int)
    costs = np.rint(np.nan_to_num(view.costs[parser]) / COST_UNIT).astype(int)
    return CostsData(scores, sides, problems, triples.tolist(), costs.tolist())
