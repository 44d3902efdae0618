"""Intervals and tests that draw clusters of pairs that share sentences."""

from functools import partial

import numpy as np
import pytest
from harness import build_site, scored_cell
from hypothesis import given
from hypothesis import strategies as st

from bamboo.api.data import resolve_datasets
from bamboo.benchmark.cells import Cell, chosen_cells
from bamboo.benchmark.protocols import Protocol
from bamboo.errors import BambooWarning
from bamboo.results import clusters
from bamboo.results.clusters import connect_items, find_clusters
from bamboo.results.evaluate import cell_sample
from bamboo.statistics import sample
from tests.bamboo.page_data import data_of

RATINGS = [0, 0.1, 0.4, 0.3, 0.8, 1, 0.7, 0.6]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8]
# Pairs 0, 2 and 5 share sentences, 2 and 5 only through 0; 3 and 7 share one on different sides.
SHARED = [
    *[("a", "b"), ("c", "d"), ("a", "e"), ("f", "g")],
    *[("h", "i"), ("j", " b"), ("k", "l"), ("g", "m")],
]
CLUSTERS = [0, 1, 0, 2, 3, 0, 4, 2]
DISTINCT = [(f"{side} {k}", f"{side} {k} again") for k, side in enumerate("abcdefgh")]


def cells(user):
    return chosen_cells(resolve_datasets("toy", config_dir=user.path), "all", "test")


@given(st.lists(st.sets(st.sampled_from("abcdefghijkl"), max_size=2), min_size=1, max_size=12))
def test_items_are_connected_by_paths_of_common_texts(items):
    numbers = connect_items(items)
    expected = list(range(len(items)))  # joined one by one
    for k, texts in enumerate(items):
        for j in range(k):
            if texts & items[j]:
                old, new = expected[k], expected[j]
                expected = [new if number == old else number for number in expected]
    assert numbers.tolist() == [list(dict.fromkeys(expected)).index(number) for number in expected]


def test_pairs_that_share_sentences_are_a_cluster(user):
    user.data("toy", SIZES, RATINGS, ("main", "reify"), SHARED)
    main, reify = cells(user)
    of_cells = find_clusters([main, reify], "sentences", "stop")
    assert of_cells[main].tolist() == of_cells[reify].tolist() == CLUSTERS
    assert find_clusters([main], "pairs", "stop") == {}


def test_altered_and_original_pairs_stay_together(user):
    names = [("a", "b"), ("a", "b"), ("c", "d"), ("c", "d"), ("e", "b"), ("e", "b")]
    user.data("toy", SIZES[:6], [], ("arg",), names)
    (arg,) = cells(user)
    assert find_clusters([arg], "sentences", "stop")[arg].tolist() == [0, 0, 1, 1, 0, 0]


def test_altered_pairs_without_sentences_have_those_of_main(monkeypatch):
    (dataset,) = resolve_datasets("sample")
    seen = []
    monkeypatch.setattr(
        clusters, "connect_items", lambda texts: [seen.append(texts), connect_items(texts)][1]
    )
    assert find_clusters([Cell(dataset, "arg", "test")], "sentences", "stop") == {}
    (couples,) = seen
    assert len(couples) == 13
    assert all(len(texts) == 2 and " " in "".join(texts) for texts in couples)


def test_graphs_take_the_place_of_sentences(user):
    root = user.data("toy", SIZES, RATINGS)
    graphs = (root / "main" / "src.test.amr").read_text().split("\n\n")
    graphs[4] = graphs[1].replace(" :ARG0", "\n    :ARG0")
    (root / "main" / "src.test.amr").write_text("\n\n".join(graphs))
    (main,) = cells(user)
    assert find_clusters([main], "sentences", "stop")[main].tolist() == [0, 1, 2, 3, 1, 4, 5, 6]


def test_a_pair_that_cannot_be_read_has_the_cluster_of_the_same_pair_elsewhere(user):
    root = user.data("toy", SIZES, RATINGS, ("main", "reify"), SHARED)
    path = root / "reify" / "src.test.amr"
    graphs = path.read_text().split("\n\n")
    path.write_text("\n\n".join([*graphs[:2], "(a / b :c (", *graphs[3:]]))
    main, reify = cells(user)
    of_cells = find_clusters([main, reify], "sentences", "nan")
    assert of_cells[main].tolist() == of_cells[reify].tolist() == CLUSTERS


def test_a_pair_without_a_sentence_is_reported(user):
    user.data("toy", SIZES, RATINGS, sentences=[("", "b"), ("", ""), *SHARED[2:]])
    (main,) = cells(user)
    with pytest.warns(BambooWarning, match="toy main test: 2 pairs lack a sentence"):
        of_cells = find_clusters([main], "sentences", "stop")
    assert of_cells[main].tolist() == [0, 1, 2, 3, 4, 0, 5, 3]


@pytest.mark.parametrize("resample", ["pairs", "sentences"])
def test_pairs_that_all_share_a_sentence_have_no_intervals(user, resample, recwarn):
    user.data("toy", SIZES, RATINGS, sentences=[("a", "b")] * 8)
    results = user.run(data="toy", ci=True, resample=resample)
    (cell,) = results.to_json()["rows"][0]["cells"]
    (column,) = user.compare(data="toy", resample=resample).to_json()["columns"]
    has_interval = resample == "pairs"
    assert cell["value"] is not None
    assert ("interval" in cell) == (column["p"][0][1] is not None) == has_interval
    assert (column["bounds"][0][1][0] is not None) == has_interval
    reasons = [str(entry.message) for entry in recwarn if "all pairs share sent" in str(entry)]
    assert len(reasons) == (0 if has_interval else 2)
    assert all(reason.startswith("toy main test: ") for reason in reasons)


@pytest.mark.parametrize("sentences", [DISTINCT, []])
def test_pairs_that_share_nothing_give_the_results_of_pairs_to_the_last_bit(user, sentences):
    user.data("toy", SIZES, RATINGS, ("main", "arg"), sentences)
    for command in (user.compare, partial(user.run, ci=True)):
        pairs, shared = (
            command(data="toy", partition="all", resample=resample).to_json()
            for resample in ("pairs", "sentences")
        )
        for document in (pairs, shared):
            del document["cache"]
            for row in document.get("rows", []):
                for cell in row["cells"]:
                    del cell["seconds"], cell["cached"]
        assert pairs == shared
        assert pairs["resample"] == "jackknife"  # over pairs, since they are few


def test_shared_sentences_change_intervals_but_no_value(user, monkeypatch):
    user.data("toy", SIZES, RATINGS, ("main", "reify"), SHARED)
    row_of = {}
    for resample, few in (("pairs", 2), ("jackknife", 200), ("sentences", 2)):
        monkeypatch.setattr(sample, "FEW", few)
        asked = "pairs" if resample == "pairs" else "sentences"
        results = user.run(data="toy", partition="main,reify", ci=True, resample=asked)
        document = results.to_json()
        (row_of[resample],) = document["rows"]
        assert document["resample"] == row_of[resample]["cells"][0]["resample"] == resample
        assert f"95 %: {resample} (" in str(results)
        compared = user.compare(data="toy", resample=asked).to_json()
        assert compared["resample"] == compared["columns"][0]["resample"] == resample
        has_check = compared["columns"][0]["check"][0][1] is not None
        assert has_check == (resample == "pairs")
    cell, mean = ("pairs", "sentences", "jackknife"), "mean of 2 cells"
    assert len({row_of[name]["cells"][0]["value"] for name in cell}) == 1
    assert len({tuple(row_of[name]["cells"][0]["interval"]) for name in cell}) == 3
    assert len({tuple(row_of[name]["intervals"][mean]) for name in cell}) == 3


def test_a_statistic_sees_the_pairs_in_one_order(user):
    """Sorted by cluster, as pairs are drawn, this one would have another value."""
    user.data("toy", SIZES, RATINGS, sentences=SHARED)
    (user.path / "ordered.py").write_text(
        "def ordered(scores, ratings):\n"
        "    return sum(k * rating for k, rating in enumerate(ratings)) / 100\n",
        "utf-8",
    )
    protocol = {"name": "ordered", "statistic": {"main": "ordered.ordered"}, "published": None}
    user.yaml("protocol/ordered.yaml", protocol)
    results = user.run(data="toy", protocol="ordered")
    compared = user.compare(data="toy", protocol="ordered")
    assert [row.value for row in results.board.scores] == pytest.approx([18.4])
    assert [row.value for row in compared.board.scores] == pytest.approx([18.4, 18.4])


def test_sentences_are_the_default(user):
    user.data("toy", SIZES, RATINGS, sentences=SHARED)
    for results in (user.run(data="toy", ci=True), user.compare(data="toy")):
        assert results.to_json()["resample"] == "jackknife"


def test_an_original_counts_only_with_its_altered_pair(user):
    user.data("toy", SIZES, [], ("arg",), SHARED)
    (arg,) = cells(user)
    numbers, scores = np.arange(8), np.random.default_rng(0).random(8)
    of_metric = scored_cell(scores, np.tile([0.0, 1.0], 4), numbers)
    protocol = Protocol("p", {"main": "pearson", "arg": "pearson"}, None)
    sample = cell_sample(arg, [of_metric], protocol, {3}, {arg: numbers // 4})
    assert sample.present.tolist() == [1, 1, 0, 0, 1, 1, 1, 1]
    assert sample.n_clusters == 2
    assert sample.sums[:, 0].tolist() == [2, 4]  # pairs in each cluster


def test_a_site_draws_what_compare_draws(tmp_path, user, cli):
    site = build_site(tmp_path / "runs", tmp_path / "site", "metric=[smatch,sema]")
    assert "Tests and intervals draw pairs" in (site / "index.html").read_text()
    user.data("toy", SIZES, RATINGS, sentences=SHARED)
    words = ["metric=[smatch,sema]", "data=toy", "permutations=99", user.option]
    cli("site", *words, f"out={tmp_path / 'toy'}", "engine=serial")
    page = (tmp_path / "toy" / "significance.html").read_text()
    assert "resamples of clusters" in page
    assert "The check is" not in page
    p = user.compare(data="toy").to_json()["columns"][0]["p"][0][1]
    assert f"'p': '{p:.4f}'" in str(data_of(tmp_path / "toy", "significance"))
