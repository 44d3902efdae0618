"""Pairs that are chosen: all, or those with the same id."""

from dataclasses import replace

import pytest

from amr_metrics import Graph
from bamboo.errors import ConfigError, DataError
from bamboo.scoring.chunks import GraphSource, pair_at, pair_chunks
from bamboo.scoring.notation import Graphs


def write(path, *ids):
    blocks = [("" if id is None else f"# ::id {id}\n") + f"(c / {id or 'none'})\n" for id in ids]
    path.write_text("\n".join(blocks))
    return path


def both(folder, src, tgt):
    """Two files of graphs with these ids."""
    files = write(folder / "src.amr", *src), write(folder / "tgt.amr", *tgt)
    return tuple(GraphSource(file) for file in files)


@pytest.fixture
def sides(tmp_path):
    return both(tmp_path, "abc", "xy")


def paired_concepts(sides, every=False, ids="warn", size=4):
    """The concepts of all pairs."""
    concepts = []
    for chunk in pair_chunks(*sides, every, ids, size):
        assert chunk.first == len(concepts)
        assert len(chunk) <= size
        for k, pair in enumerate(chunk.pairs):
            assert pair is not None
            concepts.append(pair.src.concepts[0] + pair.tgt.concepts[0])
            assert concepts[-1] == f"{chunk.src_ids[k]}{chunk.tgt_ids[k]}"
    return concepts


@pytest.mark.parametrize("size", [1, 4, 100])
def test_every_graph_with_every_graph(sides, size):
    assert paired_concepts(sides, every=True, size=size) == ["ax", "ay", "bx", "by", "cx", "cy"]


def test_graphs_with_the_same_id(tmp_path):
    assert paired_concepts(both(tmp_path, "cab", "abc"), ids="match", size=2) == ["aa", "bb", "cc"]


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ("abcdef", "acdefghijk", r"1 of 6 ::ids of .*src.* is not in .*tgt.* \(b\); 5 of 10 ::ids"),
        ("a", "abcdef", r"5 of 6 ::ids of .*tgt.* are not in .*src.* \(b, c, d, \.\.\.\)\. Remove"),
        ("aba", "ab", r"src\.amr: 1 ::id occurs more than once \(a\)"),
        (["a", None], "ab", r"src\.amr: 1 of 2 graphs has no ::id \(graph 1\)"),
    ],
)
def test_ids_that_cannot_be_matched(tmp_path, left, right, message):
    with pytest.raises(DataError, match=message):
        paired_concepts(both(tmp_path, left, right), ids="match")


@pytest.mark.parametrize("size", [1, 2, 10])
@pytest.mark.parametrize("on_error", ["nan", "zero"])
def test_ids_of_one_side_alone(tmp_path, on_error, size):
    """A graph of tgt alone is a parse that could not be read; one of src alone is left out."""
    src, tgt = (
        GraphSource(write(tmp_path / name, *concepts), on_error=on_error)
        for name, concepts in (("src", "cxay"), ("tgt", "abcd"))
    )
    chunks = [*pair_chunks(src, tgt, ids="match", size=size)]
    pairs = [pair for chunk in chunks for pair in chunk.pairs]
    problems = {chunk.first + k: why for chunk in chunks for k, why in chunk.problems.items()}
    assert {k: str(why) for k, why in problems.items()} == {
        k: f"{src.name}: no graph has the ::id {concept}" for k, concept in ((1, "b"), (3, "d"))
    }
    expected = [("a", "a"), None, ("c", "c"), None]
    if on_error == "zero":
        expected = [("a", "a"), ("", "b"), ("c", "c"), ("", "d")]
    assert [
        pair and ("".join(pair.src.concepts), "".join(pair.tgt.concepts)) for pair in pairs
    ] == expected
    counted_as = "empty" if on_error == "zero" else "missing"
    assert {why.counted_as for why in problems.values()} == {counted_as}
    assert src.notes == [f"2 of 4 ::ids of {src.name} are not in {tgt.name} (x, y): left out"]


def test_a_graph_that_cannot_be_read_is_matched_by_its_id(tmp_path):
    src, tgt = tmp_path / "src", write(tmp_path / "tgt", "b", "a")
    src.write_text("# ::id a\n(a / b :ARG0 (c / d)\n\n# ::id b\n(b / b)\n")
    for on_error, missing in (("nan", True), ("zero", False)):
        sides = (
            GraphSource(src, on_error=on_error),
            GraphSource(tgt, on_error=on_error),
        )
        (chunk,) = pair_chunks(*sides, ids="match")
        assert (chunk.pairs[1] is None) == missing
        assert [*chunk.problems] == [1]
        pair = chunk.pairs[0]
        assert pair is not None
        assert pair.tgt.concepts == ("b",)


def test_a_problem_concerns_every_pair_of_its_graph(tmp_path):
    src, tgt = tmp_path / "src", write(tmp_path / "tgt", "x", "y")
    src.write_text("(a / b)\n\n(a / b :ARG0 (c / d)\n")
    sides = GraphSource(src, on_error="nan"), GraphSource(tgt, on_error="nan")
    (chunk,) = pair_chunks(*sides, every=True)
    assert [pair is None for pair in chunk.pairs] == [False, False, True, True]
    assert {k: why.graph for k, why in chunk.problems.items()} == {2: 1, 3: 1}


def test_parts_of_a_chunk_have_their_own_problems(tmp_path):
    src, tgt = tmp_path / "src", write(tmp_path / "tgt", *"abcd")
    src.write_text("(a\n\n(b\n\n(c / c)\n\n(d\n")
    (chunk,) = pair_chunks(GraphSource(src, on_error="nan"), GraphSource(tgt), size=4)
    chunk = replace(chunk, flags=({1: "x", 3: "y"}, {2: "z"}))
    parts = [(part.first, [*part.problems], part.flags) for part in chunk.divided(lambda: 2)]
    assert parts == [(0, [0, 1], ({1: "x"}, {})), (2, [1], ({1: "y"}, {0: "z"}))]


def test_parts_of_graphs_know_which_were_repaired():
    graphs = Graphs([Graph.empty()] * 3, {}, repaired=frozenset({0, 2}))
    assert [graphs.part(k, k + 2).repaired for k in (0, 1)] == [{0}, {1}]


def test_a_pair_is_one_of_those_of_both_sides(tmp_path):
    sides = both(tmp_path, "ab", "xy")
    assert pair_at(*sides, 1).tgt.concepts == ("y",)
    for position in (-1, 2):
        with pytest.raises(ConfigError, match=f"^pair={position}: .* has 0 to 1$"):
            pair_at(*sides, position)
