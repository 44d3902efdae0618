"""The edges of two graphs in one list, by hand."""

from amr_metrics import Corpus, parse_amr
from amr_metrics.graphs.triples import Triples


def test_edges_and_their_ends():
    triples = Triples(
        Corpus.of(parse_amr("(s / see-01 :ARG0 (c / cat :mod s) :mode x) (d / dog :op 1)"))
    )
    texts = triples.corpus.symbols.texts
    # Attributes come first: of s, of d; then s to c, and c to s. Nodes are s, c, d.
    assert triples.graphs.tolist() == [0, 1, 0, 0]
    assert [texts[role] for role in triples.roles] == [":mode", ":op", ":ARG0", ":mod"]
    assert triples.sources.tolist() == [0, 2, 0, 1]
    assert triples.targets.tolist() == [-1, -1, 1, 0]
    assert [texts[value] for value in triples.values] == ["x", "1", "cat", "see-01"]
    assert triples.entering.tolist() == [1, 1, 0]
    assert triples.leaving.tolist() == [2, 1, 1]
