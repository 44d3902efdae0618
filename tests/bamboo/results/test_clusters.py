"""Intervals and tests that draw clusters of pairs that share sentences."""

import numpy as np
import pytest
from harness import build_site
from hypothesis import given
from hypothesis import strategies as st

from amr_metrics.base import Scores
from bamboo.benchmark.cells import Cell, chosen_cells
from bamboo.benchmark.protocols import Protocol
from bamboo.errors import BambooWarning, StatisticsError
from bamboo.results.clusters import clusters_of, connected
from bamboo.results.evaluate import cell_sample
from bamboo.scoring.cache import CellScores
from tests.configured import configured

RATINGS = [0, 0.1, 0.4, 0.3, 0.8, 1, 0.7, 0.6]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8]
# Pairs 0, 2 and 5 share sentences, 2 and 5 only through 0; 3 and 7 share one on different sides.
SHARED = [
    *[("a", "b"), ("c", "d"), ("a", "e"), ("f", "g")],
    *[("h", "i"), ("j", " b"), ("k", "l"), ("g", "m")],
]
CLUSTERS = [0, 1, 0, 2, 3, 0, 4, 2]
DISTINCT = [(f"{side} {k}", f"{side} {k} again") for k, side in enumerate("abcdefgh")]
COMPARE = ["compare", "metric=[smatch,sema]", "permutations=99", "report=json"]


def cells(user, partition="all", on_error="stop"):
    words = ["data=toy"]
    (config,) = configured("run", words, str(user.path)).data
    return chosen_cells([config], partition, "test")


@given(st.lists(st.sets(st.sampled_from("abcdefghijkl"), max_size=2), min_size=1, max_size=12))
def test_items_are_connected_by_paths_of_common_texts(items):
    found = connected(items)
    expected = list(range(len(items)))  # joined one by one
    for k, texts in enumerate(items):
        for j in range(k):
            if texts & items[j]:
                old, new = expected[k], expected[j]
                expected = [new if number == old else number for number in expected]
    assert found.tolist() == [list(dict.fromkeys(expected)).index(number) for number in expected]


def test_pairs_that_share_sentences_are_a_cluster(user):
    user.data("toy", SIZES, RATINGS, ("main", "reify"), SHARED)
    main, reify = cells(user)
    found = clusters_of([main, reify], "sentences", "stop")
    assert found[main].tolist() == found[reify].tolist() == CLUSTERS
    assert clusters_of([main], "pairs", "stop") == {}


def test_altered_and_original_pairs_stay_together(user):
    names = [("a", "b"), ("a", "b"), ("c", "d"), ("c", "d"), ("e", "b"), ("e", "b")]
    user.data("toy", SIZES[:6], [], ("arg",), names)
    (arg,) = cells(user)
    assert clusters_of([arg], "sentences", "stop")[arg].tolist() == [0, 0, 1, 1, 0, 0]


def test_altered_pairs_without_sentences_have_those_of_main():
    dataset = configured("run", ["data=sample"]).data[0]
    arg = Cell(dataset, "arg", "test")
    found = clusters_of([arg], "sentences", "stop")[arg]
    assert found.tolist() == np.repeat(found[::2], 2).tolist()
    assert len(set(found.tolist())) > 2


def test_a_pair_that_cannot_be_read_has_the_cluster_of_the_same_pair_elsewhere(user):
    root = user.data("toy", SIZES, RATINGS, ("main", "reify"), SHARED)
    path = root / "reify" / "src.test.amr"
    graphs = path.read_text().split("\n\n")
    path.write_text("\n\n".join([*graphs[:2], "(a / b :c (", *graphs[3:]]))
    main, reify = cells(user)
    found = clusters_of([main, reify], "sentences", "nan")
    assert found[main].tolist() == found[reify].tolist() == CLUSTERS


def test_a_pair_without_a_sentence_is_reported(user):
    user.data("toy", SIZES, RATINGS, sentences=[("", "b"), *SHARED[1:]])
    (main,) = cells(user)
    with pytest.warns(BambooWarning, match="toy main test: 1 pair lacks a sentence"):
        found = clusters_of([main], "sentences", "stop")
    assert found[main].tolist() == [0, 1, 2, 3, 4, 0, 5, 3]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "toy main test has no sentences, which resample=sentences needs: add them .* # ::snt"),
        ([("a", "b")] * 8, "toy main test: all pairs share sentences.* use resample=pairs"),
    ],
)
def test_data_without_clusters_are_refused(user, cli, sentences, message):
    user.data("toy", SIZES, RATINGS, sentences=sentences)
    with pytest.raises(StatisticsError, match=message):
        clusters_of(cells(user), "sentences", "stop")
    for command in (["run", "ci=true"], COMPARE[:2]):
        outcome = cli(*command, "data=toy", "resample=sentences", user.option)
        assert outcome.status == 1
        assert "resample=pairs" in outcome.err
        assert cli(*command, "data=toy", user.option).status == 0
    assert cli("run", "data=toy", "resample=sentences", user.option).status == 0  # no intervals


def test_distinct_sentences_give_the_results_of_pairs_to_the_last_bit(user, cli):
    user.data("toy", SIZES, RATINGS, ("main", "reify", "arg"), DISTINCT)
    command = [*COMPARE, "data=toy", "partition=all", "protocol=v0.2", user.option]
    pairs, sentences = (
        cli(*command, f"resample={resample}").json for resample in ("pairs", "sentences")
    )
    assert [document.pop("resample") for document in (pairs, sentences)] == ["pairs", "sentences"]
    for document in (pairs, sentences):
        del document["cache"]
        checks = [column.pop("check") for column in document["columns"]]
        known = {value for check in checks for row in check for value in row}
        assert (known == {None}) == (document is sentences)
    assert pairs == sentences
    command = ["run", "data=toy", "partition=all", "ci=true", "report=json", user.option]
    pairs, sentences = (
        cli(*command, f"resample={resample}").result for resample in ("pairs", "sentences")
    )
    assert [document.pop("resample") for document in (pairs, sentences)] == ["pairs", "sentences"]
    assert pairs["rows"][0]["cells"][0]["interval"]
    for document in (pairs, sentences):
        for cell in document["rows"][0]["cells"]:
            del cell["seconds"]
    assert pairs == sentences


def test_shared_sentences_change_intervals_but_no_value(user, cli):
    user.data("toy", SIZES, RATINGS, ("main", "reify"), SHARED)
    command = ["run", "data=toy", "partition=main,reify", "ci=true", user.option]
    found = {}
    for resample in ("pairs", "sentences"):
        found[resample] = cli(*command, f"resample={resample}", "report=json").json["rows"][0]
        out = cli(*command, f"resample={resample}").out
        drawn = "pairs" if resample == "pairs" else "clusters of pairs that share sentences"
        assert f"95 %: bootstrap of {drawn}." in out
    pairs, sentences = (found[name]["cells"][0] for name in ("pairs", "sentences"))
    assert pairs["value"] == sentences["value"]
    assert pairs["interval"] != sentences["interval"]
    assert found["pairs"]["intervals"] != found["sentences"]["intervals"]


def test_an_original_counts_only_with_its_altered_pair(user):
    user.data("toy", SIZES, [], ("arg",), SHARED)
    (arg,) = cells(user)
    numbers, scores = np.arange(8), np.random.default_rng(0).random(8)
    one = CellScores(Scores(scores), np.tile([0.0, 1.0], 4), numbers, {}, 1.0)
    protocol = Protocol("p", {"main": "pearson", "arg": "pearson"}, None)
    sample = cell_sample(arg, [scores], one, protocol, {3}, {arg: numbers // 4})
    assert sample.present.tolist() == [1, 1, 0, 0, 1, 1, 1, 1]
    assert sample.units == 2
    assert sample.sums[:, 0].tolist() == [2, 4]  # pairs in each cluster


def test_a_site_draws_sentences_if_the_data_have_them(tmp_path, user, cli):
    site = build_site(tmp_path / "runs", tmp_path / "site", "metric=[smatch,sema]")
    page = (site / "significance.html").read_text()
    assert "resamples of clusters" in page
    assert "The check is" not in page
    page = (build_site(tmp_path / "runs", tmp_path / "pairs", "resample=pairs")) / "index.html"
    assert "Tests and intervals draw pairs" in page.read_text()
    user.data("toy", SIZES, RATINGS)
    command = ["site", "data=toy", "permutations=99", f"out={tmp_path / 'toy'}", user.option]
    outcome = cli(*command, "engine=serial")
    assert "intervals and tests draw pairs: toy main test has no sentences" in outcome.err
    assert "The check is" in (tmp_path / "toy" / "significance.html").read_text()
    assert cli(*command, "engine=serial", "resample=sentences").status == 1
