"""Pairs and ratings of one's own: parallel files, tables and loaders."""

import json
import sys
from pathlib import Path

import pytest

from amr_metrics import Graph, parse_graph
from amr_metrics.errors import GraphError
from bamboo.api.build import build
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell, chosen_cells
from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.pair_tables import read_records
from bamboo.errors import BambooError, ConfigError, DataError, FileNote
from tests.configured import configured

CAT = "(s / sleep-01 :ARG0 (c / cat))"
ADA = '(r / read-01 :ARG0 (p / person :name (n / name :op1 "Ada")))'
DOG = "(b / bark-01 :ARG0 (d / dog))"
ROWS = [(CAT, CAT, "5"), (CAT, ADA, "0"), (DOG, CAT, "2.5")]
RATINGS = [1.0, 0.0, 0.5]
NAMES = ("src", "tgt", "rating")
TARGETS = ["sleep-01", "read-01", "sleep-01"]


def dataset(root, **partition):
    return Dataset.from_config(
        {
            "name": "own",
            "title": "Own",
            "root": str(root),
            "scale": [0, 5],
            "partitions": {"p": partition},
        }
    )


def load(root, split="test", on_error="stop", **partition):
    return Cell(dataset(root, **partition), "p", split).load(on_error)


def check(pair_set):
    """The pairs and ratings of `ROWS`."""
    assert pair_set.ratings.tolist() == RATINGS
    assert pair_set.numbers.tolist() == [0, 1, 2]
    assert pair_set.problems == {}
    pairs = [pair for pair in pair_set.pairs if pair is not None]
    assert [pair.tgt.concept(pair.tgt.top) for pair in pairs] == TARGETS
    assert [pair.src.concepts[-1] for pair in pairs] == ["cat", "cat", "dog"]


def json_lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def tsv(rows, *header):
    return "".join("\t".join(row) + "\n" for row in ([header] if header else []) + list(rows))


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("p.tsv", tsv(ROWS, "src", "tgt", "rating"), None),
        (
            "p.tsv",
            tsv([(rating, tgt, src) for src, tgt, rating in ROWS], "Score", "B", "A"),
            {"src": "A", "tgt": "B", "rating": "Score"},
        ),
        ("p.jsonl", json_lines(*(dict(zip(NAMES, row, strict=True)) for row in ROWS)), None),
        (
            "p.json",
            json.dumps([{"pair": [a, b], "rating": float(r)} for a, b, r in ROWS]),
            {"src": "pair[0]", "tgt": "pair[1]"},
        ),
        (
            "p.csv",
            "src,tgt,rating\n"
            + "".join('"{}","{}",{}\n'.format(a, b.replace('"', '""'), r) for a, b, r in ROWS),
            None,
        ),
    ],
)
def test_a_table_of_pairs(tmp_path, name, content, columns):
    (tmp_path / name).write_text(content, "utf-8")
    check(load(tmp_path, table=name, columns=columns or {}))


def test_a_quoted_cell_of_several_lines(tmp_path):
    text = f'src,tgt,rating\n"(s / sleep-01\n   :ARG0 (c / cat))","{CAT}",3\n'
    (tmp_path / "p.csv").write_text(text)
    (pair,) = load(tmp_path, table="p.csv").pairs
    assert pair is not None
    assert pair.src == pair.tgt


def test_sentences_of_a_table_are_those_of_the_graphs(tmp_path):
    header = ("src", "tgt", "rating", "a", "b")
    (tmp_path / "p.tsv").write_text(tsv([(CAT, DOG, "1", "A cat.", "A dog.")], *header))
    columns = {"src_sentence": "a", "tgt_sentence": "b"}
    (pair,) = load(tmp_path, table="p.tsv", columns=columns).pairs
    assert pair is not None
    assert (pair.src.sentence, pair.tgt.sentence) == ("A cat.", "A dog.")


def test_further_columns_of_a_table_are_metadata(tmp_path):
    rows = f"id,src,tgt,rating,genre,snt,note\n7,{CAT},{DOG},1,news,A cat.,\n"
    (tmp_path / "p.csv").write_text(rows)
    (pair,) = load(tmp_path, table="p.csv").pairs
    assert pair is not None
    assert pair.src.metadata == pair.tgt.metadata == {"id": "7", "genre": "news"}
    (pair,) = load(tmp_path, table="p.csv", columns={"id": "genre"}).pairs
    assert pair is not None
    assert pair.src.metadata == {"id": "news"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1], "p.jsonl, line 1: expected an object with the fields src, tgt, rating"),
        ({"src": CAT, "tgt": CAT}, "line 1: there is no field rating. It has: src, tgt"),
        ({"src": CAT, "tgt": CAT, "rating": True}, "the field rating is neither a text nor a nu"),
        ({"src": CAT, "tgt": CAT, "rating": "good"}, "line 1: the rating 'good' is not a number"),
        ({"src": CAT, "tgt": CAT, "rating": None}, "pair 0, line 1: there is no rating"),
    ],
)
def test_a_row_of_json_that_cannot_be_read(tmp_path, row, message):
    (tmp_path / "p.jsonl").write_text(json_lines(row))
    with pytest.raises(DataError, match=message):
        load(tmp_path, table="p.jsonl")


def test_sentences_of_a_table_are_values(tmp_path):
    graphs = f'"{CAT}","# ::id 1 ::snt other\n{DOG}"'
    text = f'src,tgt,rating,a,b\n{graphs},1,use std::sort ::id 9,"one\ntwo "\n'
    (tmp_path / "p.csv").write_text(text)
    columns = {"src_sentence": "a", "tgt_sentence": "b"}
    (pair,) = load(tmp_path, table="p.csv", columns=columns).pairs
    assert pair is not None
    assert pair.src.metadata == {"snt": "use std::sort ::id 9"}
    assert pair.tgt.metadata == {"id": "1", "snt": "one\ntwo"}
    assert parse_graph(str(pair.tgt)).metadata == {"id": "1", "snt": "one two"}


@pytest.mark.parametrize(("name", "delimiter"), [("p.tsv", "\t"), ("p.csv", ",")])
def test_encodings_of_a_table(tmp_path, name, delimiter):
    rows = [("src", "tgt", "rating"), (CAT, CAT, "5"), ("(é / été)", CAT, "0")]
    text = "".join(delimiter.join(row) + "\n" for row in rows)
    path = tmp_path / name
    path.write_text(text, "utf-8-sig")
    assert load(tmp_path, table=name).ratings.tolist() == [1, 0]
    path.write_text(text, "utf-16")
    with pytest.raises(
        DataError, match=rf"{name} cannot be read: line 1: is UTF-16.*iconv -f UTF-16"
    ):
        load(tmp_path, table=name)
    path.write_text(text, "latin1")
    with pytest.raises(
        DataError, match=rf"{name} cannot be read: line 3: byte 0xe9.*iconv -f LATIN1"
    ):
        load(tmp_path, table=name)


def test_encodings_of_ratings(tmp_path):
    for side in ("src.test.amr", "tgt.test.amr"):
        (tmp_path / side).write_text(f"{CAT}\n\n{CAT}\n")
    (tmp_path / "r.txt").write_text("5\n0\n", "utf-8-sig")
    assert load(tmp_path, folder=".", ratings="r.txt").ratings.tolist() == [1, 0]
    (tmp_path / "r.txt").write_text("5\n0\n", "utf-16")
    with pytest.raises(
        DataError, match=r"r.txt cannot be read: line 1: is UTF-16.*iconv -f UTF-16"
    ):
        load(tmp_path, folder=".", ratings="r.txt")


def test_parallel_files_of_any_name(tmp_path):
    (tmp_path / "test").mkdir()
    (tmp_path / "test/a.txt").write_text("\n\n".join(src for src, _, _ in ROWS))
    (tmp_path / "test/b.txt").write_text("\n\n".join(tgt for _, tgt, _ in ROWS))
    (tmp_path / "test.scores").write_text("".join(f"{rating}\n" for *_, rating in ROWS))
    files = {"src": "{split}/a.txt", "tgt": "{split}/b.txt"}
    check(load(tmp_path, **files, ratings="{split}.scores"))


def write_parallel(folder, src_ids, tgt_ids):
    """Parallel files: graph k of both has the concept that belongs to its id, or else `dog`."""
    for name, ids in (("src", src_ids), ("tgt", tgt_ids)):
        graphs = (f"(x / {graph_id or 'dog'})" for graph_id in ids)
        lines = (f"# ::id {graph_id}\n" if graph_id else "" for graph_id in ids)
        text = "\n\n".join(map("".join, zip(lines, graphs, strict=True)))
        (folder / f"{name}.amr").write_text(text)
    (folder / "y.txt").write_text("".join(f"{k}\n" for k in range(len(src_ids))))


PARALLEL = {"src": "src.amr", "tgt": "tgt.amr", "ratings": "y.txt"}


def list_concepts(pair_set):
    return [pair and (pair.src.concepts[0], pair.tgt.concepts[0]) for pair in pair_set.pairs]


@pytest.mark.parametrize("tgt_ids", [["b", "a", "c"], ["c", None, "x"], ["x", "b", "a"]])
def test_an_id_at_different_positions_is_an_error(tmp_path, tgt_ids):
    write_parallel(tmp_path, ["a", "b", "c"], tgt_ids)
    with pytest.raises(DataError, match=r"^pair \d: .*src\.amr has ::id . but .*ids: match pairs"):
        load(tmp_path, **PARALLEL)
    pairs = load(tmp_path, **PARALLEL, ids="ignore")
    assert [tgt for _, tgt in list_concepts(pairs)] == [name or "dog" for name in tgt_ids]


@pytest.mark.parametrize(
    ("src_ids", "tgt_ids"),
    [
        (["a", "b", None], ["x", "y", None]),
        (["a", "b", "c"], ["a", "x", "c"]),
        (["a", "a", "b"], ["a", "a", "b"]),
        (["a", None, "c"], ["x", "b", None]),
    ],
)
def test_ids_on_one_side_or_in_the_same_pair_are_accepted(tmp_path, src_ids, tgt_ids):
    write_parallel(tmp_path, src_ids, tgt_ids)
    names = [[name or "dog" for name in ids] for ids in (src_ids, tgt_ids)]
    assert list_concepts(load(tmp_path, **PARALLEL)) == [*zip(*names, strict=True)]


def test_graphs_are_matched_by_id_in_the_order_of_src(tmp_path):
    write_parallel(tmp_path, ["a", "b", "c"], ["c", "a", "b"])
    pairs = load(tmp_path, **PARALLEL, ids="match")
    assert list_concepts(pairs) == [("a", "a"), ("b", "b"), ("c", "c")]
    assert pairs.ratings.tolist() == [0, 0.2, 0.4]


def test_ids_of_a_data_set_are_those_of_its_partitions(tmp_path):
    write_parallel(tmp_path, ["a", "b"], ["a", "b"])
    config = {"name": "own", "title": "Own", "root": str(tmp_path), "scale": [0, 5]}
    partitions = {"p": PARALLEL, "q": {**PARALLEL, "ids": "ignore"}}
    own = Dataset.from_config({**config, "ids": "match", "partitions": partitions})
    assert [part.ids for part in own.partitions.values()] == ["match", "ignore"]
    # Cached scores of graphs that are paired in one way are not those of another.
    other = dataset(tmp_path, **PARALLEL)
    cells = [Cell(own, "p", "test"), Cell(own, "q", "test"), Cell(other, "p", "test")]
    assert len({cell.digest() for cell in cells}) == 3


def test_ids_that_cannot_be_matched(tmp_path):
    write_parallel(tmp_path, ["a", "b", "c"], ["c", "a", "x"])
    with pytest.raises(DataError, match=r"1 of 3 ::ids of .*tgt\.amr is not in .*src\.amr \(x\)"):
        load(tmp_path, **PARALLEL, ids="match")
    with pytest.warns(FileNote, match=r"tgt\.amr is not in .*left out"):
        pairs = load(tmp_path, **PARALLEL, ids="match", on_error="nan")
    assert list_concepts(pairs) == [("a", "a"), None, ("c", "c")]
    assert "no graph has the ::id b" in str(pairs.problems[1])
    (tmp_path / "p.tsv").write_text(tsv(ROWS, "src", "tgt", "rating"))
    with pytest.raises(ConfigError, match="ids is for parallel files"):
        dataset(tmp_path, table="p.tsv", ids="match")


def test_partitions_are_built_from_matched_graphs(tmp_path):
    write_parallel(tmp_path, ["a", "b", "c"], ["c", "a", "b"])
    config = {"name": "own", "title": "Own", "root": str(tmp_path), "scale": [0, 5]}
    main = Dataset.from_config({**config, "partitions": {"main": {**PARALLEL, "ids": "match"}}})
    build(main, "reify", engine="serial", out=tmp_path / "built")
    built = load(tmp_path / "built/own", folder="reify", ratings="../../y.txt")
    assert list_concepts(built) == [("a", "a"), ("b", "b"), ("c", "c")]


def test_splits_are_those_whose_files_exist(tmp_path):
    for split in ("train", "test"):
        (tmp_path / f"{split}.tsv").write_text(tsv(ROWS, "src", "tgt", "rating"))
    of_table = dataset(tmp_path, table="{split}.tsv")
    assert of_table.partitions["p"].pairs == {"train": None, "test": None}
    assert dataset(tmp_path, table="train.tsv").partitions["p"].pairs == {"test": None}
    with pytest.raises(ConfigError, match="unknown split of own p 'dev'"):
        of_table.partition("p", "dev")
    with pytest.raises(DataError, match=r"own p test has 3 pairs, expected 4: is .*test.tsv compl"):
        load(tmp_path, table="{split}.tsv", pairs={"test": 4})


def test_a_table_of_altered_and_original_pairs(tmp_path):
    (tmp_path / "p.tsv").write_text(tsv([(CAT, DOG), (CAT, CAT)] * 3, "src", "tgt"))
    of_table = dataset(tmp_path, table="p.tsv", ratings="alternating")
    assert Cell(of_table, "p", "test").unit == 2
    for limit, ratings in ((None, [0, 1] * 3), (2, [0, 1]), (3, [0, 1] * 2), (9, [0, 1] * 3)):
        assert Cell(of_table, "p", "test", limit).load().ratings.tolist() == ratings


def test_all_partitions_include_those_of_ones_own(tmp_path):
    for name in ("main", "mine", "more"):
        (tmp_path / f"{name}.tsv").write_text(tsv(ROWS, "src", "tgt", "rating"))
    of_tables = Dataset.from_config(
        {
            **{"name": "own", "title": "Own", "root": str(tmp_path), "scale": [0, 5]},
            "partitions": {name: {"table": f"{name}.tsv"} for name in ("mine", "main", "more")},
        }
    )
    cells = chosen_cells([of_tables], "all", "test")
    assert [cell.partition for cell in cells] == ["main", "mine", "more"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("src\ttgt\n", r"p.tsv, line 1: unknown column 'rating'. Use one of: src, tgt"),
        ("src\ttgt\trating\trating\n", "p.tsv, line 1: two columns are called 'rating'"),
        (f"src\ttgt\trating\n{CAT}\t{CAT}\n", r"p.tsv, line 2: expected at least 3 columns, got 2"),
        (
            f"src\ttgt\trating\n{CAT}\t{CAT}\t6\n",
            r"p.tsv, pair 0, line 2: 6 is not on the scale from 0 to 5 \(set scale",
        ),
    ],
)
def test_a_table_that_cannot_be_read(tmp_path, content, message):
    (tmp_path / "p.tsv").write_text(content)
    with pytest.raises(DataError, match=message):
        load(tmp_path, table="p.tsv")


@pytest.mark.parametrize("cell", ["(c / cat", "", f"{CAT} {DOG}"])
def test_a_cell_that_is_not_one_graph(tmp_path, cell):
    rows = [ROWS[0], (cell, DOG, "1"), (CAT, cell, "1")]
    (tmp_path / "p.tsv").write_text(tsv(rows, "src", "tgt", "rating"))
    with pytest.raises(GraphError, match=r"p.tsv, line 3, column src: "):
        load(tmp_path, table="p.tsv")
    left_out = load(tmp_path, on_error="nan", table="p.tsv")
    assert [pair is None for pair in left_out.pairs] == [False, True, True]
    assert [(k, p.line, p.counted_as) for k, p in left_out.problems.items()] == [
        *((1, 3, "missing"), (2, 4, "missing"))
    ]
    empty = load(tmp_path, on_error="zero", table="p.tsv")
    assert [pair is None for pair in empty.pairs] == [False, False, True]
    assert empty.pairs[1] is not None
    assert empty.pairs[1].src == Graph.empty()
    assert [p.counted_as for p in empty.problems.values()] == ["empty", "missing"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"src": "a", "tgt": "b", "table": "c.tsv"}, "src and table exclude each other"),
        ({"table": "c.xlsx"}, r"table: c.xlsx: expected a file named \*.csv, \*.tsv"),
        ({"table": "c.tsv", "ratings": "r.txt"}, r"those of the table \(columns.rating\)"),
        ({"table": "c.tsv", "columns": {"sorce": "a"}}, "'sorce': did you mean 'src'"),
        ({"table": "c.tsv", "columns": {"rating": ["a", "a"]}}, "give one or more different col"),
        ({"loader": {"_target_": "a.b"}}, "a loader needs a function as _target_, and the files"),
        ({"src": "a", "tgt": "b", "ratings": "file"}, "unknown ratings 'file': did you mean"),
        (
            {"src": "a", "tgt": "b", "ratings": "labels"},
            "'labels'. Use one of: alternating, files, or a file, whose name has an ending or a "
            r"folder: \./labels is the file of this name in the data set's root",
        ),
        ({"src": "a", "tgt": "b"}, "/a does not exist, nor do the files of another split"),
        ({"table": "c.tsv"}, "/c.tsv does not exist. Names of files"),
    ],
)
def test_options_that_do_not_fit(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message) as caught:
        dataset(tmp_path, **options)
    assert "data" in str(caught.value)


@pytest.fixture
def loaders(tmp_path, monkeypatch):
    """A module of loaders, in a folder of ``sys.path``."""
    (tmp_path / "own_loaders.py").write_text(
        "import json\n\n"
        "def rows(paths, factor=1):\n"
        "    for path in paths:\n"
        "        for src, tgt, rating in json.loads(path.read_text()):\n"
        "            yield src, tgt, factor * float(rating)\n\n"
        "def broken(paths):\n"
        "    return [(1, 2)]\n\n"
        "def failing(paths):\n"
        "    raise KeyError('key')\n"
    )
    (tmp_path / "p.json").write_text(json.dumps(ROWS))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_loaders", raising=False)
    return tmp_path


def loader(name, **options):
    return {"loader": {"_target_": f"own_loaders.{name}", **options}, "files": ["p.json"]}


def test_a_loader_of_ones_own(loaders):
    check(load(loaders, **loader("rows")))
    halved = load(loaders, **loader("rows", factor=0.5))
    assert halved.ratings.tolist() == [0.5, 0, 0.25]
    digests = {
        Cell(dataset(loaders, **loader("rows", factor=factor)), "p", "test").digest()
        for factor in (1, 0.5)
    }
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "loader own_loaders.broken, pair 0: expected two graphs"),
        ("failing", r"loader own_loaders.failing: KeyError: 'key' \(.*own_loaders.py, line 12"),
    ],
)
def test_a_loader_that_fails(loaders, name, message):
    with pytest.raises((DataError, ConfigError), match=message):
        load(loaders, **loader(name))


def test_half_of_a_surrogate_pair_in_a_loaders_graph(loaders):
    (loaders / "p.json").write_text(json.dumps([["(c / cat\ud83d)", "(c / cat)", 1]]))
    with pytest.raises(GraphError, match=r"pair 0, src: '\\ud83d' is half of a surrogate pair"):
        load(loaders, **loader("rows"))


def test_a_statistic_of_ones_own_comes_before_the_protocols(user):
    files = {"folder": "main", "ratings": "alternating", "statistic": "pair_accuracy"}
    user.data("tiny", [1, 2, 3, 1], [0, 1, 0, 1], partitions=["main"])
    data = json.loads((user.path / "data/tiny.yaml").read_text())["tiny"]
    user.yaml("data/tiny.yaml", data | {"partitions": {"main": files}})
    user.metric("size", "Size")
    for protocol in ("paper", "v0.2"):
        (score,) = user.run("size", protocol=protocol).board.scores
        assert (score.score, score.value) == ("pair_accuracy", 50)


def test_couples_of_ones_own(user, refused):
    graphs = ["(c / cat)", "(d / dog :mod (b / big))", "(d / dog)", "(d / dog)"]
    lines = ["src\ttgt\trating"]
    lines += [f"{graph}\t(d / dog)\t{rating}" for graph, rating in zip(graphs, "0123", strict=True)]
    (user.path / "couples.tsv").write_text("\n".join(lines) + "\n")
    part = {"table": "couples.tsv", "statistic": "accuracy_with_ties"}
    user.yaml("data/couples.yaml", {"root": "..", "scale": [0, 3], "partitions": {"main": part}})
    (score,) = user.run("smatch", "couples", ci=True, resample="pairs").board.scores
    # Smatch prefers the second of the first two, and neither of the others.
    assert (score.score, score.value, score.pairs) == ("accuracy_with_ties", 50, 4)
    (user.path / "couples.tsv").write_text("\n".join(lines[:-1]) + "\n")
    message = r"couples\.tsv: 3 pairs: expected an even number, compared in twos$"
    with pytest.raises(BambooError, match=message):
        user.run("smatch", "couples")
    error = str(refused("run", "data=sample", "protocol.statistic.main=accuracy_with_ties"))
    assert error.startswith(
        "accuracy_with_ties compares two consecutive pairs, but those of sample"
    )


@pytest.mark.parametrize(
    ("statistic", "message"),
    [
        ("pearsn", "data own: unknown statistic 'pearsn'"),
        ("pair_accuracy", "statistic: pair_accuracy requires ratings: alternating"),
    ],
)
def test_a_wrong_statistic_of_ones_own(tmp_path, statistic, message):
    with pytest.raises(ConfigError, match=message):
        dataset(tmp_path, table="p.tsv", statistic=statistic)


def test_a_root_is_relative_to_the_yaml(tmp_path, monkeypatch):
    (tmp_path / "conf/data").mkdir(parents=True)
    (tmp_path / "conf/pairs.tsv").write_text(tsv(ROWS, "src", "tgt", "rating"))
    yaml = tmp_path / "conf/data/own.yaml"
    options = "scale: [0, 5], partitions: {p: {table: pairs.tsv}}"
    yaml.write_text(f"own: {{root: .., {options}}}")
    monkeypatch.chdir(tmp_path / "conf/data")

    def data():
        (config,) = resolve_datasets("own", config_dir=tmp_path / "conf")
        return config

    check(Cell(data(), "p", "test").load())
    assert data().title == data().name == "own"
    (tmp_path / "conf/data/x").mkdir()
    (tmp_path / "conf/data/x/pairs.tsv").touch()
    (typed,) = configured("run", ["data=own", "data.own.root=x"], str(tmp_path / "conf")).data
    assert typed.root == Path("x")  # relative to the current folder
    yaml.write_text(f"own: {{{options}}}")
    (tmp_path / "conf/data/pairs.tsv").touch()
    assert data().root == tmp_path / "conf/data"
    monkeypatch.chdir(tmp_path)
    yaml.write_text(f"own: {{root: conf, {options}}}")
    with pytest.raises(ConfigError, match=r"own.yaml: root: a relative path starts .* root: \.\.$"):
        data()


def test_columns_of_a_table_in_any_order(tmp_path):
    (tmp_path / "t.tsv").write_text('a\tb\n1\t"2\n\n3\t4"\n')
    rows = list(read_records(tmp_path / "t.tsv", ["b", "a"]))
    assert rows == [(2, {"a": "1", "b": '"2'}), (4, {"a": "3", "b": '4"'})]
    assert parse_graph(CAT).concepts == ("sleep-01", "cat")
