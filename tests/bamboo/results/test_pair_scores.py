"""The score of every pair: scores.csv."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from harness import scored_cell, written_scores
from hypothesis import given
from hypothesis import strategies as st

import bamboo
from amr_metrics.base import Scores
from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell
from bamboo.results.pair_scores import write_scores

(SAMPLE,) = resolve_datasets("sample")
MAIN, ARG = Cell(SAMPLE, "main", "test"), Cell(SAMPLE, "arg", "test")


def cell(values, ratings, **details):
    columns = {name: np.asarray(column) for name, column in details.items()}
    numbers = np.arange(len(values)) + 7
    scores = Scores(np.array(values, float), columns)
    return scored_cell(scores, ratings, numbers)


def plain_csv(scored):
    """scores.csv as Python's csv module writes it."""
    names = ("matches", "upper_bound", "optimal")
    details = [d for d in names if any(d in c.scores.details for c in scored.values())]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = ("metric", "dataset", "partition", "split", "pair", "score", "rating")
    writer.writerow([*columns, *details])
    for (name, where), of_cell in scored.items():
        for k, number in enumerate(of_cell.pairs.numbers.tolist()):
            more = [
                of_cell.scores.details[d].tolist()[k] if d in of_cell.scores.details else ""
                for d in details
            ]
            score, rating = of_cell.scores.values.tolist()[k], of_cell.pairs.ratings.tolist()[k]
            first = (name, where.dataset.name, where.partition, where.split)
            writer.writerow([*first, number, score, rating, *more])
    return text.getvalue()


numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 1.0, 0.1, 1e-5, 1e-4, 1e15, 1e16, 1e22, 5e-324]),
)


@given(st.lists(st.tuples(numbers, numbers, numbers, st.booleans()), min_size=1, max_size=20))
def test_scores_csv_has_every_digit_that_python_writes(tmp_path_factory, rows):
    values, ratings, matches, optimal = zip(*rows, strict=True)
    scored = {
        ('label "a", b', MAIN): cell(values, ratings, matches=matches, optimal=optimal),
        ("without details", MAIN): cell(ratings, values),
        ("é", ARG): cell(values, ratings, matches=np.array([1] * len(rows)), hidden=matches),
        ("float32", ARG): cell(values, ratings, upper_bound=np.full(len(rows), 0.1, np.float32)),
    }
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    write_scores(scored, path)
    assert path.read_bytes() == plain_csv(scored).encode()


def test_scores_csv_has_the_ids_and_sentences_of_the_graphs(home):
    arguments = ["smatch", "wlk"], "sample", "main,arg"
    bamboo.run(*arguments, out=home / "o")
    frame = pd.read_csv(home / "o/scores.csv", keep_default_na=False)
    for where in (MAIN, ARG):
        pair_set = where.load()
        for metric in ("smatch", "wlk"):
            rows = frame[(frame["metric"] == metric) & (frame["partition"] == where.partition)]
            graphs = [pair for pair in pair_set.pairs if pair is not None]
            assert rows["id"].tolist() == [int(pair.src.metadata["id"]) for pair in graphs]
            assert rows["src_sentence"].tolist() == [pair.src.sentence for pair in graphs]
            assert rows["tgt_sentence"].tolist() == [pair.tgt.sentence for pair in graphs]
    again = bamboo.run(*arguments, out=home / "o")
    assert "4 of 4 cells from cache" in str(again)
    assert frame.equals(pd.read_csv(home / "o/scores.csv", keep_default_na=False))


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_ids_and_sentences_of_some_graphs_only(user):
    root = user.data("own", [1, 2, 3], [0, 0.5, 1])
    (root / "main/src.test.amr").write_text(
        '# ::id x1\n(a / b)\n\n# ::snt A, "b".\n(a / b)\n\n(a / b', "utf-8"
    )
    tgt = "(a / b)\n\n# ::id y2\n(a / b)\n\n# ::id y3\n# ::snt C.\n(a / b)\n"
    (root / "main/tgt.test.amr").write_text(tgt, "utf-8")
    rows = written_scores(user.run("size", "own", on_error="nan").folder)
    # There is no second sentence: the only graph with one belongs to the pair that is missing.
    assert "tgt_sentence" not in rows[0]
    texts = [(row["id"], row["src_sentence"], row["score"]) for row in rows]
    assert texts == [("x1", "", "1.0"), ("y2", 'A, "b".', "1.0"), ("", "", "nan")]
