"""Metrics with missing pairs on the site: shown apart, and without any effect on other rows."""

import json
import re

from harness import build_site

from tests.bamboo.page_data import data_of


def leaderboards(site):
    """The bodies of the leaderboards, and the charts below."""
    text = (site / "index.html").read_text("utf-8")
    tables = re.findall(r'<table class="numbers sortable.*?</table>', text, re.DOTALL)
    charts = re.findall(r'<svg class="chart cost".*?</svg>', text, re.DOTALL)
    assert len(tables) == len(charts) == 2
    return tables, charts


def results(site, protocol):
    rows = json.loads((site / "data" / f"result-{protocol}.json").read_text("utf-8"))["rows"]
    return {row["metric"]: row for row in rows}


def cells(site):
    return data_of(site, "cells/sample-main")


def test_other_rows_are_the_same_to_the_byte(sites):
    without, with_gaps = sites
    assert leaderboards(without) == leaderboards(with_gaps)
    for name in ("data/significance.js", "metric/smatch.html", "metric/whole.html"):
        assert (without / name).read_bytes() == (with_gaps / name).read_bytes()
    for protocol in ("paper", "v0.2"):
        before, after = (results(site, protocol) for site in sites)
        assert before == {name: after[name] for name in before}
    before, after = map(cells, sites)
    for key in ("scores", "ranks"):
        assert before[key] == {slug: after[key][slug] for slug in before[key]}


def test_metrics_with_missing_pairs_are_shown_in_a_separate_table(sites):
    for board in leaderboards(sites[1])[0]:
        assert "gaps" not in board
        assert "nothing" not in board
    text = (sites[1] / "index.html").read_text("utf-8")
    apart = re.findall(r'<table class="numbers apart.*?</table>', text, re.DOTALL)
    assert len(apart) == 2
    for table in apart:
        plain = " ".join(re.sub(r"<[^>]+>", " ", table).split())
        assert "gaps 61 100.00 on 3 of 64" in plain
        assert "nothing 64 – on 0 of 64" in plain
    assert "61 pairs have no score." in (sites[1] / "metric" / "gaps.html").read_text("utf-8")
    assert "gaps (61)" in (sites[1] / "significance.html").read_text("utf-8")


def test_a_site_with_only_missing_pairs_is_built(cli, user, tiny, home):
    user.metric("refusing", "Refusing")
    options = ("data=tiny", "engine=serial", "on_error=nan", "permutations=20", "resamples=20")
    outcome = cli("site", "metric=refusing", *options, user.option, "out=out")
    assert outcome.status == 0, outcome.err
    assert "Metrics with missing pairs" in (home / "out/index.html").read_text("utf-8")


def test_scores_in_a_file_have_no_speed(sites):
    board = leaderboards(sites[0])[0][0]
    row = re.search(r"<tr[^>]*>(?:(?!</tr>).)*whole.*?</tr>", board, re.DOTALL)[0]
    assert re.search(r'<td data-v="">–</td>\s*</tr>$', row)
    assert "whole" not in leaderboards(sites[0])[1][0]
    assert "Speed" not in (sites[0] / "metric" / "whole.html").read_text("utf-8")
    assert "Speed" in (sites[0] / "metric" / "smatch.html").read_text("utf-8")


def test_the_leaderboard_marks_rows_of_one_seed(tmp_path):
    draws = ("permutations=20", "resamples=20")
    out = build_site(
        tmp_path / "runs", tmp_path / "out", "metric=[smatch,sema]", "solver=hillclimb", *draws
    )
    text = (out / "index.html").read_text("utf-8")
    assert text.count('<span class="tag">seed 0</span>') == 2  # smatch under both protocols
    assert "another seed gives different values" in text
    (page,) = (out / "metric").glob("smatch*.html")
    assert "seed 0" in page.read_text("utf-8")
    assert "seed 0" not in (out / "metric" / "sema.html").read_text("utf-8")
