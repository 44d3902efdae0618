"""Hostile submissions: each is refused in one line, or gives the scores that were submitted."""

import copy
import json
import resource
import tempfile
import time
from pathlib import Path

from bamboo.benchmark.cells import Cell
from bamboo.benchmark.datasets import Dataset
from bamboo.commands.base import configured
from bamboo.commands.data import known_protocols
from bamboo.errors import SubmissionError
from bamboo.submission.archive import read_submission
from bamboo.terminal import HIDDEN, visible
from tests.fuzz.campaign import command, damaged, described, home
from tests.zipped import read_zip, write_zip

ORDER = 30
SECONDS, MEGABYTES = 10, 400  # that reading one submission may take
VALUES = (
    *(None, True, False, -1, 0, 1, 63, 65, 10**6, 2**31, 2**62, 2**64, 10**39, 10**400),
    *(-0.0, 1e-320, 1e308, float("nan"), float("inf"), "", " ", "x" * 81, "x" * 100_000),
    *("\ud800", "\udfff\ud800", "\x1b[2J", "a\nb", "\u202e", "<script>", "NaN", "1_0", "٣"),
    *([], {}, [[]], {"": {}}, [None] * 9, ["a"], {"a": 1}, "AAAA", "eJwDAAAAAAE="),
)


def campaign(rng, budget):
    """Change values anywhere in a submission, its notation, or its scores."""
    tried, failures = 0, []
    with home() as folder:
        arguments = ("submit", "metric=smatch", "data=sample", "partition=main", "resamples=20")
        outcome = command(*arguments, "out=whole.zip")
        if outcome.status != 0:
            return 1, [f"submit failed: {outcome}"]
        texts = read_zip(folder / "whole.zip")
        whole = json.loads(texts["result.json"]), texts["scores.csv"]
        dataset = Dataset.from_config(configured("run", ["data=sample"]).data[0])
        reader = Reader(Cell(dataset, "main", "test"), folder / "theirs.zip")
        reader.path.write_bytes((folder / "whole.zip").read_bytes())
        reader.expected = reader.read()
        for case in budget.cases():
            text, what = hostile(rng, whole)
            tried += 1
            if problem := reader.problem(text):
                failures.append(f"case {case}: {what}: {problem}")
    return tried, failures


class Reader:
    """Reads a submission of one cell."""

    def __init__(self, cell, path):
        self.cell, self.path = cell, path
        self.pairs = {cell: cell.load()}
        self.digests = {cell: cell.digest()}
        self.protocols = known_protocols()
        self.expected = []

    def read(self):
        """The scores of the submission."""
        submission = read_submission(self.path, self.pairs, self.digests, self.protocols)
        scores = submission.cells[self.cell].scores.values.tolist()
        return scores

    def problem(self, text):
        """Why the outcome of reading a submission is not as it should be."""
        self.path.write_bytes(text)
        before, start = _peak(), time.process_time()
        try:
            scores = self.read()
        except SubmissionError as error:
            shown = visible(str(error))
            if not shown.startswith(str(self.path)) or "\n" in shown or HIDDEN.search(shown):
                return f"an unclear message: {shown[:200]!r}"
            if len(shown) > 2_000:
                return f"a message of {len(shown)} characters: {shown[:200]!r}"
            scores = self.expected
        except Exception as error:
            return described(error)
        if scores != self.expected:
            return "other scores"
        if (seconds := time.process_time() - start) > SECONDS:
            return f"{seconds:.0f} s of processor time"
        if (megabytes := _peak() - before) > MEGABYTES:
            return f"{megabytes:.0f} MB of memory"
        return None


def hostile(rng, whole):
    """A hostile submission, and what was changed."""
    document, scores = copy.deepcopy(whole[0]), whole[1]
    kind = int(rng.integers(0, 12))
    if kind == 0:
        return damaged(rng, packed(json.dumps(document), scores))
    if kind == 1:
        levels = int(rng.choice([100, 900, 5_000, 200_000]))
        text = json.dumps(document).replace('"smatch"', "[" * levels + "]" * levels, 1)
        return packed(text, scores), f"{levels} levels"
    if kind == 2:
        size = int(rng.choice([10**6, 10**8]))
        member = int(rng.integers(0, 2))
        texts = [json.dumps(document), scores]
        texts[member] += " " * size
        return packed(*texts), f"{size} spaces at the end of file {member}"
    if kind == 3:
        content, what = damaged(rng, scores.encode())
        return packed(json.dumps(document), content.decode("latin-1")), f"scores: {what}"
    if kind == 4:
        lines = scores.splitlines()
        k, column = int(rng.integers(0, len(lines))), int(rng.integers(0, 7))
        values = lines[k].split(",")
        values[column] = str(VALUES[int(rng.integers(0, len(VALUES)))])
        lines[k] = ",".join(values)
        return packed(json.dumps(document), "\n".join(lines)), f"line {k}: {values[column][:20]!r}"
    changes = [_change(rng, document) for _ in range(int(rng.integers(1, 3)))]
    return packed(json.dumps(document), scores), "; ".join(changes)


def packed(document, scores):
    """The bytes of a submission."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {"result.json": document, "scores.csv": scores}
        return write_zip(Path(folder, "theirs.zip"), texts).read_bytes()


def _change(rng, document):
    """Replace, remove or add one value somewhere in a document."""
    parent, key, at = document, None, ""
    value = document
    while isinstance(value, dict | list) and value and (key is None or rng.integers(0, 8)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        parent, key = value, keys[int(rng.integers(0, len(keys)))]
        value = parent[key]
        at += f".{key}"
    kind = int(rng.integers(0, 6))
    if kind == 0 and key is not None:
        del parent[key]
        return f"without {at}"
    if kind == 1 and isinstance(parent, list):
        parent.append(copy.deepcopy(value))
        return f"{at} twice"
    new = VALUES[int(rng.integers(0, len(VALUES)))]
    if kind == 2 and isinstance(value, float):
        new = value + float(rng.normal())
    if key is not None:
        parent[key] = new
    return f"{at} = {str(new)[:20]!r}"


def _peak():
    """The most memory that this process has used, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
