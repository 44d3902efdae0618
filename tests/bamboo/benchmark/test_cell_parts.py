"""The pairs of a cell with large files, some at a time."""

from pathlib import Path

import numpy as np
import pytest
from harness import amr

from bamboo.benchmark import cells
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.errors import DataError

BROKEN = "(x / thing :ARG0 (y / thing)\n"


@pytest.fixture(params=[1, 3, 100])
def in_parts(request, monkeypatch):
    """Every file counts as large; the size of the parts."""
    size = request.param
    whole = cells.pair_chunks
    monkeypatch.setattr(cells, "LARGE", 0)
    monkeypatch.setattr(cells, "pair_chunks", lambda src, tgt: whole(src, tgt, size=size))
    return size


def cell(root, limit=None, partition="main", **more):
    """A cell of 7 pairs: chains of 1 to 7 nodes; with sentences as header and trailer."""
    for side in ("src", "tgt"):
        path = root / partition / f"{side}.test.amr"
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.write_text("\n".join(amr(k, f"chain {k}") for k in range(1, 8)))
    (root / "test.y").write_text("".join(f"{k}\n" for k in range(7)))
    kind = "alternating" if partition == "arg" else "files"
    part = {"folder": partition, "ratings": kind, "pairs": {"test": None}}
    config = {
        **{"name": "mine", "title": "Mine", "root": str(root), "scale": [0, 10]},
        **{"registry": None, "header": None, "trailer": None, "partitions": {partition: part}},
        **more,
    }
    return Cell(Dataset.from_config(config), partition, "test", limit)


@pytest.mark.parametrize(
    ("header", "trailer"),
    [(None, None), (["chain 1"] * 2, None), (["chain 1"] * 2, "chain 7"), (None, "chain 7")],
)
def test_parts_are_the_pairs_of_the_cell(tmp_path, in_parts, header, trailer):
    mine = cell(tmp_path, header=header, trailer=trailer)
    whole, parts = mine.load(), mine.parts()
    for _ in range(2):  # several metrics
        found = [*parts]
        assert all(len(part.pairs) <= in_parts for part in found)
        assert [pair for part in found for pair in part.pairs] == [*whole.pairs]
        np.testing.assert_array_equal(np.concatenate([p.ratings for p in found]), whole.ratings)
        np.testing.assert_array_equal(np.concatenate([p.numbers for p in found]), whole.numbers)


@pytest.mark.parametrize("limit", [2, 3, 5])
def test_the_first_pairs(tmp_path, in_parts, limit):
    mine = cell(tmp_path, limit, header=["chain 1"] * 2)
    numbers = [number for part in mine.parts() for number in part.numbers.tolist()]
    assert numbers == mine.load().numbers.tolist() == list(range(1, limit + 1))


def test_errors_come_before_the_first_part(tmp_path, in_parts):
    mine = cell(tmp_path)
    (tmp_path / "test.y").write_text("1\n2\n")
    for read in (mine.load, lambda: next(iter(mine.parts()))):
        with pytest.raises(DataError, match="has 2 ratings for 7 pairs"):
            read()
    odd = cell(tmp_path, partition="arg")
    for read in (odd.load, lambda: next(iter(odd.parts()))):
        with pytest.raises(DataError, match="7 pairs: expected an even number"):
            read()


def test_run_gives_the_same_result(cli, user, tiny, in_parts, monkeypatch):
    path = tiny / "main" / "src.test.amr"
    path.write_text(path.read_text().replace(amr(3), BROKEN))
    arguments = ("run", "metric=smatch,wlk", "data=tiny", "cache=off", "on_error=zero")
    outcomes = []
    for large in (0, 64_000_000):
        monkeypatch.setattr(cells, "LARGE", large)
        outcome = cli(*arguments, user.option, "report=json", f"out=run{large}")
        assert outcome.status == 0, outcome.err
        (scores,) = Path(f"run{large}").glob("scores.csv*")
        rows = [
            {k: v for k, v in cell.items() if k != "seconds"}
            for row in outcome.json["rows"]
            for cell in row["cells"]
        ]
        outcomes.append((rows, outcome.json["problems"], scores.read_bytes()))
    assert outcomes[0] == outcomes[1]
