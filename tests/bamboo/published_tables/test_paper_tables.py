"""Published score tables: their rows, and what becomes of seeds."""

import re
from inspect import signature

import pytest
from harness import results_of

from amr_metrics import get
from bamboo.api import site as site_api
from bamboo.api import tables as tables_api
from bamboo.benchmark.columns import TWELVE
from bamboo.benchmark.protocols import read_protocol
from bamboo.config.groups import compose_group
from bamboo.config.requests import resolve_rows
from bamboo.config.rows import Row
from bamboo.display.table import render
from bamboo.errors import ConfigError
from bamboo.published_tables import reproduce
from bamboo.published_tables.gain_table import reproduce_gains
from bamboo.published_tables.inputs import Inputs
from bamboo.published_tables.requests import choose_rows, leave_out
from bamboo.published_tables.score_tables import (
    TableSpec,
    collect_values,
    find_randomness,
    summary_table,
    vary_seeds,
)
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings
from bamboo.statistics.resampling import Significance
from tests.configured import configured

SPEC = {
    "title": "T",
    "protocol": "paper",
    "published": "table4.csv",
    "cells": True,
    "rows": [{"name": "smatch"}, {"name": "wwlk", "metric": "wwlk_2021"}],
}
SEEDS = {"drawn": [0, 1], "trained": [0]}


def same_in_all_cells(**values):
    """Results with the same value in all cells of a metric; 100 pairs in half a second."""
    same = {"split": "test", "pairs": 100, "seconds": 0.5}
    return results_of(
        [
            {"metric": name, "dataset": d, "partition": p, "value": value, **same}
            for name, value in values.items()
            for d, p in TWELVE
        ]
    )


@pytest.fixture
def measured():
    results = same_in_all_cells(**{"smatch": 50.0, "wwlk#0": 40.0, "wwlk#1": 44.0})
    return TableSpec.from_config(SPEC), results, SEEDS


def test_values_of_seeds_are_collected(measured):
    values = collect_values(*measured)
    assert values["smatch", "main_sts"] == values["smatch", "amean"] == [50]
    assert values["wwlk", "arg_para"] == [40, 44]


def test_measured_published_and_difference(measured):
    best = {"main_sts": ["smatch"], "amean": ["smatch", "wwlk"]}
    table = summary_table(*measured, best, {}, ("a note",))
    assert table.rows[0][-1] == 12 * 100 / (12 * 0.5)
    assert table.best == {(0, 2), (0, 14), (3, 14)}
    assert [line[1] for line in table.rows] == [
        *("measured", "published", "difference"),
        *("measured", "sd, 2 seeds", "published", "difference"),
    ]
    assert table.rows[2][2] == pytest.approx(50 - 58.45)
    assert table.rows[3][2] == (40 + 44) / 2
    assert table.rows[4][2] == pytest.approx(((2**2 + 2**2) / (2 - 1)) ** 0.5)
    lines = render([table], "csv").splitlines()
    assert lines[0] == "metric,column,measured,sd,published,difference"
    assert lines[1].startswith("smatch,main_sts,50.0,,58.45,-8.4")
    assert len(lines) == 1 + 2 * 14


def test_a_row_with_unknown_keys_is_an_error():
    with pytest.raises(ConfigError, match="unknown key 'sedes'"):
        TableSpec.from_config(SPEC | {"rows": [{"name": "smatch", "sedes": 3}]})


def test_tables_without_published_numbers_or_with_a_missing_file():
    plain = {key: value for key, value in SPEC.items() if key not in ("published", "cells")}
    spec = TableSpec.from_config(plain)
    assert (spec.cells, spec.published) == (True, {})
    with pytest.raises(ConfigError, match=r"unknown file of published values 'table99\.csv'"):
        TableSpec.from_config(SPEC | {"published": "table99.csv"})


UNPUBLISHED = [("definitions", "rematch"), ("definitions", "smatchpp"), ("leaderboard", "rematch")]


@pytest.mark.parametrize(
    "name", ["table4", "table5", "table6", "definitions", "leaderboard", "converged"]
)
def test_every_table_has_its_metrics_and_published_lines(name):
    spec = TableSpec.from_config(compose_group("table", name))
    jobs = spec.by_seed(SEEDS)
    assert len(jobs) >= len(spec.rows)
    for row in spec.rows:
        assert (row.name not in spec.published) == ((name, row.name) in UNPUBLISHED), row.name


@pytest.mark.parametrize("name", ["table4", "table5", "table6", "leaderboard"])
def test_published_rows_are_shown_with_their_options(name):
    spec = TableSpec.from_config(compose_group("table", name))
    assert [row.name for row in spec.rows if spec.find_other(row) is not None] == []


def test_published_values_of_other_options_are_labelled():
    config = compose_group("table", "definitions")
    spec = TableSpec.from_config(config | {"rows": [{"name": "sema"}, {"name": "rematch"}]})
    results = same_in_all_cells(sema=50.0, rematch=49.0)
    table = summary_table(spec, results, SEEDS, {}, {}, ())
    labels = [line[1] for line in table.rows]
    assert labels[:3] == ["measured", "published, other definition", "difference"]
    assert "sema: published with metric=sema protocol=paper." in table.notes


@pytest.mark.parametrize(
    ("name", "random"),
    [("smatch", None), ("wwlk", "drawn"), ("wwlk_theta", "trained")],
)
def test_rows_with_random_numbers_are_computed_once_per_seed(name, random):
    spec = TableSpec.from_config(compose_group("table", "table4") | {"rows": [name]})
    (row,) = spec.rows
    assert find_randomness(row) == random
    jobs = vary_seeds(row, {"drawn": [3, 5], "trained": [7]})
    seeds = {None: [None], "drawn": [3, 5], "trained": [7]}[random]
    assert [job.seed for job in jobs] == seeds


def test_table_4_has_the_rows_of_the_paper_in_order():
    spec = TableSpec.from_config(compose_group("table", "table4"))
    assert [row.name for row in spec.rows] == [
        *("smatch", "wsmatch", "s2match_default", "s2match", "sema"),
        *("sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4", "wlk", "wwlk", "wwlk_theta"),
    ]


@pytest.fixture
def vectors(tmp_path, monkeypatch):
    """A file of word vectors, without which tables that need some are left out."""
    (tmp_path / "vectors.txt").write_text("cat" + " 1" * 100 + "\n")
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "vectors.txt"))


def test_tables_and_site_share_their_seeds_and_tests():
    """So they show the same numbers."""
    of_tables, of_site = (
        {name: parameter.default for name, parameter in signature(function).parameters.items()}
        for function in (tables_api.tables, site_api.site)
    )
    assert of_tables["seeds"]["drawn"] == tuple(range(10))
    for name in ("seeds", "seed", "engine"):
        assert of_tables[name] == of_site[name]


def test_ranked_tables_are_sorted_and_lines_without_values_left_out():
    config = compose_group("table", "leaderboard")
    spec = TableSpec.from_config(config | {"rows": [{"name": "rematch"}, {"name": "smatch"}]})
    results = same_in_all_cells(rematch=49.0, smatch=50.0)
    ranks = {"smatch": "1", "rematch": "2"}
    table = summary_table(spec, results, SEEDS, {"amean": ["smatch"]}, ranks, ())
    assert table.columns[:3] == ("rank", "metric", "")
    assert [line[:3] for line in table.rows] == [
        *[("1", "smatch", "measured"), ("", "", "published"), ("", "", "difference")],
        ("2", "rematch", "measured"),
    ]
    assert table.best == {(0, 3 + len(TWELVE))}


@pytest.mark.parametrize("ranked", [True, False])
def test_rows_of_sentences_come_last_without_mark_and_rank(monkeypatch, tmp_path, ranked):
    """They are not compared with the others, so that no mark or rank depends on them."""
    rows = [{"name": "text_jaccard"}, {"name": "smatch"}, {"name": "rematch"}]
    results = same_in_all_cells(text_jaccard=60.0, smatch=49.0, rematch=50.0)
    compared = []

    def test_rows(names, *others):
        compared.extend(names)
        return {"amean": ["rematch"]}, {"rematch": "1", "smatch": "2"}

    monkeypatch.setattr(reproduce, "run", lambda *arguments, **options: (results, {}))
    monkeypatch.setattr(reproduce, "_test_rows", test_rows)
    inputs = Inputs([], SEEDS, Significance(), Cache(tmp_path), Settings(), None)
    config = compose_group("table", "beyond") | {"rows": rows, "ranked": ranked}
    table, document = reproduce._reproduce_scores(config, inputs)
    assert compared == ["smatch", "rematch"]
    measured = [row for row in table.rows if "measured" in row]
    if ranked:
        assert [row[:2] for row in measured] == [
            ("1", "rematch"),
            ("2", "smatch"),
            (None, "text_jaccard"),
        ]
    else:
        assert [row[0] for row in measured] == ["smatch", "rematch", "text_jaccard"]
    assert document["best"] == {"amean": ["rematch"]}
    (note,) = [note for note in table.notes if "sentences" in note]
    assert note.endswith("not the graphs: text_jaccard. They have no mark and no rank.")


def test_rows_are_chosen_and_those_without_their_vectors_left_out(monkeypatch):
    monkeypatch.setenv("BAMBOO_VECTORS", "missing.txt")
    tables = [compose_group("table", "table4"), compose_group("table", "table1")]
    (four, sizes), problems = leave_out(tables)
    assert (four["rows"][:3], sizes) == (["smatch", "wsmatch", "sema"], tables[1])
    assert problems[0].startswith("Table 4 (Pearson x 100) without s2match_default, s2match, wwlk")
    _, (problem,) = leave_out([tables[0], compose_group("table", "leaderboard")])
    assert re.match(r"Table 4 .* without .*wwlk_theta; Leaderboard .* without .*: missing", problem)
    (only,), problems = leave_out(choose_rows(tables, resolve_rows(["sembleu", "smatch"])))
    names = ["smatch", "sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4"]
    assert (only["rows"], problems) == (names, [])
    with pytest.raises(ConfigError, match=r"Table 4 .* without wwlk"):
        leave_out(choose_rows(tables, resolve_rows("wwlk")))


def test_rows_are_chosen_by_the_metric_that_they_show(vectors):
    """WWLK of Tables 5 and 6 is computed with wwlk_2021."""
    tables = [compose_group("table", name) for name in ("table5", "table6")]
    for metric in ("wwlk", "wwlk_2021"):
        five, six = choose_rows(tables, resolve_rows(metric))
        assert five["rows"] == [f"wwlk K={k}" for k in (1, 2, 3, 4)]
        assert six["rows"] == [
            f"wwlk {d}" for d in ("undirected", "top_down", "bottom_up", "two_way")
        ]
    (six,) = choose_rows(tables, [], ["wwlk undirected"])
    assert six["rows"] == ["wwlk undirected"]


def test_a_metric_without_a_row_is_one_of_each_table():
    tables = [compose_group("table", name) for name in ("table5", "table6", "table1")]
    five, six = choose_rows(tables, resolve_rows(["wlk", "smatch"]))
    assert [*map(name_row, five["rows"])] == [*(f"wlk K={k}" for k in (1, 2, 3, 4)), "smatch"]
    assert [*map(name_row, six["rows"])][-1] == "smatch"
    spec = TableSpec.from_config(five)
    assert [row.name for row in spec.rows][-1] == "smatch"
    assert "smatch" not in spec.published
    only_all = choose_rows(tables, resolve_rows(["wlk", "smatch"]), added=())
    assert [*map(name_row, only_all[0]["rows"])] == [f"wlk K={k}" for k in (1, 2, 3, 4)]


def name_row(entry):
    return entry.name if isinstance(entry, Row) else entry


def test_a_metric_given_as_an_object_is_told_apart_from_the_row_of_its_name():
    row, same = (Row("smatch", get("smatch", root=root)) for root in ("none", "concept"))
    (table,) = choose_rows([TABLE | {"rows": ["smatch", "wlk"]}], [row])
    assert [*map(name_row, table["rows"])] == ["smatch"]
    (table,) = choose_rows([TABLE | {"rows": ["smatch", "wlk"]}], [row], ["smatch"])
    assert [*map(name_row, table["rows"])] == ["smatch", "smatch root=none"]
    (table,) = choose_rows([TABLE | {"rows": ["smatch", "wlk"]}], [same])
    assert table["rows"] == ["smatch"]


def test_a_row_of_one_protocol_is_added_to_its_tables_only():
    row = Row("mine", get("rematch"), protocols=("v0.2",))
    assert choose_rows([TABLE | {"rows": ["wlk"]}], [row]) == []
    (table,) = choose_rows([TABLE | {"rows": ["wlk"], "protocol": "v0.2"}], [row])
    assert table["rows"] == [row]


def test_a_table_has_published_values_of_the_partitions_with_the_same_statistic():
    spec = TableSpec.from_config(SPEC)
    changed = spec.under(read_protocol("v0.2"), read_protocol("paper"))
    assert changed.title == "T, protocol v0.2 (x 100)"
    assert changed.published["smatch"].values["main_sts"] == 58.45
    assert not {"arg_sts", "amean", "hmean"} & {*changed.published["smatch"].values}
    assert len(changed.published["smatch"].values) == 9
    same = spec.under(read_protocol("paper"), read_protocol("paper"))
    assert same.published["smatch"].values == spec.published["smatch"].values


def test_a_name_that_is_neither_a_row_nor_a_metric_is_refused(refused):
    assert refused("tables", "table=table4", "metric=smatc").startswith("unknown metric 'smatc'")
    message = refused("tables", "table=table1", "metric=smatch")
    assert message == "metric: no row of Table 1, data is of this metric, and none can be added"
    message = refused("tables", "table=sembleu_symmetric", "metric=wlk")
    assert message.startswith("metric: no row of Gains of symmetric SemBleu")


def test_rows_of_sentences_may_come_first():
    rows = [{"name": "text_jaccard"}, {"name": "rematch"}]
    (table,) = choose_rows([TABLE | {"rows": rows}], resolve_rows("rematch"))
    assert table["rows"] == rows[1:]


def test_a_metric_with_options_is_a_row_of_its_own(refused):
    (row,) = configured("tables", ["metric=smatch", "metric.smatch.root=none"]).options["metric"]
    assert (row.name, row.metric.root) == ("smatch root=none", "none")
    for name in ("smatch", "smatch_1.0"):
        assert configured("tables", [f"metric={name}"]).options["metric"] == [name]
    added = "+metric.deep={_target_: amr_metrics.Wlk, K: 4}"
    (row,) = configured("tables", [added]).options["metric"]
    assert (row.name, row.metric.K) == ("deep", 4)
    message = refused("tables", "metric=smatch", "metric.root=none")
    assert message.endswith("did you mean metric.smatch.root=...?")


@pytest.mark.parametrize("seeds", ["[]", "[1,1]"])
@pytest.mark.parametrize("command", ["tables", "site"])
def test_seeds_are_given_once(refused, command, seeds):
    assert "seeds.drawn: expected one or more different seeds" in refused(
        command, f"seeds.drawn={seeds}", "out=out"
    )


def test_help_shows_the_seeds(cli):
    for command in ("tables", "site"):
        assert "seeds.drawn=[0,1,2," in cli("help", command).out


@pytest.mark.usefixtures("vectors")
def test_a_table_of_the_benchmark_refuses_other_data_sets(refused):
    message = refused("tables", "table=table4", "data=sample")
    assert message == (
        "data=sample: the columns of the table 'Table 4 (Pearson x 100)' are those of sts, sick, "
        "para. Other data sets are scored by the command run"
    )


TABLE = {"title": "T", "protocol": "paper", "published": "table4.csv"}


def test_tables_have_the_rows_of_the_metrics():
    (every,) = choose_rows(
        [TABLE], resolve_rows("wlk,sembleu")
    )  # without `rows`: all published ones
    assert every["rows"] == ["sembleu_k1", "sembleu_k2", "sembleu_k3", "sembleu_k4", "wlk"]


def test_tables_without_rows_are_left_out():
    tables = [TABLE | {"rows": ["wlk"]}, TABLE | {"rows": [{"name": "rematch"}]}]
    assert choose_rows(tables, resolve_rows("rematch")) == tables[1:]
    statistics = {"title": "T", "kind": "data"}
    assert choose_rows([statistics], resolve_rows("rematch")) == []
    assert choose_rows([statistics]) == [statistics]


def test_rows_with_options_are_kept_as_they_are():
    config = {"kind": "scores", "title": "T", "protocol": "paper", "rows": [
        {"name": "deep", "metric": "wlk", "options": {"K": 4}}, {"name": "sema"},
    ]}  # fmt: skip
    assert choose_rows([config], resolve_rows("wlk"))[0]["rows"] == config["rows"][:1]


def test_gains_of_symmetric_sembleu(mirror, tmp_path):
    """Measured gains, beside those of section 6.1 of the BAMBOO paper."""
    reproduced = tables_api.tables("sembleu_symmetric", engine="serial", out=tmp_path / "out")
    (table,) = reproduced.tables()
    assert table.columns[2:] == ("before", "after", "gain", "published", "difference")
    gains = {row[:2]: row[2:] for row in table.rows}
    expected = {"amean": (0.66, 0.31, 0.18, 0.19), "hmean": (0.32, 0.28, 0.21, 0.21)}
    published = {"amean": (0.8, 0.5, 0.2, 0.1), "hmean": (0.6, 0.4, 0.2, 0.0)}
    for mean, values in expected.items():
        for k, value in enumerate(values):
            before, after, gain, of_paper, difference = gains[f"sembleu_k{k + 1}", mean]
            assert round(after, 2) - round(before, 2) == pytest.approx(value)
            assert gain == after - before
            assert (of_paper, difference) == (published[mean][k], gain - of_paper)


def test_gains_need_known_keys_and_metrics_without_random_numbers(tmp_path):
    inputs = Inputs([], SEEDS, Significance(), Cache(tmp_path), Settings(), None)
    config = {"title": "T", "kind": "gains", "protocol": "paper", "change": {"K": 3}}
    with pytest.raises(ConfigError, match="cannot contain metrics that use random numbers"):
        reproduce_gains({**config, "rows": [{"name": "wwlk"}]}, inputs)
    with pytest.raises(ConfigError, match="unknown option of sema 'K'"):
        reproduce_gains({**config, "rows": [{"name": "sema"}]}, inputs)
    with pytest.raises(ConfigError, match="unknown option of table 'chance'"):
        reproduce_gains({**config, "chance": {}}, inputs)
    row = Row("mine", get("rematch"))
    assert choose_rows([{**config, "rows": [{"name": "wlk"}]}], [row]) == []
