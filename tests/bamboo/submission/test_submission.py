"""Submissions: what is written can be verified, what was altered is refused; upstream's folders."""

import base64
import hashlib
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset, Partition
from bamboo.cli.main import main
from bamboo.cli.session import known_protocols
from bamboo.config.request import read_request
from bamboo.errors import SubmissionError
from bamboo.submission.archive import read_submission
from bamboo.submission.predictions import export_predictions, import_predictions
from metrics import Smatch

PROTOCOLS = known_protocols()
SAMPLE = Cell(Dataset.from_config(read_request("run", ["data=sample"]).data[0]), "main", "test")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submission")
    path = folder / "smatch.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_RUNS_DIR", str(folder / "runs"))
        command = ["submit", "metric=smatch", "data=sample", "partition=main", f"out={path}"]
        assert main([*command, f"export={folder / 'predictions'}"]) == 0
    return path


def read(path):
    pair_set = SAMPLE.load()
    digests = {SAMPLE: SAMPLE.digest()}
    return read_submission(path, {SAMPLE: pair_set}, digests, PROTOCOLS)


def altered(written, tmp_path, change):
    document = json.loads(written.read_text())
    change(document)
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(document))
    return path


def packed(values):
    return base64.b64encode(zlib.compress(np.asarray(values, "<f8").tobytes())).decode()


def test_a_submission_is_read_back_to_the_last_bit(written):
    found = read(written)
    pairs = SAMPLE.load().pairs
    assert found.cells[SAMPLE].scores.values.tolist() == Smatch().score(pairs).tolist()
    assert found.name == "smatch"
    assert "root=concept" in found.signature
    document = json.loads(written.read_text())
    assert document["protocols"]["v0.2"]["cells"][0]["interval"][0] > 0
    assert set(document["environment"]) == {"python", "system", "numpy", "bamboo"}


def test_writing_twice_gives_the_same_bytes(written, tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(written.parent / "runs"))
    again = tmp_path / "again.json"
    assert main(["submit", "metric=smatch", "data=sample", "partition=main", f"out={again}"]) == 0
    assert again.read_bytes() == written.read_bytes()


def swap_two_scores(document):
    entry = document["scores"][0]
    values = np.frombuffer(zlib.decompress(base64.b64decode(entry["values"])), "<f8").copy()
    values[[0, 1]] = values[[1, 0]] + 0.01
    entry["values"] = packed(values)


def set_value(document):
    document["protocols"]["paper"]["cells"][0]["value"] += 0.01


def cell_of(document):
    return document["protocols"]["paper"]["cells"][0]


def widen_an_interval(document):
    document["protocols"]["v0.2"]["cells"][0]["interval"][1] += 0.01


def theirs(document, k, pairs=1_000):
    """A cell that there is no data of."""
    entry = {"dataset": f"theirs{k}", "pairs": pairs, "values": packed(np.zeros(pairs))}
    return document["scores"][0] | entry


def elsewhere(document):
    """A cell that there is no data of, said to have so many pairs that they fill the memory."""
    return document["scores"][0] | {"dataset": "theirs", "pairs": 10**12}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap_two_scores, "were altered"),
        (set_value, "but its scores give"),
        (lambda d: d.update(sha256="0"), "were altered"),
        (lambda d: d.update(schema=99), "has schema 99, this version reads 1"),
        (lambda d: d.update(kind="recipe"), "is not a submission file"),
        (lambda d: d.update(name="two\nlines"), "one line of text"),
        (lambda d: d.update(name="x" * 81), "81 characters"),
        (lambda d: d.update(name=["smatch"]), "one line of text"),
        (lambda d: d.pop("scores"), "has no scores"),
        (lambda d: d["scores"][0].pop("data"), "entry 0 of scores has no valid 'data'"),
        (lambda d: d["scores"][0].update(values="%%%"), "damaged"),
        (lambda d: d["scores"][0].update(values=packed([0.5] * 63)), "are not 64 numbers"),
        (lambda d: d["scores"][0].update(values=packed(np.zeros(10**6))), "are not 64 numbers"),
        (lambda d: d["scores"][0].update(seconds=-1), "negative"),
        (lambda d: d["scores"].append(d["scores"][0]), "twice"),
        (lambda d: d["scores"][0].update(split="dev"), "were altered"),
        (lambda d: d["protocols"].pop("v0.2"), "incomplete"),
        (widen_an_interval, r"interval of v0\.2 sample main is given as .* its scores give"),
        (lambda d: cell_of(d).pop("interval"), "interval of paper sample main is given as None"),
        (lambda d: cell_of(d).update(interval="wide"), "is given as wide"),
        (lambda d: d["intervals"].update(seed=1), "with the resamples and seed that it names"),
        (lambda d: d["intervals"].update(resamples=10**9), "integer from 1 to 10000"),
        (lambda d: d["intervals"].update(resamples=True), "expected an integer"),
        (lambda d: d["intervals"].update(seed=-1), "expected an integer"),
        (lambda d: d.pop("intervals"), r"intervals\.resamples is None"),
        (lambda d: cell_of(d).update(n=63, missing=1), "with 63 pairs and 1 missing"),
        (lambda d: d["scores"][0].update(pairs=63), "listed with 63 pairs, expected 64"),
        (lambda d: d["scores"][0].update(pairs=10**12), "expected 64"),
        (lambda d: d["scores"].append(elsewhere(d)), "expected at most 1000000"),
        (lambda d: cell_of(d).update(value=float("nan")), "NaN is not JSON"),
        (lambda d: d["protocols"]["paper"]["cells"].clear(), "incomplete"),
        (lambda d: d["scores"][0].update(pairs=2**62), "expected 64"),
        (lambda d: d["scores"][0].update(pairs=True), "no valid 'pairs'"),
        (lambda d: d["scores"][0].update(seconds=10**400), "an integer has 401 digits"),
        (lambda d: d["scores"][0].update(seconds=1e300), "took over 1e\\+09 seconds"),
        (lambda d: d["scores"][0].update(values="A" * 10_000), "are not 64 numbers"),
        (lambda d: d["scores"][0].update(dataset="sample main"), "no valid 'dataset'"),
        (lambda d: d["scores"][0].update(data="\x1b[2J"), "no valid 'data'"),
        (lambda d: d.update(name="\ud800"), "half of a surrogate pair"),
        (lambda d: d.update(schema="x" * 10_000), "has schema x{80}, this"),
        (lambda d: d["environment"].update(python="\x1b[2J"), "lines of text"),
        (lambda d: d["scores"].extend(theirs(d, k) for k in range(1_000)), "1001 cells, at most"),
        (lambda d: cell_of(d).update(value=True), "is given as True"),
    ],
)
def test_what_was_altered_is_refused(written, tmp_path, change, message):
    path = altered(written, tmp_path, change)
    with pytest.raises(SubmissionError, match=message):
        read(path)


def test_a_false_number_of_pairs_is_refused_before_anything_is_decoded(
    written, tmp_path, monkeypatch
):
    path = altered(written, tmp_path, lambda d: d["scores"][0].update(pairs=10**12))
    monkeypatch.setattr(zlib, "decompressobj", pytest.fail)
    with pytest.raises(SubmissionError, match="expected 64"):
        read(path)


def test_the_scores_of_other_cells_are_limited_before_they_are_decoded(
    written, tmp_path, monkeypatch
):
    # 501 cells of a million pairs, in a file of 5 MB.
    packed_zeros = packed(np.zeros(10**6))

    def add(document):
        entry = document["scores"][0] | {"pairs": 10**6, "values": packed_zeros}
        document["scores"] += [entry | {"dataset": f"theirs{k}"} for k in range(501)]

    path = altered(written, tmp_path, add)
    monkeypatch.setattr(zlib, "decompressobj", pytest.fail)
    with pytest.raises(SubmissionError, match="theirs1 main test is listed with 1000000 pairs"):
        read(path)


def test_a_cell_of_other_data_is_only_part_of_the_hash(written, tmp_path):
    def add(document):
        document["scores"].append(theirs(document, 0))
        blobs = [
            ("{dataset} {partition} {split} {data}".format(**entry), zlib.decompress(raw))
            for entry in document["scores"]
            for raw in [base64.b64decode(entry["values"])]
        ]
        parts = [part for heading, blob in blobs for part in (f"{heading}\n".encode(), blob)]
        document["sha256"] = hashlib.sha256(b"".join(parts)).hexdigest()

    assert list(read(altered(written, tmp_path, add)).cells) == [SAMPLE]


@pytest.mark.parametrize("content", [b"[" * 100_000, b" " * 16_000_001, b"\xff", b"{}", b"[]"])
def test_a_file_that_is_no_submission(tmp_path, content):
    path = tmp_path / "theirs.json"
    path.write_bytes(content)
    with pytest.raises(SubmissionError, match=r"theirs\.json is not a") as caught:
        read(path)
    assert len(str(caught.value)) < 300


def test_intervals_have_as_many_resamples_as_reading_computes(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    command = ["submit", "metric=smatch", "data=sample", "partition=main", "resamples=20000"]
    assert main([*command, f"out={tmp_path / 'theirs.json'}"]) == 1
    assert "at most 10000 resamples" in capsys.readouterr().err


def test_other_resamples_and_seeds_are_verified_likewise(tmp_path, monkeypatch):
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    path = tmp_path / "theirs.json"
    command = ["submit", "metric=smatch", "data=sample", "partition=main", f"out={path}"]
    assert main([*command, "resamples=50", "seed=7"]) == 0
    assert read(path).name == "smatch"


def test_a_truncated_file_is_refused(written, tmp_path):
    path = tmp_path / "short.json"
    path.write_text(written.read_text()[:-200])
    with pytest.raises(SubmissionError, match="not a complete JSON file"):
        read(path)
    with pytest.raises(SubmissionError, match="cannot be read"):
        read(tmp_path / "none.json")


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
    found = read(tmp_path / "runs" / "submissions" / "smatch.json")
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
