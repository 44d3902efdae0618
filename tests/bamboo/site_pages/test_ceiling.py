"""The human ceiling on the leaderboard: a row below the metrics, without a rank."""

import json
import re
import shutil

import numpy as np
import pytest
from harness import SAMPLE, UserFolder, build_site

RATERS = ("r1.txt", "r2.txt", "r3.txt")


def build(folder, **partitions):
    """Build the site of the sample's Main with three raters, who are noisy copies of its ratings.

    Args:
        partitions: the files of the ratings of each.
    """
    data = folder / "data"
    data.mkdir()
    for side in ("src", "tgt"):
        shutil.copy(SAMPLE / "main" / f"{side}.test.amr", data)
    rng = np.random.default_rng(0)
    ratings = np.loadtxt(SAMPLE / "test.y")
    for name in RATERS:
        np.savetxt(data / name, np.clip(ratings + rng.normal(0, 1, len(ratings)), 0, 5))
    parts = {
        name: {"src": "src.test.amr", "tgt": "tgt.test.amr", "ratings": files}
        for name, files in partitions.items()
    }
    config = {"root": ".", "scale": [0, 5], "partitions": parts}
    UserFolder(folder).yaml("data/rated.yaml", config)
    options = "metric=[smatch,sema]", "partition=all", "resamples=50", f"--config-dir={folder}"
    return build_site(folder / "runs", folder / "out", *options, data="rated")


@pytest.fixture(scope="module")
def rated_site(tmp_path_factory):
    return build(tmp_path_factory.mktemp("rated"), main=RATERS, more=RATERS[:2])


def test_the_ceiling_is_below_the_metrics_of_every_board(rated_site):
    text = (rated_site / "index.html").read_text("utf-8")
    feet = re.findall("<tfoot>(.*?)</tfoot>", text, re.DOTALL)
    assert len(feet) == 2
    for protocol, foot in zip(("paper", "v0.2"), feet, strict=True):
        result = json.loads((rated_site / "data" / f"result-{protocol}.json").read_text("utf-8"))
        *cells, mean = result["ceiling"]
        assert [f"{cell['value']:.2f}" for cell in cells] == re.findall('"v">(.*?)<', foot)
        intervals = ["{:.2f} .. {:.2f}".format(*cell["interval"]) for cell in cells]
        assert intervals == re.findall('"i">(.*?)<', foot)
        low, high = mean["interval"]
        assert f"{mean['value']:.2f}, interval {low:.2f} to {high:.2f}" in foot
        assert "<td>–</td>" in foot  # no rank
        assert (
            "the mean over raters of the statistic of one with the others' mean."
            in result["notes"][-1]
        )
    assert text.count("human ceiling: the mean over raters of the statistic of one") == 2
    significance = (rated_site / "significance.html").read_text("utf-8")
    assert "human ceiling" not in significance


def test_a_cell_without_a_ceiling_has_a_note_and_no_value(tmp_path):
    text = (build(tmp_path, main=RATERS, more=RATERS[:1]) / "index.html").read_text("utf-8")
    foot = re.search("<tfoot>(.*?)</tfoot>", text, re.DOTALL)[0]
    assert [value == "–" for value in re.findall('"v">(.*?)<', foot)] == [False, True]
    assert "<svg" not in foot  # nor a mean
    assert text.count("rated more test: no human ceiling: one rater.") == 2


def test_boards_of_one_rater_have_no_such_row(sample_site):
    text = (sample_site / "index.html").read_text("utf-8")
    assert "<tfoot>" not in text
    assert "human ceiling" not in text


class TestInABrowser:
    """The row in a browser."""

    browsing = pytest.importorskip("browsing", reason="needs selenium: pip install -e '.[dev]'")

    def test_the_page_is_as_all_pages(self, open_page, rated_site, request):
        self.browsing.check_page(open_page("index.html", rated_site), request)

    def test_the_row_is_neither_sorted_nor_filtered(self, open_page, rated_site):
        browser, texts = open_page("index.html", rated_site), self.browsing.texts

        def rows():
            heads = texts(browser, "#board-paper :is(tbody, tfoot) th")
            return [text.split()[0] for text in heads if text]

        assert rows() == ["Smatch", "SEMA", "human"]
        self.browsing.all_of(browser, "#board-paper thead button")[1].click()
        assert rows() == ["SEMA", "Smatch", "human"]
        browser.find_element("css selector", "#filter input[type=search]").send_keys("sema")
        assert rows() == ["SEMA", "human"]
