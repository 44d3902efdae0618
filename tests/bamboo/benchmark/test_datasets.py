"""Data set x partition x split."""

import re

import numpy as np
import pytest
from harness import amr

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import PARTITIONS
from bamboo.benchmark.datasets import Dataset, fetch
from bamboo.errors import ConfigError, DataError
from tests.configured import configured

BENCHMARK = ("sts", "sick", "para")
TEST_PAIRS = {"sts": 1379, "sick": 4927, "para": 1725}
ARG_PAIRS = {"sts": 158, "sick": 238, "para": 2242}


def dataset(folder, **options):
    """A data set of the user's in a folder; three test pairs unless told otherwise."""
    partitions = {
        "main": {"folder": "main", "ratings": "files", "pairs": {"test": 3}},
        "arg": {"folder": "arg", "ratings": "alternating", "pairs": {"test": None}},
    }
    config = {"name": "own", "title": "Own", "root": str(folder), "scale": [0, 5]}
    return Dataset.from_config(config | {"partitions": partitions} | options)


def write(root, *sentences, ratings="", partition="main"):
    """Both sides of a partition, a graph a sentence, and the ratings."""
    (root / partition).mkdir(parents=True, exist_ok=True)
    for side in ("src", "tgt"):
        graphs = "\n".join(amr(1, f"{sentence} {side}") for sentence in sentences)
        (root / partition / f"{side}.test.amr").write_text(graphs, "utf-8")
    (root / "test.y").write_text(ratings, "utf-8")


def test_ratings_are_rescaled_to_0_and_1(tmp_path):
    write(tmp_path, "a", "b", "c", ratings="0\n5.0\n1e0\n")
    pair_set = Cell(dataset(tmp_path), "main", "test").load()
    assert pair_set.ratings.tolist() == [0 / 5, 5 / 5, 1 / 5]
    assert pair_set.numbers.tolist() == [0, 1, 2]
    assert pair_set.ratings.dtype == np.float64
    shifted = Cell(dataset(tmp_path, scale=[-5, 5]), "main", "test").load()
    assert shifted.ratings.tolist() == [(0 + 5) / 10, (5 + 5) / 10, (1 + 5) / 10]


def test_header_and_trailer_graphs_are_dropped_and_numbers_stay(tmp_path):
    write(tmp_path, "head", "a", "b", "c", "end", ratings="score\n1\n2\n3\nnone\n")
    pair_set = Cell(dataset(tmp_path, header=True, trailer=True), "main", "test").load()
    assert pair_set.numbers.tolist() == [1, 2, 3]
    assert [p.src.sentence for p in pair_set.pairs if p is not None] == ["a src", "b src", "c src"]
    assert pair_set.ratings.tolist() == [1 / 5, 2 / 5, 3 / 5]


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_an_unreadable_first_graph_is_empty_and_an_unreadable_second_one_is_missing(tmp_path, side):
    write(tmp_path, "head", "a", "b", "c", ratings="0\n" * 4)
    path = tmp_path / f"main/{side}.test.amr"
    path.write_text(path.read_text().replace(f"# ::snt b {side}\n(v0 / thing)", "(v0 / thing"))
    with_header = dataset(tmp_path, header=True)
    pair_set = Cell(with_header, "main", "test").load("zero")
    pair = pair_set.pairs[1]
    assert list(pair_set.problems) == [1]
    if side == "src":
        assert pair is not None
        assert not pair.src.variables
        assert pair_set.problems[1].counted_as == "empty"
    else:
        assert pair is None
        assert pair_set.problems[1].counted_as == "missing"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": [5, 0]}, r"scale \[5, 0\]: the second number"),
        ({"scale": ["a", "b"]}, r'data\.scale\[0\]="a": expected a number'),
        ({"partitions": {"main": {}}}, "data own: partition main: folder is required"),
        ({"scales": [0, 1]}, "unknown option of data 'scales': did you mean 'scale'"),
    ],
)
def test_a_data_sets_yaml_is_checked(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        dataset(tmp_path, **options)


@pytest.mark.parametrize(
    ("name", "split", "limit", "expected"),
    [
        ("sts", "test", None, True),
        ("own", "test", None, False),
        ("sts", "dev", None, False),
        ("sts", "test", 2, False),
    ],
)
def test_cells_of_the_benchmark(tmp_path, name, split, limit, expected):
    assert Cell(dataset(tmp_path, name=name), "main", split, limit).in_benchmark == expected


def test_built_partitions_take_the_place_of_those_of_the_data_set(tmp_path):
    partitions = {
        name: {"folder": name, "ratings": ratings, "pairs": {"test": 3, "dev": 2}}
        for name, ratings in (("main", "files"), ("syno", "files"), ("arg", "alternating"))
    }
    own = dataset(tmp_path, partitions=partitions)
    for name in ("main", "syno", "arg"):
        write(tmp_path / "built/own", "a", partition=name)
    built = own.with_built(tmp_path / "built", partitions, "test").partitions
    # Main is never built. The number of altered graphs is random.
    expected = {"main": {"test": 3, "dev": 2}, "syno": {"test": 3}, "arg": {"test": None}}
    assert {name: part.pairs for name, part in built.items()} == expected
    assert {name: part.root for name, part in built.items()} == {
        "main": None, "syno": tmp_path / "built/own", "arg": tmp_path / "built/own"
    }  # fmt: skip
    command = "data=own partition=syno,arg"
    with pytest.raises(
        DataError, match=f": own syno dev, own arg dev. .* {command} overwrite=true$"
    ):
        own.with_built(tmp_path / "built", partitions, "dev")
    with pytest.raises(DataError, match=f"nowhere: own syno, own arg. .* {command}$"):
        own.with_built(tmp_path / "nowhere", partitions)


def test_the_digest_depends_on_content_not_location(tmp_path):
    for name in ("one", "two"):
        write(tmp_path / name, "a", "b", "c", ratings="0\n1\n2\n")
    first, second = (dataset(tmp_path / name) for name in ("one", "two"))
    assert Cell(first, "main", "test").digest() == Cell(second, "main", "test").digest()
    rescaled = dataset(tmp_path / "one", scale=[0, 4])
    assert Cell(first, "main", "test").digest() != Cell(rescaled, "main", "test").digest()
    (tmp_path / "two/test.y").write_text("0\n1\n3\n")
    assert Cell(first, "main", "test").digest() != Cell(second, "main", "test").digest()
    (tmp_path / "two/test.y").unlink()
    with pytest.raises(DataError, match=r"test\.y: No such file"):
        Cell(second, "main", "test").digest()


def benchmark(name):
    return configured("fetch", [f"data={name}"]).data[0]


def test_a_released_data_set_cannot_be_in_a_folder_of_another_name(tmp_path):
    config = configured("run", ["data=sts", f"data.sts.root={tmp_path}/copy"]).data[0]
    with pytest.raises(DataError, match=r"copy/main/src\.test\.amr is not a file of"):
        fetch(config, [tmp_path / "copy/main/src.test.amr"])


@pytest.mark.parametrize("name", BENCHMARK)
def test_all_files_have_as_many_graphs_as_declared(mirror, name):
    released = benchmark(name)
    assert set(released.partitions) == set(PARTITIONS)
    for partition, part in released.partitions.items():
        assert "test" in part.pairs
        for split, pairs in part.pairs.items():
            dropped = 0
            if part.ratings == "files":
                dropped = released.header + released.trailer
            for file in Cell(released, partition, split).files[:2]:
                text = (mirror / name / file.relative_to(released.root)).read_text("utf-8")
                assert pairs is not None
                assert len(re.findall(r"^\(", text, re.MULTILINE)) == pairs + dropped, file
                assert text.count("# ::id ") == pairs + dropped, file


@pytest.mark.parametrize("name", BENCHMARK)
@pytest.mark.parametrize("partition", ["main", "arg"])
def test_pair_numbers_are_the_ids_of_the_files(mirror, name, partition):
    pair_set = Cell(benchmark(name), partition, "test").load()
    sizes = ARG_PAIRS if partition == "arg" else TEST_PAIRS
    assert len(pair_set.pairs) == len(pair_set.ratings) == len(pair_set.numbers) == sizes[name]
    for number, pair in zip(pair_set.numbers, pair_set.pairs, strict=True):
        assert pair is not None
        assert pair.src.metadata["id"] == pair.tgt.metadata["id"] == str(number)
        assert "Empty line" not in (pair.src.sentence, pair.tgt.sentence)
    assert pair_set.ratings.min() == 0
    assert pair_set.ratings.max() == 1


def test_ratings_belong_to_their_sentences(mirror):
    # orig.test.txt, as released beside the graphs: sentences and rating of SICK's first test pair.
    first = Cell(benchmark("sick"), "main", "test").load()
    pair = first.pairs[0]
    assert pair is not None
    row = (mirror / "sick/orig.test.txt").read_text("utf-8").splitlines()[1].split("\t")
    assert [pair.src.sentence, pair.tgt.sentence] == row[1:3]
    assert first.ratings[0] == pytest.approx((float(row[3]) - 1) / 4)
