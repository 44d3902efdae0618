"""Files of two folders, paired by name."""

import gzip

import pytest
from harness import amr

from amr_metrics.errors import GraphError
from bamboo.errors import BambooWarning, DataError
from bamboo.scoring.chunks import GraphSource, pair_chunks
from bamboo.scoring.notation import Notation
from tests.metrics.documents.builders import umr


def folder(path, files):
    """A folder with AMR files: of each name, the sizes of its graphs."""
    path.mkdir()
    for name, sizes in files.items():
        data = "\n".join(map(amr, sizes)).encode()
        (path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def sources(tmp_path, src, tgt, **options):
    return [
        GraphSource(folder(tmp_path / name, files), **options)
        for name, files in (("sys", src), ("gold", tgt))
    ]


def sizes(src, tgt, size=10):
    """The sizes of the graphs of each pair."""
    chunks = [*pair_chunks(src, tgt, size=size)]
    pairs = [pair for chunk in chunks for pair in chunk.pairs]
    assert [chunk.first for chunk in chunks] == [
        sum(len(chunk) for chunk in chunks[:k]) for k in range(len(chunks))
    ]
    return [tuple(len(graph.variables) for graph in pair) for pair in pairs]


@pytest.mark.parametrize("size", [1, 2, 10])
def test_files_with_the_same_name_are_paired(tmp_path, size):
    src = {"b.amr": [4, 5, 6], "a.amr.gz": [1], "c.amr": [7]}
    tgt = {"a.amr": [11], "b.amr": [14, 15, 16], "c.amr.gz": [17]}
    expected = [(1, 11), (4, 14), (5, 15), (6, 16), (7, 17)]
    both = sources(tmp_path, src, tgt)
    assert sizes(*both, size) == expected
    assert both[0].notes == []


def test_a_missing_file_counts_as_empty(tmp_path):
    src, tgt = sources(
        tmp_path, {"a.amr": [1], "c.amr": [3]}, {"a.amr": [1], "b.amr": [2, 5], "c.amr": [3]}
    )
    chunks = [*pair_chunks(src, tgt)]
    assert sizes(src, tgt) == [(1, 1), (0, 2), (0, 5), (3, 3)]
    assert [chunk.file.name for chunk in chunks] == ["a.amr", "b.amr", "c.amr"]
    assert [why.counted_as for why in chunks[1].problems.values()] == ["empty", "empty"]
    assert str(chunks[1].problems[0]) == f"{tmp_path}/sys/b.amr: there is no such file"
    assert src.notes[0] == (
        f"{tmp_path}/sys: 1 file of {tmp_path}/gold is missing and counts as empty: b.amr"
    )


def test_a_surplus_file_is_named(tmp_path):
    src, tgt = sources(tmp_path, {"a.amr": [1], "b.amr": [2]}, {"b.amr": [3]})
    assert sizes(src, tgt) == [(2, 3)]
    assert src.notes == [
        f"{tmp_path}/sys: 1 file is not scored, because {tmp_path}/gold has none of this name: "
        "a.amr"
    ]


def test_files_that_are_missing_on_both_sides(tmp_path):
    src, tgt = sources(tmp_path, {"a.amr": [1], "b.amr": [2]}, {"b.amr": [3], "c.amr": [4]})
    with pytest.raises(DataError, match=r"gold has no a\.amr, and .*sys no c\.amr"):
        sizes(src, tgt)


def test_files_of_documents_may_be_missing_on_both_sides(tmp_path):
    for side, names in (("sys", "ab"), ("gold", "bc")):
        (tmp_path / side).mkdir()
        for name in names:
            (tmp_path / side / f"{name}.umr").write_text(umr((f"(s1{name} / {name})",)))
    notation = Notation(format="umr", documents=True)
    src, tgt = (GraphSource(tmp_path / side, notation) for side in ("sys", "gold"))
    assert sizes(src, tgt) == [(2, 2), (0, 2)]
    assert [note.rpartition(": ")[2] for note in src.notes[:2]] == ["c.umr", "a.umr"]


def test_numbers_of_graphs_differ_in_a_file(tmp_path):
    src, tgt = sources(tmp_path, {"a.amr": [1, 2], "b.amr": [3]}, {"a.amr": [1], "b.amr": [2, 3]})
    with pytest.raises(DataError, match=r"sys/a\.amr has 2 graphs but .*gold/a\.amr has 1"):
        sizes(src, tgt)


def test_names_that_differ_in_case_or_ending(tmp_path):
    src, tgt = sources(tmp_path, {"A.amr": [1], "b.txt": [2]}, {"b.amr": [12], "a.amr": [11]})
    assert sizes(src, tgt) == [(1, 11), (2, 12)]


@pytest.mark.parametrize("name", ["B.amr", "b.txt", "B.penman.gz"])
def test_some_names_differ_in_case_or_ending(tmp_path, name):
    src, tgt = sources(tmp_path, {"a.amr": [1], name: [2]}, {"a.amr": [1], "b.amr": [2]})
    with pytest.raises(DataError, match="differ only in case or ending: give both files the same"):
        sizes(src, tgt)


def test_no_common_name(tmp_path):
    src, tgt = sources(tmp_path, {"x.amr": [1], "y.amr": [2]}, {"b.amr": [11, 12]})
    with pytest.warns(BambooWarning, match=r"no file of the same name, such as x\.amr and b\.amr"):
        assert sizes(src, tgt) == [(1, 11), (2, 12)]


def test_one_file_in_each_folder(tmp_path, recwarn):
    src, tgt = sources(tmp_path, {"x.amr": [1]}, {"b.amr": [11]})
    assert sizes(src, tgt) == [(1, 11)]
    assert not recwarn


def test_a_file_twice(tmp_path):
    src, tgt = sources(tmp_path, {"a.amr": [1], "a.amr.gz": [1]}, {"a.amr": [1]})
    with pytest.raises(DataError, match=r"sys: contains both a\.amr and a\.amr\.gz: remove one"):
        sizes(src, tgt)


def test_an_empty_folder(tmp_path):
    src, tgt = sources(tmp_path, {}, {"a.amr": [1]})
    with pytest.raises(GraphError, match=r"sys: contains no file whose name ends in \.amr"):
        sizes(src, tgt)


def test_a_folder_against_a_file(tmp_path):
    src, tgt = sources(tmp_path, {"a.amr": [1], "b.amr": [2]}, {"all.amr": [11, 12]})
    file = GraphSource(tgt.name / "all.amr")
    assert sizes(src, file) == [(1, 11), (2, 12)]


def test_ids_pair_graphs_whatever_their_files(tmp_path):
    for side, name in (("sys", "x.amr"), ("gold", "y.amr")):
        (tmp_path / side).mkdir()
        (tmp_path / side / name).write_text(f"# ::id 1\n{amr(1)}\n", "utf-8")
    src, tgt = (GraphSource(tmp_path / side) for side in ("sys", "gold"))
    (chunk,) = pair_chunks(src, tgt, ids="match")
    assert len(chunk) == 1
