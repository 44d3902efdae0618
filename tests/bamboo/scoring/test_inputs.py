"""The files that one side consists of, and their graphs some at a time."""

import gzip
import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from harness import amr
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.errors import GraphError
from bamboo.benchmark.pair_tables import read_pairs
from bamboo.errors import ConfigError, DataError
from bamboo.scoring.chunks import GraphSource, pair_chunks
from bamboo.scoring.inputs import check_output, input_files

BROKEN = "(x / thing :ARG0 (y / thing)\n"


def write(folder, name, *sizes):
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("\n".join(map(amr, sizes)), "utf-8")
    return path


def sizes(side, size=2):
    return [[len(graph.variables) for graph in chunk.graphs] for chunk in side.chunks(size)]


class TestFiles:
    def test_a_folder_has_its_graph_files_in_order(self, tmp_path):
        for name in ("b.amr", "a.txt", "c.AMR", "d.amr.gz", ".hidden.amr", "notes.md", "e.csv"):
            write(tmp_path, name, 1)
        (tmp_path / "sub.amr").mkdir()
        files, notes = input_files(tmp_path, "penman")
        assert [path.name for path in files] == ["a.txt", "b.amr", "c.AMR", "d.amr.gz"]
        (text,) = notes
        assert text.startswith(f"{tmp_path}: 2 other files are not read, because their names do")
        assert text.endswith("e.csv, notes.md")

    def test_a_folder_without_graph_files(self, tmp_path):
        write(tmp_path, "a.md", 1)
        with pytest.raises(GraphError, match=r"contains no file whose name ends in \.umr"):
            input_files(tmp_path, "umr")

    def test_a_pattern(self, tmp_path):
        for name in ("p2.amr", "p10.amr", "q.amr", "deep/p3.amr"):
            write(tmp_path, name, 1)
        files, notes = input_files(tmp_path / "p*.amr", "penman")
        assert [path.name for path in files] == ["p2.amr", "p10.amr"]
        assert notes == [f"{tmp_path}/p*.amr: files are sorted by number, p2.amr before p10.amr"]
        files, _ = input_files(tmp_path / "**" / "p*.amr", "penman")
        assert [path.name for path in files] == ["p3.amr", "p2.amr", "p10.amr"]
        with pytest.raises(GraphError, match="no file matches this pattern"):
            input_files(tmp_path / "r*.amr", "penman")

    def test_numbers_in_names(self, tmp_path):
        for name in ("10.amr", "9.amr", "1.amr", "01.amr", "x-2-10.amr", "x-2-9.amr", "x-1.amr"):
            write(tmp_path, name, 1)
        files, notes = input_files(tmp_path, "penman")
        assert [path.stem for path in files] == [
            *("01", "1", "9", "10", "x-1", "x-2-9", "x-2-10"),
        ]
        assert notes == [f"{tmp_path}: files are sorted by number, 9.amr before 10.amr"]
        for name in ("10", "x-2-10"):
            (tmp_path / f"{name}.amr").unlink()
        assert input_files(tmp_path, "penman")[1] == []

    def test_rows_of_a_folder(self, tmp_path):
        for name in ("a.json", "b.csv", "c.tsv.gz"):
            write(tmp_path, name, 1)
        files, notes = input_files(tmp_path, "penman")
        assert ([path.name for path in files], notes) == (["a.json", "b.csv", "c.tsv.gz"], [])
        for name in ("a2.jsonl", "b.ndjson.gz"):  # a.json may be a file of results
            write(tmp_path, name, 1)
        files, notes = input_files(tmp_path, "penman")
        assert [path.name for path in files] == ["a2.jsonl", "b.ndjson.gz"]
        assert "3 other files are not read" in notes[0]
        write(tmp_path, "p.amr", 1)
        with pytest.raises(GraphError, match=r"rows \(a2\.jsonl\) and of graphs \(p\.amr\)"):
            input_files(tmp_path, "penman")
        with pytest.raises(GraphError, match=r"rows \(b\.csv\) and of graphs \(p\.amr\)"):
            input_files(tmp_path / "[bp].*", "penman")

    def test_tables_of_chinese_amr_have_no_rows(self, tmp_path):
        write(tmp_path, "a.tsv", 1)
        write(tmp_path, "b.camr", 1)
        assert len(input_files(tmp_path, "camr")[0]) == 2

    def test_a_file_with_the_name_of_a_pattern(self, tmp_path):
        path = write(tmp_path, "a[1].amr", 1)
        write(tmp_path, "a1.amr", 2)
        assert input_files(path, "penman") == ([path], [])


def test_an_output_is_no_input(tmp_path):
    path = write(tmp_path, "a.amr", 1)
    check_output("central", tmp_path / "b.amr", ["-", path, amr(1)], "penman")
    with pytest.raises(ConfigError, match=r"^central=.*a\.amr is also an input"):
        check_output("central", path.parent / "x" / ".." / "a.amr", [tmp_path], "penman")


class TestChunks:
    def test_chunks_reach_over_files(self, tmp_path):
        for k, of_file in enumerate([(1, 2, 3), (4,), (5, 6, 7, 8)]):
            write(tmp_path, f"{k}.amr", *of_file)
        for size in range(1, 10):
            chunks = sizes(GraphSource(tmp_path), size)
            assert [n for chunk in chunks for n in chunk] == list(range(1, 9))
            assert all(len(chunk) == size for chunk in chunks[:-1])

    def test_standard_input(self, tmp_path, monkeypatch):
        data = "\n".join(map(amr, (1, 2, 3))).encode()
        for content in (data, gzip.compress(data), b"\xef\xbb\xbf" + data):
            monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
            assert sizes(GraphSource(Path("-"))) == [[1, 2], [3]]
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data + b"(a / b")))
        with pytest.raises(GraphError, match="standard input, graph 3, line 6: unbalanced"):
            sizes(GraphSource(Path("-")))

    def test_a_pipe_is_read_once(self, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        data = f"{amr(1)}\n{BROKEN}\n{amr(3)}"
        thread = threading.Thread(target=pipe.write_text, args=(data,))
        thread.start()
        assert sizes(GraphSource(pipe, on_error="nan")) == [[1, 0], [3]]
        thread.join()

    def test_an_incomplete_gzip_file(self, tmp_path):
        path = tmp_path / "a.amr.gz"
        path.write_bytes(gzip.compress("\n".join(map(amr, range(1, 300))).encode())[:-100])
        with pytest.raises(GraphError, match=r"a\.amr\.gz: ends in the middle of its compressed"):
            sizes(GraphSource(path))

    def test_graphs_are_counted_within_their_file(self, tmp_path):
        write(tmp_path, "1.amr", 1, 2)
        (tmp_path / "2.amr").write_text(f"{amr(1)}\n{BROKEN}")
        with pytest.raises(GraphError, match=r"2\.amr, graph 1, line 3"):
            sizes(GraphSource(tmp_path))
        (_, second) = GraphSource(tmp_path, on_error="nan").chunks(2)
        assert [(k, why.file, why.graph) for k, why in second.problems.items()] == [
            (1, str(tmp_path / "2.amr"), 1)
        ]


# Without ids: if they stand at other positions, a data set stops where chunks may not.
TEXTS = [amr(1), amr(2), f"# ::zone x\n{amr(3)}", BROKEN, "(a / b\n\n:ARG0 (c / d))\n", "(a)\n"]


@given(
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6),
    st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6),
    st.sampled_from(["stop", "nan", "zero"]),
    st.integers(1, 4),
)
def test_chunks_are_the_pairs_of_both_files(tmp_path_factory, left, right, on_error, size):
    folder = tmp_path_factory.mktemp("files")
    src, tgt = folder / "src", folder / "tgt"
    for path, parts in ((src, left), (tgt, right)):
        path.write_text("\n".join(parts))
    pairs, problems, error = [], {}, ""
    try:
        for chunk in pair_chunks(
            GraphSource(src, on_error=on_error),
            GraphSource(tgt, on_error=on_error),
            size=size,
        ):
            assert len(chunk.pairs) <= size
            pairs += [*chunk.pairs]
            problems |= {chunk.first + k: why for k, why in chunk.problems.items()}
    except (GraphError, DataError) as caught:
        error = str(caught)
    try:
        expected, expected_problems = read_pairs(src, tgt, on_error=on_error)
    except (GraphError, DataError):
        assert error
    else:
        assert (pairs, problems, error) == ([*expected], expected_problems, "")


def test_sides_of_different_lengths(tmp_path):
    src, tgt = write(tmp_path, "src.amr", *range(1, 8)), write(tmp_path, "tgt.amr", 1, 2, 3)
    for size in (1, 2, 3, 4, 10):
        with pytest.raises(DataError, match=r"src\.amr has 7 graphs but .*tgt\.amr has 3: pair 3"):
            list(pair_chunks(GraphSource(src), GraphSource(tgt), size=size))


def test_a_folder_of_many_files(tmp_path, monkeypatch):
    """With the square of their number, this would take long."""
    names = (tmp_path / f"{k}.amr" for k in range(4_000))
    monkeypatch.setattr(Path, "iterdir", lambda folder: names)
    files, notes = input_files(tmp_path, "penman")
    assert (len(files), files[-1].name, len(notes)) == (4_000, "3999.amr", 1)
