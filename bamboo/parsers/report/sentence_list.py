"""The page of all sentences, and the data of its list."""

from __future__ import annotations

import numpy as np

from bamboo.pages.explorer import CHUNK, shown
from bamboo.pages.folder import SiteFolder
from bamboo.pages.rendering import embedded
from bamboo.parsers.buckets import list_buckets
from bamboo.parsers.parts import ASPECT, parts_with
from bamboo.parsers.report.mistake_tables import confused_pairs, count_agreements
from bamboo.parsers.report.overview import Overview
from bamboo.parsers.report.page_types import (
    AboutSentences,
    CostsData,
    ScoresData,
    SentencesData,
    SentencesPage,
)
from bamboo.parsers.report.sentences import KINDS, PART, kind_code
from bamboo.parsers.systems import EMPTY
from bamboo.scoring.scored import Scored

SIDES = ("precision", "recall")
COST_UNIT = 1e-8  # of the costs of sentences in data files
ORDERS = {
    "cost": "costs most points",
    "gap": "A better than B",
    "number": "number",
    "low": "lowest score",
    "short": "smallest against gold",
    "size": "largest graph",
    "agree": "parsers agree, gold differs",
}


def build_sentences_page(view: Overview) -> SentencesPage:
    """Return what the template of the page shows."""
    found = view.found
    aspects = view.report.board.select(kind="aspect").list_names("part")
    views = (["side"] if view.mistakes else []) + (["drawing"] if found.is_aligned else [])
    is_single = len(view.ranking) == 1
    absent = {"gap"} if is_single else set()
    absent |= {"agree"} if is_single or not view.mistakes else set()
    absent |= set() if view.costs else {"cost", "short"}
    about = AboutSentences(
        metric=view.report.metric,
        parsers=[*map(view.label, found.slugs)],
        ranked=[found.slugs[row.parser] for row in view.ranking],
        kinds=[*map(kind_code, KINDS)],
        aspects=aspects,
        count=len(found.ids),
        chunk=CHUNK,
        part=PART,
        views=[*views, "penman"],
        costs=view.costs is not None,
    )
    return SentencesPage(
        orders=[(order, text) for order, text in ORDERS.items() if order not in absent],
        parsers=[view.label(row.parser) for row in view.ranking],
        kinds=[(kind_code(kind), ": ".join(kind)) for kind in KINDS] if view.mistakes else [],
        aspects=aspects,
        about=embedded(about),
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
        buckets=list_buckets(next(iter(report.of_metric.values())).pairs),
    )
    folder.write_data("sentences", sentences)
    folder.write_data("confusions", confused_pairs(view) if view.mistakes else {})
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
            found.slugs[name]: shown(np.where(part.details[EMPTY], np.nan, part.values))
            for name, part in of_aspect.items()
        }
        folder.write_data(f"aspects/{n}", scores)


def _build_scores(view: Overview, parser: str, scored: Scored) -> ScoresData:
    details = scored.scores.details
    scores = shown(scored.scores.values)
    sides = [shown(details[side]) for side in SIDES if side in details]
    problems = {str(k): str(problem) for k, problem in scored.problems.items()}
    if view.costs is None:
        return ScoresData(scores, sides, problems)
    triples = np.nan_to_num(np.asarray(details["src_total"], np.float64)).astype(int)
    costs = np.rint(np.nan_to_num(view.costs[parser]) / COST_UNIT).astype(int)
    return CostsData(scores, sides, problems, triples.tolist(), costs.tolist())
