"""Correlations on buckets of pairs: ``run by=``."""

import csv
import io
import math

import numpy as np
import pytest
from scipy.stats import t

import bamboo
from bamboo.display.table import render
from bamboo.errors import BambooError

CAT = "(s / sleep-01 :ARG0 (c / cat))"
KITTEN = "(s / sleep-01 :ARG0 (k / kitten))"
RAIN = "(r / rain-01)"
# The scores of Smatch: matched triples 4 of 4, 3 of 4, and none.
SCORES = {CAT: 1.0, KITTEN: 0.75, RAIN: 0.0}
# Genre, graph that is compared with CAT, rating.
ROWS = [
    *(("captions", CAT, 5), ("captions", KITTEN, 4), ("captions", RAIN, 1)),  # on a line
    *(("headlines", CAT, 1), ("headlines", RAIN, 5)),
    *(("news", CAT, 4), ("news", KITTEN, 1), ("news", RAIN, 1)),
    *(("forum", CAT, 2), ("forum", CAT, 4), ("forum", RAIN, 1), ("forum", RAIN, 3)),
]
VALUES = {
    "captions": 100.0,
    "forum": 100 / math.sqrt(5),  # products 4 * 0.25; squares 4 * 0.25 and 5
    "headlines": -100.0,
    "news": 100 * 15 / math.sqrt(78 * 6),  # deviations 5 2 -7 (twelfths) and 2 -1 -1
}
MACRO = sum(VALUES.values()) / 4


def write_csv(path, rows=ROWS):
    lines = [
        f"p{k},{graph},{CAT},{rating},{genre}" for k, (genre, graph, rating) in enumerate(rows)
    ]
    path.write_text("\n".join(["id,src,tgt,rating,genre", *lines]) + "\n")


def list_values(document):
    (cell,) = document["rows"][0]["cells"]
    return {bucket["bucket"]: bucket["value"] for bucket in cell["buckets"]}


def run_in_python(folder, rows=ROWS, by="genre", **options):
    """The results of rows, in buckets."""
    write_csv(folder / "mine.csv", rows)
    file = {"file": str(folder / "mine.csv")}
    return bamboo.run(data="csv", data_options=file, by=by, out=folder / "out", **options)


def test_four_buckets_and_their_mean_by_hand(home):
    document = run_in_python(home).to_json()
    assert document["by"] == "genre"
    assert list_values(document) == pytest.approx({**VALUES, "(macro)": MACRO})
    sizes = {b["bucket"]: b["n"] for b in document["rows"][0]["cells"][0]["buckets"]}
    assert sizes == {"captions": 3, "forum": 4, "headlines": 2, "news": 3, "(macro)": 12}


def test_every_form_has_the_buckets(home):
    results = run_in_python(home)
    rows = [*csv.DictReader(io.StringIO(render(results.tables(), "csv")))]
    assert [row["bucket"] for row in rows] == ["(all)", *VALUES, "(macro)"]
    assert [float(row["measured"]) for row in rows[1:]] == pytest.approx([*VALUES.values(), MACRO])
    for out, line in (
        (str(results), "smatch   (macro)         –      28.51"),
        (
            results.to_markdown(),
            "| smatch | csv | main | test | pearson | (macro) | – | 28.51 | – | – |",
        ),
        (
            results.to_latex(),
            "smatch & csv & main & test & pearson & (macro) & -- & 28.51 & -- & -- \\\\",
        ),
    ):
        assert line in out
        assert "by genre" in out
        assert "(macro): mean of 4 buckets." in out


def test_a_run_with_buckets_is_loaded_again(home):
    first = run_in_python(home, ci=True, resample="pairs")
    again = bamboo.load_result(home / "out")
    assert again == first
    assert str(again) == str(first)
    frame = again.buckets_frame()
    assert frame["bucket"].tolist() == [*VALUES, "(macro)"]
    assert frame["value"].tolist() == pytest.approx([*VALUES.values(), MACRO])
    assert len(again.to_frame()) == 1
    assert len(again.pair_scores()) == len(ROWS)


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_buckets_of_a_file_of_ids(home):
    lines = [f"p{k}\t{'first' if k < 5 else 'second'}" for k in range(len(ROWS) - 1)]
    (home / "by.tsv").write_text("\n".join(lines))
    document = run_in_python(home, by=home / "by.tsv").to_json()
    values = list_values(document)
    assert [*values] == ["first", "second", "(none)", "(macro)"]
    scores, ratings = ([SCORES[g] for _, g, _ in ROWS], [r for *_, r in ROWS])
    first, second = (np.corrcoef(scores[a:b], ratings[a:b])[0, 1] for a, b in ((0, 5), (5, 11)))
    assert values["first"] == pytest.approx(100 * first)
    assert values["(macro)"] == pytest.approx(50 * (first + second))
    assert values["(none)"] is None  # one pair
    assert "(macro): mean of 2 buckets; without (none)." in document["notes"]
    with pytest.raises(BambooError, match="by=topic: no graph has such a line of metadata"):
        run_in_python(home, by="topic")


def test_classes_of_size_have_no_mean(home):
    document = bamboo.run(data="sample", by="size").to_json()
    buckets = document["rows"][0]["cells"][0]["buckets"]
    assert all(bucket["bucket"].endswith((" node", " nodes")) for bucket in buckets)
    assert sum(bucket["n"] for bucket in buckets) == 64


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_the_mean_is_over_buckets_whose_ratings_differ(home):
    more = [("chat", CAT, 2), ("chat", RAIN, 2), ("web", CAT, 3)]
    results = run_in_python(home, [*ROWS, *more])
    values = list_values(results.to_json())
    assert (values["chat"], values["web"]) == (None, None)
    assert values["(macro)"] == pytest.approx(MACRO)
    out = str(results)
    assert "(macro): mean of 4 buckets; without chat and web: fewer than two pairs, or" in out
    assert "smatch csv main: no pearson on chat and web: fewer than two pairs" in out


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_a_metric_without_a_value_on_a_bucket_has_no_mean(home):
    more = [("chat", CAT, 2), ("chat", CAT, 3)]  # the same scores
    results = run_in_python(home, [*ROWS, *more])
    values = list_values(results.to_json())
    assert (values["chat"], values["(macro)"]) == (None, None)
    assert "smatch csv main: no pearson on chat and (macro)" in str(results)


def test_altered_pairs_are_in_the_bucket_of_their_originals(home):
    results = bamboo.run(data="sample", partition="arg", protocol="v0.2", by="size")
    buckets = results.to_json()["rows"][0]["cells"][0]["buckets"]
    assert all(bucket["n"] % 2 == 0 for bucket in buckets)
    assert sum(bucket["n"] * bucket["value"] for bucket in buckets) / 26 == pytest.approx(92.307692)


def test_the_interval_of_the_mean_is_that_of_the_jackknife(home):
    ratings = {"a": [5, 2, 4, 1, 3], "b": [3, 5, 1, 4, 2], "c": [4, 3, 2, 2, 1]}
    graphs = [CAT, KITTEN, RAIN, RAIN, KITTEN]
    rows = [(g, *pair) for g in ratings for pair in zip(graphs, ratings[g], strict=True)]
    results = run_in_python(home, rows, ci=True, resample="pairs")
    macro = results.buckets_frame().set_index("bucket").loc["(macro)"]

    def average(kept):
        values = []
        for genre in ratings:
            pairs = [(SCORES[graph], rating) for name, graph, rating in kept if name == genre]
            values.append(np.corrcoef(np.transpose(pairs))[0, 1])
        return 100 * np.mean(values)

    count = len(rows)
    others = np.array([average(rows[:k] + rows[k + 1 :]) for k in range(count)])
    error = math.sqrt((count - 1) / count * ((others - others.mean()) ** 2).sum())
    half = t.ppf(0.975, count - 1) * error
    assert macro["value"] == pytest.approx(average(rows))
    assert macro["low"] == pytest.approx(average(rows) - half)
    assert macro["high"] == pytest.approx(min(100, average(rows) + half))
    assert macro["resample"] == "jackknife"
