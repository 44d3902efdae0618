"""Submissions: what is written can be verified, what was altered is refused; upstream's folders."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from zipped import read_zip, write_zip

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset, Partition
from bamboo.commands.base import configured
from bamboo.commands.data import known_protocols
from bamboo.commands.main import main
from bamboo.errors import SubmissionError
from bamboo.submission.archive import read_submission
from bamboo.submission.predictions import export_predictions, import_predictions
from metrics import Smatch

PROTOCOLS = known_protocols()
SAMPLE = Cell(Dataset.from_config(configured("run", ["data=sample"]).data[0]), "main", "test")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submission")
    path = folder / "smatch.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_RUNS_DIR", str(folder / "runs"))
        command = ["submit", "metric=smatch", "data=sample", "partition=main", f"out={path}"]
        assert main([*command, f"export={folder / 'predictions'}"]) == 0
    return path


def read(path):
    pair_set = SAMPLE.load()
    digests = {SAMPLE: SAMPLE.digest()}
    return read_submission(path, {SAMPLE: pair_set}, digests, PROTOCOLS)


def document_of(path):
    return json.loads(read_zip(path)["result.json"])


def altered(written, tmp_path, change):
    document, lines = document_of(written), read_zip(written)["scores.csv"].splitlines()
    change(document, lines)
    texts = {"result.json": json.dumps(document), "scores.csv": "\n".join(lines)}
    return write_zip(tmp_path / "altered.zip", texts)


def test_a_submission_is_read_back_to_the_last_bit(written):
    found = read(written)
    pairs = SAMPLE.load().pairs
    assert found.cells[SAMPLE].scores.values.tolist() == Smatch().score(pairs).tolist()
    assert found.name == "smatch"
    assert "root=concept" in found.signature
    document = document_of(written)
    assert document["protocols"]["v0.2"]["cells"][0]["interval"][0] > 0
    assert set(document["environment"]) == {"python", "system", "numpy", "bamboo"}


def cell_of(document):
    return document["protocols"]["paper"]["cells"][0]


def in_line(lines, k, column, value):
    """Change a value of the scores; columns: dataset 1, partition 2, split 3, pair 4, score 5."""
    values = lines[k].split(",")
    values[column] = value
    lines[k] = ",".join(values)


def swap_two_scores(document, lines):
    first, second = lines[1].split(",")[5], lines[2].split(",")[5]
    assert first != second
    in_line(lines, 1, 5, second)
    in_line(lines, 2, 5, first)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap_two_scores, "but its scores give"),
        (lambda d, s: cell_of(d).update(value=cell_of(d)["value"] + 0.01), "but its scores give"),
        (lambda d, s: d.update(schema=99), "has schema 99, this version reads 2"),
        (lambda d, s: d.update(kind="recipe"), "is not a submission"),
        (lambda d, s: d.update(name="two\nlines"), "one line of text"),
        (lambda d, s: d.update(name="x" * 81), "81 characters"),
        (lambda d, s: d.update(name=["smatch"]), "one line of text"),
        (lambda d, s: s.clear(), "scores.csv is damaged"),
        (lambda d, s: s.__delitem__(slice(1, None)), "has no scores of sample main test"),
        (
            lambda d, s: s.pop(),
            "has 63 scores of sample main test, expected one for each of its 64",
        ),
        (lambda d, s: s.append(s[-1]), "has 65 scores"),
        (lambda d, s: s.insert(1, s.pop()), "in their order"),
        (lambda d, s: in_line(s, 1, 4, "7"), "in their order"),
        (lambda d, s: in_line(s, 1, 4, "1e400"), "scores.csv is damaged"),
        (lambda d, s: in_line(s, 1, 4, str(10**30)), "scores.csv is damaged"),
        (lambda d, s: in_line(s, 1, 5, "%%%"), "scores.csv is damaged"),
        (lambda d, s: in_line(s, 1, 5, "inf"), "infinite score"),
        (lambda d, s: in_line(s, 1, 5, "1e400"), "infinite score"),
        (lambda d, s: in_line(s, 1, 5, "nan"), "pairs of paper sample main is given as 64"),
        (lambda d, s: in_line(s, 1, 3, "dev"), "has 63 scores"),
        (lambda d, s: s.__setitem__(0, s[0].replace("pair", "pear")), "scores.csv is damaged"),
        (lambda d, s: d["cells"].clear(), "has no scores of sample main test"),
        (lambda d, s: d.update(cells=[]), "has no scores of sample main test"),
        (lambda d, s: d["cells"]["sample main test"].pop("data"), "other data"),
        (lambda d, s: d["cells"]["sample main test"].update(seconds=-1), "seconds of .* are -1"),
        (lambda d, s: d["cells"]["sample main test"].update(seconds=True), "are True"),
        (lambda d, s: d["cells"]["sample main test"].update(seconds=1e300), "are 1e\\+300"),
        (lambda d, s: d["cells"]["sample main test"].update(seconds=10**400), "401 digits"),
        (lambda d, s: d["protocols"].pop("v0.2"), "protocol v0.2 is incomplete"),
        (lambda d, s: d.update(protocols=[]), "protocol paper is incomplete"),
        (lambda d, s: cell_of(d)["interval"].append(1), "protocol paper is incomplete"),
        (lambda d, s: cell_of(d)["interval"].reverse(), "low of paper sample main is given as"),
        (lambda d, s: cell_of(d).pop("interval"), "low of paper sample main is given as None"),
        (lambda d, s: cell_of(d).update(interval="wide"), "protocol paper is incomplete"),
        (lambda d, s: d["intervals"].update(seed=1), "with the resamples and seed that it names"),
        (lambda d, s: d["intervals"].update(resamples=10**9), "integer from 1 to 10000"),
        (lambda d, s: d["intervals"].update(resamples=True), "expected an integer"),
        (lambda d, s: d["intervals"].update(seed=-1), "expected an integer"),
        (lambda d, s: d.pop("intervals"), r"intervals\.resamples is None"),
        (lambda d, s: cell_of(d).update(n=63, missing=1), "pairs of paper .* is given as 63"),
        (lambda d, s: cell_of(d).update(n=10**30), "protocol paper is incomplete"),
        (lambda d, s: cell_of(d).update(value=float("nan")), "NaN is not JSON"),
        (lambda d, s: cell_of(d).update(value=None), "value of paper .* is given as None"),
        (lambda d, s: cell_of(d).update(value=True), "is given as 1.0"),
        (lambda d, s: cell_of(d).update(value=[1]), "protocol paper is incomplete"),
        (lambda d, s: cell_of(d).update(statistic="luck"), "is given as None"),
        (lambda d, s: d["protocols"]["paper"]["cells"].clear(), "is given as None"),
        (lambda d, s: d.update(name="\ud800"), "half of a surrogate pair"),
        (lambda d, s: d.update(schema="x" * 10_000), "has schema x{80}, this"),
        (lambda d, s: d["environment"].update(python="\x1b[2J"), "lines of text"),
    ],
)
def test_what_was_altered_is_refused(written, tmp_path, change, message):
    path = altered(written, tmp_path, change)
    with pytest.raises(SubmissionError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["result.json", "scores.csv"])
def test_large_files_are_refused_before_they_are_unpacked(written, tmp_path, monkeypatch, name):
    path = tmp_path / "bomb.zip"
    texts = {"result.json": "{}", "scores.csv": ""}
    write_zip(path, texts | {name: " " * 20_000_000})
    assert path.stat().st_size < 50_000
    monkeypatch.setattr(zipfile.ZipFile, "read", pytest.fail)
    with pytest.raises(SubmissionError, match=f"{name} has 20,000,000 bytes"):
        read(path)


def test_a_false_size_is_refused(written, tmp_path):
    path = tmp_path / "false.zip"
    write_zip(path, {"result.json": "{}", "scores.csv": " " * 1_000_000})
    sizes = (1_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(*sizes))
    with pytest.raises(SubmissionError, match="not a complete zip file"):
        read(path)


@pytest.mark.parametrize("names", [["result.json"], ["scores.csv", "result.json", "../x"]])
def test_other_files_are_refused(tmp_path, names):
    path = write_zip(tmp_path / "theirs.zip", dict.fromkeys(names, "{}"))
    with pytest.raises(SubmissionError, match=r"expected result\.json and scores\.csv"):
        read(path)


def test_scores_of_other_cells_are_ignored(written, tmp_path):
    def add(document, lines):
        lines += [line.replace(",sample,", ",theirs,") for line in lines[1:]]

    assert list(read(altered(written, tmp_path, add)).cells) == [SAMPLE]


@pytest.mark.parametrize("content", [b"", b"PK", b" " * 1_000, b"\xff", b"{}", b"PK\x05\x06"])
def test_a_file_that_is_no_submission(tmp_path, content):
    path = tmp_path / "theirs.zip"
    path.write_bytes(content)
    with pytest.raises(SubmissionError, match=r"theirs\.zip is not a complete zip") as caught:
        read(path)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "{}", "\ud800"])
def test_a_result_that_is_not_a_submission(tmp_path, text):
    path = write_zip(tmp_path / "theirs.zip", {"result.json": text, "scores.csv": ""})
    with pytest.raises(SubmissionError, match=r"not JSON|not a submission"):
        read(path)


def test_intervals_have_as_many_resamples_as_reading_computes(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    command = ["submit", "metric=smatch", "data=sample", "partition=main", "resamples=20000"]
    assert main([*command, f"out={tmp_path / 'theirs.zip'}"]) == 1
    assert "at most 10000 resamples" in capsys.readouterr().err


def test_other_resamples_and_seeds_are_verified_likewise(tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    path = tmp_path / "theirs.zip"
    command = ["submit", "metric=smatch", "data=sample", "partition=main", f"out={path}"]
    assert main([*command, "resamples=50", "seed=7"]) == 0
    assert read(path).name == "smatch"


def test_a_truncated_file_is_refused(written, tmp_path):
    path = tmp_path / "short.zip"
    path.write_bytes(written.read_bytes()[:-200])
    with pytest.raises(SubmissionError, match="not a complete zip file"):
        read(path)
    with pytest.raises(SubmissionError, match="cannot be read"):
        read(tmp_path / "none.zip")


def test_scores_of_other_data_do_not_mix(written):
    pair_set = SAMPLE.load()
    with pytest.raises(SubmissionError, match="other data"):
        read_submission(written, {SAMPLE: pair_set}, {SAMPLE: "0" * 64}, PROTOCOLS)


def test_exported_predictions_are_imported_again(written):
    folder = written.parent / "predictions"
    assert [path.name for path in folder.iterdir()] == ["sample-smatch-main.txt"]
    found = import_predictions(folder, "smatch", [SAMPLE])[SAMPLE]
    assert np.array_equal(found.scores.values, read(written).cells[SAMPLE].scores.values)


def test_predictions_become_a_submission(written, tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    command = [
        "submit",
        f"predictions={written.parent / 'predictions'}",
        "data=sample",
        "partition=main",
    ]
    assert main(command) == 1
    assert main([*command, "name=smatch"]) == 0
    found = read(tmp_path / "runs" / "submissions" / "smatch.zip")
    assert found.signature == "imported predictions"
    assert found.environment == {}


def framed(tmp_path):
    """A data set with a header graph in front of three pairs and an empty line behind them."""
    (tmp_path / "main").mkdir()
    sentences = ["heading", "one", "two", "three", "Empty line"]
    for side in ("src", "tgt"):
        blocks = [f"# ::snt {s}\n(x / {s.lower().replace(' ', '-')})\n" for s in sentences]
        (tmp_path / "main" / f"{side}.test.amr").write_text("\n".join(blocks))
    (tmp_path / "test.y").write_text("head\n0.1\n0.5\n0.9\nend\n")
    parts = {"main": Partition("main", "files", {"test": 3})}
    toy = Dataset(
        name="toy",
        title="Toy",
        root=tmp_path,
        scale=(0, 1),
        partitions=parts,
        header=("heading", "heading"),
        trailer="Empty line",
    )
    return Cell(toy, "main", "test")


def test_rows_follow_the_released_files(tmp_path):
    cell = framed(tmp_path)
    folder = tmp_path / "predictions"
    folder.mkdir()
    (folder / "toy-mine-main.txt").write_text("any 7\n0.25\npair 0.5\n0.75\n7\n")
    found = import_predictions(folder, "mine", [cell])
    assert found[cell].scores.values.tolist() == [0.25, 0.5, 0.75]
    assert found[cell].numbers.tolist() == [1, 2, 3]
    export_predictions(tmp_path / "out", "mine", found, {cell: Smatch()})
    # The graphs that are no pairs are equal on both sides.
    assert (tmp_path / "out" / "toy-mine-main.txt").read_text() == "1.0\n0.25\n0.5\n0.75\n1.0\n"
    export_predictions(tmp_path / "out", "mine", found, {})
    assert (tmp_path / "out" / "toy-mine-main.txt").read_text().split()[0] == "nan"
    found[cell].scores.values[1] = np.nan
    with pytest.raises(SubmissionError, match="pair 2 has no score"):
        export_predictions(tmp_path / "out", "mine", found, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1\n1\n1\n",
            "has 3 lines: toy main test has 3 pairs, 1 graph before them and 1 after them",
        ),
        ("1\n1\nNA\n1\n1\n", "line 3: 'NA' does not end with a number"),
        ("1\n1\nnan\n1\n1\n", "line 3: 'nan' is not a finite score"),
        ("1\n1\n1_0\n1\n1\n", "line 3: '1_0' does not end with a number"),
        ("1\n1\n\u0663\n1\n1\n", "line 3: '\u0663' does not end with a number"),
        ("1\n1\n\n1\n1\n", "line 3: '' does not end with a number"),
    ],
)
def test_bad_predictions_are_refused(tmp_path, text, message):
    cell = framed(tmp_path)
    (tmp_path / "toy-mine-main.txt").write_text(text)
    with pytest.raises(SubmissionError, match=message):
        import_predictions(tmp_path, "mine", [cell])


def test_a_missing_file_of_predictions_is_named(tmp_path):
    cell = framed(tmp_path)
    with pytest.raises(SubmissionError, match=r"toy-mine-main\.txt"):
        import_predictions(Path(tmp_path), "mine", [cell])
