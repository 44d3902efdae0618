"""The report on parsers: pages of their scores, of their errors, and of every sentence.

The pages have the look of the site. As there, data are small script files that pages load when
they need them (`bamboo.site.shards`):

- ``sentences``: of each pair the id, the sentence, and the number of nodes of the gold graph;
- ``scores/<parser>``: of each pair the scores, and how many triples have which kind of error;
- ``aspects/<n>``: of each pair the scores of one aspect, by parser;
- ``graphs/<n>``: the graphs of some pairs (`bamboo.site.parser_pairs`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.types import Bools, Ints
from bamboo.evaluation.parts import ASPECT, parts_with
from bamboo.evaluation.report import ParserReport
from bamboo.evaluation.systems import (
    EMPTY,
    SystemResults,
    compare_systems,
    corpus_statistics,
)
from bamboo.files import json_text
from bamboo.site.folder import SiteFolder
from bamboo.site.parser_pages import write_pages
from bamboo.site.parser_pairs import KINDS, Collected, PairSource, write_pairs
from bamboo.site.shards import SIDES, script, shown

CLASSES = 6  # of the size of graphs


def write_report(
    folder: SiteFolder,
    report: ParserReport,
    metric: Metric,
    pairs: Mapping[str, PairSource],
    command: str,
) -> None:
    """Write the report on parsers.

    Args:
        report: the scores of the parsers, with intervals.
        metric: the metric that computed them.
        pairs: the pairs of each parser, which are read again.
        command: makes the report; "" if there is no such command.

    Raises:
        ConfigError: a file that cannot be written.
    """
    found = write_pairs(folder, report, metric, pairs)
    sizes = compare_sizes(report, metric, np.array(found.sizes, np.int64))
    _write_data(folder, report, found)
    errors = {name: found.by_kind(name) for name in found.slugs} if found.aligned else None
    document = {**report.to_json(), "errors": errors}
    folder.write("data/report.json", json_text(document) + "\n")
    write_pages(folder, report, sizes, found, command)


def size_classes(sizes: Ints) -> dict[str, Bools]:
    """Divide pairs into up to `CLASSES` classes of about the same number, by number of nodes.

    Args:
        sizes: of each pair; -1 for one that belongs to no class.

    >>> [*size_classes(np.array([1, 2, 2, 3, 9, -1]))]
    ['1 node', '2 nodes', '3 nodes', '9 nodes']
    """
    existing = sizes[sizes >= 0]
    if not len(existing):
        return {}
    shares = np.linspace(0, 1, CLASSES + 1)[:-1]
    lows = np.unique(np.quantile(existing, shares, method="higher"))
    classes = {}
    for low, end in zip(lows, [*lows[1:], existing.max() + 1], strict=True):
        highest = existing[existing < end].max()
        span = f"{low}" if highest == low else f"{low}–{highest}"
        classes[f"{span} node{'s' if span != '1' else ''}"] = (sizes >= low) & (sizes < end)
    return classes


def compare_sizes(report: ParserReport, metric: Metric, sizes: Ints) -> SystemResults:
    """Compare the parsers on graphs of about the same size.

    Args:
        sizes: the number of nodes of each gold graph.
    """
    parts: dict[str, dict[str, Scores]] = {}
    for label, within in size_classes(sizes).items():
        for name, scores in report.parsers.items():
            columns = {**scores.values.scores.details, EMPTY: ~within}
            parts.setdefault(label, {})[name] = Scores(scores.scores, columns)
    return compare_systems(corpus_statistics(metric), parts, report.resampling, ci=True)


def _write_data(folder: SiteFolder, report: ParserReport, found: Collected) -> None:
    """Write the sentences, the scores of each parser, and those of each aspect."""
    content = {"ids": found.ids, "sentences": found.sentences, "sizes": found.sizes}
    folder.write("data/sentences.js", script("sentences", content))
    for name, slug in found.slugs.items():
        values = report[name].values
        details = values.scores.details
        of_parser = {
            "scores": shown(values.scores.values),
            "sides": [shown(details[side]) for side in SIDES if side in details],
            "problems": {str(k): str(problem) for k, problem in values.problems.items()},
            "errors": [
                [v for kind, n in _by_kind(errors).items() for v in (KINDS.index(kind), n)]
                for errors in found.errors.get(name, ())
            ],
        }
        folder.write(f"data/scores/{slug}.js", script(f"scores/{slug}", of_parser))
    files = {name: scores.values for name, scores in report.parsers.items()}
    for n, of_aspect in enumerate(parts_with(ASPECT, files).values()):
        scores = {
            found.slugs[name]: shown(np.where(part.details[EMPTY], np.nan, part.values))
            for name, part in of_aspect.items()
        }
        folder.write(f"data/aspects/{n}.js", script(f"aspects/{n}", scores))


def _by_kind(errors: Counter[tuple[str, int]]) -> Counter[str]:
    """Add the errors of both sides."""
    total: Counter[str] = Counter()
    for (kind, _), count in errors.items():
        total[kind] += count
    return total
