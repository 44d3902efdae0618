"""The explanation of a pair's score with the pair itself: tables, JSON and a drawing.

A metric that aligns nodes explains a score by its alignment (`ExplainedPair`), another one by the
features that it compares (`ExplainedFeatures`).
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from amr_metrics.base import Metric, Pair
from amr_metrics.errors import NoAlignmentError
from amr_metrics.explanation import Explanation, Feature, FeatureExplanation
from amr_metrics.graphs.graph import Graph
from bamboo.display.table import Display, Table, to_html
from bamboo.explanation.chains import chain_rows
from bamboo.explanation.drawing import draw
from bamboo.explanation.flags import PairFlags
from bamboo.explanation.matches import KindMatches, matches_by_kind
from bamboo.explanation.mistakes import describe_mistakes
from bamboo.files import plain

SCHEMA = 1  # of the JSON of explanations
LISTED = 15  # features in the table of contributions
COLUMNS = ("src", "tgt", "matched", "effect")  # of features


@dataclass(frozen=True, repr=False)
class ExplainedPair(Display):
    """The alignment and the matches behind the score of a pair.

    Attributes:
        title: names the metric and the pair.
        signature: what the score depends on.
        pair: the pair, in the form that the metric compares.
        explanation: the score, the links and the matches.
        flags: of both graphs as they were read; None if they were not looked for.
    """

    title: str
    signature: str
    pair: Pair
    explanation: Explanation
    flags: PairFlags | None = None

    @classmethod
    def of(
        cls, title: str, metric: Metric, pair: Pair, flags: PairFlags | None = None
    ) -> ExplainedPair:
        """Explain a pair.

        Raises:
            NoAlignmentError: if the metric computes no alignment.
            PairError: a pair that the metric cannot score.
        """
        (explanation,) = metric.explanations([pair])
        return cls(title, metric.signature, explanation.pair or pair, explanation, flags)

    @property
    def score(self) -> float:
        """The score of the pair."""
        return self.explanation.score

    def tables(self) -> list[Table]:
        """Return the sentences and the score, what differs, and how the score came about."""
        highest = self.explanation.upper_bound
        bound = "" if highest is None else f" (no alignment scores above {highest:.4f})"
        tables = [_make_heading(self, f"{self.score:.4f}{bound}")]
        if different := describe_mistakes(self.explanation, self.pair):
            rows = tuple((text.src, text.tgt) for text in different)
            tables.append(Table("Differences", ("src", "tgt"), rows))
        if self.flags is not None:
            tables.append(self.flags.to_table())
        tables.append(self._alignment())
        if chains := chain_rows(self.pair, self.explanation.links):
            columns = ("src chain", "mentions", "tgt chain", "mentions ")
            tables.append(Table("Chains", columns, tuple(chains)))
        if self.explanation.contributions:
            tables.append(_tabulate_contributions(self.explanation))
        matched = self.explanation.matched
        only_src, only_tgt = self.explanation.unmatched_src, self.explanation.unmatched_tgt
        triples = [
            *[(str(a), str(b), float(weight)) for a, b, weight in matched],
            *[(str(a), None, 0.0) for a in only_src],
            *[(None, str(b), 0.0) for b in only_tgt],
        ]
        if triples:
            rules = (len(matched), len(matched) + len(only_src))
            table = Table("Triples", ("src", "tgt", "match"), tuple(triples), 4, rules=rules)
            if self.flags is not None and self.flags.flags:
                marks = [self.flags.describe(a, b) for a, b, _ in matched]
                marks += [self.flags.describe(a, None) for a in only_src]
                marks += [self.flags.describe(None, b) for b in only_tgt]
                table = table.with_column(3, "flag", marks)
            tables.append(table)
            tables.append(_tabulate_matches(self.explanation))
        return tables

    def _alignment(self) -> Table:
        src, tgt = self.pair
        links = self.explanation.links
        rows: list[tuple[Any, ...]] = [
            (a, _find_concept(src, a), b, _find_concept(tgt, b), float(weight), float(cost))
            for a, b, weight, cost in links
        ]
        columns: tuple[str, ...] = ("src", "concept", "tgt", "concept ", "weight", "cost")
        notes = [
            "weight: how much of the node of src is aligned with the node of tgt; cost: the "
            "distance between the two"
        ]
        ends = [[link.src for link in links], [link.tgt for link in links]]
        is_one_to_one = all(len({*nodes}) == len(nodes) for nodes in ends)
        if is_one_to_one and not any(link.cost for link in links):
            rows, columns, notes = [row[:4] for row in rows], columns[:4], []
        return Table("Alignment", columns, tuple(rows), 4, tuple(notes))

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        explanation = self.explanation
        values = {name: value for name, value in asdict(explanation).items() if name != "weights"}
        return {
            **_list_facts(self),
            **plain(values),
            "matched": [[str(a), str(b), float(weight)] for a, b, weight in explanation.matched],
            "unmatched_src": [str(triple) for triple in explanation.unmatched_src],
            "unmatched_tgt": [str(triple) for triple in explanation.unmatched_tgt],
            "links": [plain(link._asdict()) for link in explanation.links],
            "matches": [row._asdict() for row in matches_by_kind(explanation)],
            "contributions": [plain(c._asdict()) for c in explanation.contributions],
            **({} if self.flags is None else {"validity": self.flags.to_json()}),
        }

    def to_svg(self) -> str:
        """Return a drawing of both graphs and their alignment, as SVG."""
        return draw(self.pair, self.explanation, self.title)

    def _repr_html_(self) -> str:
        """Return the drawing and the tables in a notebook."""
        # As an image, so that its style sheet does not apply to other drawings in the notebook.
        svg = b64encode(self.to_svg().encode()).decode()
        image = f'<img alt="alignment" src="data:image/svg+xml;base64,{svg}">'
        return "\n".join([image, *map(to_html, self.tables())])


@dataclass(frozen=True, repr=False)
class ExplainedFeatures(Display):
    """The features behind the score of a pair, and what each adds to it.

    Attributes:
        title: names the metric and the pair.
        signature: what the score depends on.
        explanation: the score and the features.
        flags: of both graphs as they were read; None if they were not looked for.
    """

    title: str
    signature: str
    explanation: FeatureExplanation
    flags: PairFlags | None = None

    @classmethod
    def of(
        cls, title: str, metric: Metric, pair: Pair, flags: PairFlags | None = None
    ) -> ExplainedFeatures:
        """Explain a pair.

        Raises:
            NoFeaturesError: if the metric does not list features.
            PairError: a pair that the metric cannot score.
        """
        return cls(title, metric.signature, metric.explain_features(pair), flags)

    @property
    def pair(self) -> Pair:
        """The pair, in the form that the metric compares."""
        return self.explanation.pair

    @property
    def score(self) -> float:
        """The score of the pair."""
        return self.explanation.score

    def tables(self) -> list[Table]:
        """Return the sentences and the score, the features, and their sums by kind."""
        rows: list[Feature] = []
        sums: list[tuple[Any, ...]] = []
        rules = []
        for kind, features in self.explanation.by_kind().items():
            rules.append(len(rows))
            rows += features
            sums.append((kind, *_sum_columns(features)))
        sums.append(("all", *_sum_columns(rows)))
        return [
            _make_heading(self, f"{self.score:.4f}"),
            *([] if self.flags is None else [self.flags.to_table()]),
            Table("Features", ("kind", "feature", *COLUMNS), tuple(rows), 4, rules=tuple(rules)),
            Table(
                "Sums",
                ("kind", *COLUMNS),
                tuple(sums),
                4,
                self.explanation.formula,
                rules=(len(sums) - 1,),
            ),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        return {
            **_list_facts(self),
            "score": self.score,
            "features": [feature._asdict() for feature in self.explanation.features],
            "formula": [*self.explanation.formula],
            **({} if self.flags is None else {"validity": self.flags.to_json()}),
        }

    def to_svg(self) -> str:
        """Raise an error: without an alignment there is nothing to draw.

        Raises:
            NoAlignmentError: always.
        """
        raise NoAlignmentError(
            f"{self.title}: the metric aligns no nodes, so that there is no alignment to draw: use "
            "report=json, or a metric that computes an alignment, such as smatch or wwlk"
        )


def _make_heading(explained: ExplainedPair | ExplainedFeatures, score: str) -> Table:
    """Return the sentences of a pair, with a line about its score below them."""
    sides = zip(("src", "tgt"), explained.pair, strict=True)
    rows = tuple((name, graph.sentence or "(no sentence)") for name, graph in sides)
    return Table(explained.title, ("", "sentence"), rows, notes=(f"score: {score}",))


def _list_facts(explained: ExplainedPair | ExplainedFeatures) -> dict[str, Any]:
    """Return what the JSON of every explanation begins with."""
    src, tgt = (graph.sentence for graph in explained.pair)
    return {"schema": SCHEMA, "signature": explained.signature, "src": src, "tgt": tgt}


def _tabulate_matches(explanation: Explanation) -> Table:
    """Count matches by kind of triple; add precision, recall and F1 if they follow from counts."""
    counted = matches_by_kind(explanation)
    matched, weight = sum(row.matched for row in counted), sum(row.weight for row in counted)
    src, tgt = sum(row.src for row in counted), sum(row.tgt for row in counted)
    rows = [*counted, KindMatches("all", matched, weight, src, tgt)]
    columns: tuple[str, ...] = ("triples", "matched", "src", "tgt")
    cells: list[tuple[Any, ...]] = [(row.kind, row.matched, row.src, row.tgt) for row in rows]
    if any(row.matched != row.weight for row in counted):
        columns = (*columns, "weight of matches")
        cells = [(*line, row.weight) for line, row in zip(cells, rows, strict=True)]
    notes = ["The metric weights triples, so that the counts alone do not give the score."]
    if src + tgt and math.isclose(2 * weight / (src + tgt), explanation.score, abs_tol=1e-9):
        shares = [("precision", src), ("recall", tgt)]
        notes = [
            f"{name}: {weight:g} / {whole} = {weight / whole:.4f}"
            for name, whole in shares
            if whole
        ]
        notes.append(f"F1: 2 * {weight:g} / ({src} + {tgt}) = {explanation.score:.4f}")
    return Table("Matches", columns, tuple(cells), 4, tuple(notes), rules=(len(counted),))


def _tabulate_contributions(explanation: Explanation) -> Table:
    """List the features with the largest effects, and the sum of the others."""
    others = explanation.contributions[LISTED:]
    rows = [(c.feature, c.value, c.effect) for c in explanation.contributions[:LISTED]]
    total = sum(c.effect for c in explanation.contributions)
    notes = [f"1 {'+' if total >= 0 else '-'} {abs(total):.4f} = {1 + total:.4f}"]
    if abs(1 + total - explanation.score) > 5e-5:
        notes[0] += f", limited to {explanation.score:.4f}"
    if others:
        notes.append(
            f"{len(others)} further features: {sum(c.effect for c in others):+.4f}; report=json "
            "lists them all"
        )
    return Table(
        "Contributions to the score",
        ("feature", "difference", "effect"),
        tuple(rows),
        4,
        (f"score: {notes[0]}.", *(f"{note}." for note in notes[1:])),
    )


def _find_concept(graph: Graph, node: str) -> str:
    """Return a node's concept; a constant stands for itself."""
    return graph.concept(node) if node in graph.positions else node


def _sum_columns(features: Sequence[Feature]) -> tuple[int, int, int, float]:
    return (
        sum(feature.src for feature in features),
        sum(feature.tgt for feature in features),
        sum(feature.matched for feature in features),
        math.fsum(feature.effect for feature in features),
    )
