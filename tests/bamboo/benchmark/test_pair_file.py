"""Pairs and ratings in one file: ``data=csv data.csv.file=FILE``."""

import json
import re

import pytest

import bamboo
from amr_metrics.errors import GraphError
from bamboo.benchmark.datasets import Dataset
from bamboo.errors import BambooError, BambooWarning

CAT = "(s / sleep-01 :ARG0 (c / cat))"
KITTEN = "(s / sleep-01 :ARG0 (k / kitten))"
RAIN = "(r / rain-01)"
# Smatch with its root: 1, 3/4 and 0 (matched triples 4, 3 and 0).
ROWS = [(CAT, CAT, "5"), (CAT, KITTEN, "4"), (CAT, RAIN, "1")]


def write_csv(path, rows=ROWS, header="a,b,score"):
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    path.write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return path


def options(path, columns="a,b,score"):
    return ("data=csv", f"data.csv.file={path}", f"data.csv.columns=[{columns}]")


def run(path, columns="a,b,score", **options):
    """Run Smatch on a file; some of the options are those of the data."""
    data = {"file": str(path), "columns": columns.split(",")}
    data |= {name: options.pop(name) for name in ("id", "sentences") if name in options}
    return bamboo.run(data="csv", data_options=data, **options)


def test_a_csv_is_correlated_with_its_ratings(cli, tmp_path):
    write_csv(tmp_path / "mine.csv")
    run = cli("run", "metric=smatch", *options(tmp_path / "mine.csv"), "report=json")
    (cell,) = run.json["rows"][0]["cells"]
    # Scores 1, 3/4, 0 and ratings 5, 4, 1: exactly on a line.
    assert (cell["value"], cell["n"], cell["dataset"]) == (pytest.approx(100), 3, "csv")


def test_the_same_in_python(tmp_path, monkeypatch):
    write_csv(tmp_path / "mine.csv")
    monkeypatch.chdir(tmp_path)
    data = {"file": "mine.csv", "columns": ["a", "b", "score"]}
    results = bamboo.run(data="csv", data_options=data, out=tmp_path / "out")
    assert results.find_score("smatch", "main_csv")[0].value == pytest.approx(100)


def test_ids_sentences_and_raters(home, tmp_path):
    rows = [(*row, "4", f"p{k}", "A cat.", "It.") for k, row in enumerate(ROWS)]
    path = write_csv(tmp_path / "mine.csv", rows, "a,b,r1,r2,no,s,t")
    results = run(path, "a,b,r1,r2", id="no", sentences=["s", "t"])
    assert results.board.scores[0].pairs == 3
    scores = bamboo.load_result(results.folder).pair_scores()
    assert scores["id"].tolist() == ["p0", "p1", "p2"]
    assert scores["tgt_sentence"].tolist() == ["It."] * 3
    # On the scale from 1 to 5: means of 5 4, of 4 4 and of 1 4.
    assert scores["rating"].tolist() == [0.875, 0.75, 0.375]


def test_several_columns_of_ratings_are_those_of_raters(tmp_path):
    config = {"name": "own", "file": str(write_csv(tmp_path / "mine.csv"))}
    for ratings in (["score"], ["score", "other"]):
        own = Dataset.from_config({**config, "columns": ["a", "b", *ratings]})
        assert own.partitions["main"].lists_raters == (len(ratings) == 2)


def test_compare_and_train_take_a_file(refused, tmp_path):
    rows = [*ROWS, (KITTEN, RAIN, "2"), (CAT, "(s / sleep-01 :ARG0 (d / dog))", "3")]
    path = write_csv(tmp_path / "mine.csv", rows)
    data = {"file": str(path), "columns": ["a", "b", "score"]}
    few = {"permutations": 99, "resample": "pairs"}
    compared = bamboo.compare(["smatch", "sema"], "csv", data_options=data, **few)
    assert [*compared.signatures] == ["smatch", "sema"]
    train = ("train", "metric=s2match", "trainer=grid", "trainer.axes={tau: [1]}", *options(path))
    hint = "name a file for each split, as in \"data.csv.file='ratings.{split}.csv'\""
    assert hint in str(refused(*train))
    for split in ("train", "dev"):
        write_csv(tmp_path / f"mine.{split}.csv", ROWS)
    (tmp_path / "vectors.txt").write_text("".join(f"{w}{' 1' * 100}\n" for w in ("cat", "dog")))
    trained = bamboo.train(
        "s2match",
        "csv",
        data_options=data | {"file": f"{tmp_path}/mine.{{split}}.csv"},
        options={"vectors": {"file": str(tmp_path / "vectors.txt")}},
        trainer={"name": "grid", "axes": {"tau": [1]}},
    ).to_json()
    # With similarity 1 for equal concepts only, as Smatch: exactly on a line.
    assert trained["dev"] == pytest.approx(1)
    assert trained["weights"]["tau"] == 1


def test_a_pair_without_a_rating_follows_on_error(home, tmp_path):
    path = write_csv(tmp_path / "mine.csv", [*ROWS, (RAIN, CAT, "")])
    with pytest.raises(BambooError, match=r"mine\.csv, pair 3, line 5: there is no rating"):
        run(path)
    for on_error in ("nan", "zero"):
        with pytest.warns(BambooWarning):
            document = run(path, on_error=on_error).to_json()
        (cell,) = document["rows"][0]["cells"]
        assert (cell["n"], cell["missing"], cell["value"]) == (3, 1, pytest.approx(100))
        (problem,) = document["problems"]
        assert (problem["pair"], problem["line"], problem["counted_as"]) == (3, 5, "missing")


@pytest.mark.parametrize(
    ("row", "columns", "message"),
    [
        (ROWS[0], "a,b,rating", "mine.csv, line 1: unknown column 'rating'"),
        ((CAT, CAT, "good"), "a,b,score", "mine.csv, pair 3, line 5: the rating 'good' is not"),
        ((CAT, "(c / cat", "2"), "a,b,score", "mine.csv, line 5, column b: "),
        (ROWS[0], "a,b", "columns=[a,b]: expected those of src, tgt and the rating"),
    ],
)
def test_errors_name_file_and_line(home, tmp_path, row, columns, message):
    path = write_csv(tmp_path / "mine.csv", [*ROWS, row])
    with pytest.raises((BambooError, GraphError), match=re.escape(message)):
        run(path, columns)


@pytest.mark.parametrize("word", ["mine.csv", "folder/mine.jsonl", "[sts,mine.csv]"])
def test_the_name_of_a_file_is_refused_with_the_right_command(refused, word):
    file = word.strip("]").split(",")[-1]
    message = str(refused("run", f"data={word}"))
    assert f"data=csv data.csv.file={file} 'data.csv.columns=[src,tgt,rating]'" in message


def test_a_file_must_be_named_and_exist(refused, tmp_path):
    assert "which file? Write data=csv data.csv.file=FILE" in str(refused("run", "data=csv"))
    message = str(refused("run", *options(tmp_path / "other.csv")))
    assert f"{tmp_path / 'other.csv'} does not exist. Names of" in message


def test_a_data_set_of_ones_own_may_be_one_file(cli, user):
    lines = [json.dumps({"src": a, "tgt": b, "rating": int(r)}) for a, b, r in ROWS]
    (user.path / "rows.jsonl").write_text("\n".join(lines))
    user.yaml("data/mine.yaml", {"root": "..", "file": "rows.jsonl", "scale": [0, 5]})
    run = cli("run", "metric=smatch", "data=mine", user.option, "report=json").json
    assert run["rows"][0]["cells"][0]["value"] == pytest.approx(100)
