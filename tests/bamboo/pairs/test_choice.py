"""Pairs that are chosen: all, those in a file, those with the same id."""

from pathlib import Path

import pytest

from bamboo.errors import DataError
from bamboo.pairs.chunks import GraphSource, pair_chunks
from metrics.errors import GraphError


def write(path, *ids):
    blocks = [
        ("" if own is None else f"# ::id {own}\n") + f"(c / {own or 'none'})\n" for own in ids
    ]
    path.write_text("\n".join(blocks))
    return path


def both(folder, src, tgt):
    """Two files of graphs with these ids."""
    files = write(folder / "src.amr", *src), write(folder / "tgt.amr", *tgt)
    return tuple(GraphSource(file) for file in files)


@pytest.fixture
def sides(tmp_path):
    return both(tmp_path, "abc", "xy")


def chosen(sides, choice=None, match=False, size=4):
    """The concepts of all pairs."""
    found = []
    for chunk in pair_chunks(*sides, choice, match, size):
        assert chunk.first == len(found)
        assert len(chunk) <= size
        for k, pair in enumerate(chunk.pairs):
            assert pair is not None
            found.append(pair.src.concepts[0] + pair.tgt.concepts[0])
            assert found[-1] == f"{chunk.src_ids[k]}{chunk.tgt_ids[k]}"
    return found


@pytest.mark.parametrize("size", [1, 4, 100])
def test_every_graph_with_every_graph(sides, size):
    assert chosen(sides, Path("all"), size=size) == ["ax", "ay", "bx", "by", "cx", "cy"]


def test_a_list_of_positions_or_ids(sides, tmp_path):
    path = tmp_path / "pairs.tsv"
    for text in (
        "3\t1\n1\t2\n3\t1\n",
        "src\ttgt\r\n3\t1\r\n\r\n1\t2\r\n3\t1",
        "c\tx\na\ty\nc\tx\n",
        "src_id\ttgt_id\nc\tx\na\ty\nc\tx\n",
    ):
        path.write_bytes(text.encode())
        for size in (1, 2, 5):
            assert chosen(sides, path, size=size) == ["cx", "ay", "cx"]
    (chunk,) = pair_chunks(*sides, path)
    assert chunk.index is not None
    assert [index.tolist() for index in chunk.index] == [[2, 0, 2], [0, 1, 0]]


def test_ids_that_are_numbers_need_headings(tmp_path):
    sides = both(tmp_path, "21", "12")
    path = tmp_path / "pairs.tsv"
    path.write_text("1\t1\n")
    assert chosen(sides, path) == ["21"]
    path.write_text("src_id\ttgt_id\n1\t1\n")
    assert chosen(sides, path) == ["11"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\t1\n4\t1\n", r"pairs\.tsv, line 2: .*src\.amr has no graph 4: it has 3 graphs"),
        ("1\t3\n", r"pairs\.tsv, line 1: .*tgt\.amr has no graph 3: it has 2 graphs"),
        ("1\t0\n", r"no graph 0: it has 2 graphs, and pairs=FILE counts from 1"),
        (f"{'9' * 5000}\t1\n", r"no graph 9{20}: "),
        ("src\ttgt\n1\t-1\n", r"no graph -1"),
        ("1\t²\nb\tx\n", r"line 1: .*src\.amr has no graph with ::id 1"),
        ("a\tx\nb\tz\n", r"pairs\.tsv, line 2: .*tgt\.amr has no graph with ::id z"),
        ("1 1\n", r"pairs\.tsv, line 1: expected two columns separated by a tab"),
        ("1\t2\t3\n", r"line 1: expected two columns"),
        ("1\t\n", r"line 1: expected two columns"),
        ("\n", r"pairs\.tsv: lists no pair"),
        ("src\ttgt\n", r"pairs\.tsv: lists no pair"),
    ],
)
def test_bad_lists(sides, tmp_path, text, message):
    path = tmp_path / "pairs.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        chosen(sides, path)


def test_a_list_that_is_missing(sides, tmp_path):
    with pytest.raises(GraphError, match="cannot be read: No such file"):
        chosen(sides, tmp_path / "none.tsv")


def test_an_id_of_several_graphs_cannot_be_listed(tmp_path):
    sides = both(tmp_path, "aab", "x")
    path = tmp_path / "pairs.tsv"
    path.write_text("b\tx\n")
    assert chosen(sides, path) == ["bx"]
    path.write_text("a\tx\n")
    with pytest.raises(DataError, match="has several graphs with ::id a"):
        chosen(sides, path)


def test_graphs_with_the_same_id(tmp_path):
    assert chosen(both(tmp_path, "cab", "abc"), match=True, size=2) == ["aa", "bb", "cc"]


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
        chosen(both(tmp_path, left, right), match=True)


@pytest.mark.parametrize("size", [1, 2, 10])
@pytest.mark.parametrize("on_error", ["nan", "zero"])
def test_ids_of_one_side_alone(tmp_path, on_error, size):
    """A graph of tgt alone is a parse that could not be read; one of src alone is left out."""
    src, tgt = (
        GraphSource(write(tmp_path / name, *concepts), on_error=on_error)
        for name, concepts in (("src", "cxay"), ("tgt", "abcd"))
    )
    chunks = [*pair_chunks(src, tgt, match=True, size=size)]
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
        (chunk,) = pair_chunks(*sides, match=True)
        assert (chunk.pairs[1] is None) == missing
        assert [*chunk.problems] == [1]
        pair = chunk.pairs[0]
        assert pair is not None
        assert pair.tgt.concepts == ("b",)


def test_a_problem_concerns_every_pair_of_its_graph(tmp_path):
    src, tgt = tmp_path / "src", write(tmp_path / "tgt", "x", "y")
    src.write_text("(a / b)\n\n(a / b :ARG0 (c / d)\n")
    sides = GraphSource(src, on_error="nan"), GraphSource(tgt, on_error="nan")
    (chunk,) = pair_chunks(*sides, Path("all"))
    assert [pair is None for pair in chunk.pairs] == [False, False, True, True]
    assert {k: why.graph for k, why in chunk.problems.items()} == {2: 1, 3: 1}
