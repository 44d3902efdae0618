"""The page of all sentences, and the data of its list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamboo.pages.explorer import CHUNK, round_to_units
from bamboo.pages.folder import SiteFolder
from bamboo.parsers.analyses.aspects import ASPECT, parts_with
from bamboo.parsers.analyses.buckets import list_buckets
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
class SentencesPage:
    """What can be chosen on the page of sentences.

    Attributes:
        about: what the script of the page needs before it loads a file.
    """

    orders: Sequence[tuple[str, str]]
    kinds: Sequence[tuple[str, str]]
    aspects: Sequence[str]
    about: Mapping[str, Any]


def build_sentences_page(view: Overview) -> SentencesPage:
    """Return what can be chosen."""
    collected = view.collected
    aspects = view.report.board.select(kind="aspect").list_names("part")
    views = (["side"] if view.mistakes else []) + (["drawing"] if collected.is_aligned else [])
    absent = set() if view.has_several_parsers else {"gap"}
    absent |= set() if view.has_several_parsers and view.mistakes else {"agree"}
    absent |= set() if view.sentence_costs else {"cost", "short"}
    # The graph beside those of annotators is one of theirs.
    absent |= {"agreement"} if view.agreement is None else {"agree", "cost", "short"}
    return SentencesPage(
        orders=[(order, text) for order, text in ORDERS.items() if order not in absent],
        kinds=[(kind_code(kind), ": ".join(kind)) for kind in KINDS] if view.mistakes else [],
        aspects=aspects,
        about={
            "metric": view.report.metric,
            "parsers": [
                {"name": name, "slug": slug, "hue": view.hues[name]}
                for name, slug in collected.slugs.items()
            ],
            "ranked": [collected.slugs[name] for name in view.ranks],
            "kinds": [*map(kind_code, KINDS)],
            "aspects": aspects,
            "count": len(collected.ids),
            "chunk": CHUNK,
            "part": PART,
            "views": [*views, "penman"],
            "costs": view.sentence_costs is not None,
            "order": next(o for o in ("agreement", "cost", "low") if o not in absent),
            "words": view.words._asdict(),
        },
    )


def write_lists(folder: SiteFolder, view: Overview) -> None:
    """Write what the list of sentences needs: names, and each parser's scores and mistakes.

    `bamboo.parsers.report.sentences` describes the files.
    """
    collected, report, gold = view.collected, view.report, view.gold_triples
    sentences = {
        "names": collected.names,
        "ids": None if collected.names == collected.ids else collected.ids,
        "sizes": collected.sizes,
        "gold": None if gold is None else gold.astype(int).tolist(),
        "agree": count_agreements(view),
        "agreement": None if view.agreement is None else round_to_units(view.agreement),
        "buckets": list_buckets(next(iter(report.by_parser.values())).pairs),
    }
    folder.write_data("sentences", sentences)
    folder.write_data("confusions", find_confused_pairs(view) if view.mistakes else {})
    for name, slug in collected.slugs.items():
        folder.write_data(f"scores/{slug}", _build_scores(view, name, report.by_parser[name]))
        if view.mistakes:
            counts = np.nan_to_num(view.mistakes[name].counts).reshape(len(collected.ids), -1)
            kinds = [
                [v for k in np.flatnonzero(row) for v in (int(k), int(row[k]))] for row in counts
            ]
            folder.write_data(f"mistakes/{slug}", kinds)
    for n, of_aspect in enumerate(parts_with(ASPECT, report.by_parser).values()):
        scores = {
            collected.slugs[name]: round_to_units(
                np.where(part.details[EMPTY], np.nan, part.values)
            )
            for name, part in of_aspect.items()
        }
        folder.write_data(f"aspects/{n}", scores)


def _build_scores(view: Overview, parser: str, scored: Scored) -> dict[str, Any]:
    """Return the scores of a parser; for a metric that counts triples also these, and costs."""
    details = scored.scores.details
    scores: dict[str, Any] = {
        "scores": round_to_units(scored.scores.values),
        "sides": [round_to_units(details[side]) for side in SIDES if side in details],
        "problems": {str(k): str(problem) for k, problem in scored.problems.items()},
    }
    if view.sentence_costs is not None:
        triples = np.nan_to_num(np.asarray(details["src_total"], np.float64)).astype(int)
        costs = np.rint(np.nan_to_num(view.sentence_costs[parser]) / COST_UNIT).astype(int)
        scores |= {"triples": triples.tolist(), "cost": costs.tolist()}
    return scores
