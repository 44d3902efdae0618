"""Tables of corpus scores, by hand on three sentences, and on the release where it was fetched."""

from pathlib import Path

import numpy as np
import pytest

from amr_metrics import Pair, SmatchPP, read_graphs
from bamboo.benchmark.published import read_published
from bamboo.benchmark.sembleu import read_parses
from bamboo.config.groups import all_names, compose_group
from bamboo.errors import ConfigError
from bamboo.installation import resource
from bamboo.published_tables.corpora import load_parses, pair_forms
from bamboo.published_tables.corpus_tables import reproduce_corpora
from bamboo.published_tables.inputs import Inputs
from bamboo.published_tables.requests import choose_rows
from bamboo.published_tables.score_tables import has_same_definition, table_rows
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings
from bamboo.statistics.resampling import Significance
from tests.configured import configured
from tests.sembleu_release import SYSTEMS, describe_data

TABLES = (
    *("smatchpp_1", "smatchpp_2", "smatchpp_3", "smatchpp_optima", "smatchpp_reify"),
    *("smatchpp_main", "sembleu_corpora", "sembleu_restarts", "sembleu_ngrams", "wwlk_definition"),
)
GENERIC = {"metric": "smatchpp", "options": {"standardize": "generic"}}


@pytest.fixture
def reproduce(tmp_path):
    """Make a table."""

    def make(config, datasets=()):
        inputs = Inputs(datasets, {}, Significance(), Cache(tmp_path / "cache"), Settings())
        return reproduce_corpora(config, inputs)

    return make


@pytest.fixture
def parsers(folder, reproduce):
    """Make a table of the four parsers of the three sentences."""

    def make(**changes):
        config = {"title": "T", "kind": "parsers", "data": describe_data(folder)}
        return reproduce({**config, "rows": [{"name": "smatchpp"}], **changes})[0]

    return make


def test_tables_of_other_data_are_not_part_of_all():
    assert not {*TABLES} & {*all_names("table")}


def test_the_systems_of_the_release(folder):
    parses = read_parses(sorted(folder.iterdir()))
    assert sorted(parses.systems) == sorted(SYSTEMS)
    assert {len(graphs) for graphs in (parses.references, *parses.systems.values())} == {3}
    assert parses.systems["jonas"] == parses.references
    chosen = load_parses(describe_data(folder), ("lyu_titov", "camr"))
    assert [*chosen.systems] == ["lyu_titov", "camr"]


def test_corpus_scores_by_hand(parsers):
    # The references have 4 + 4 + 6 triples, the root's included. lyu_titov has only the roots: 6
    # triples, all right. Of jamr's 4 + 6 + 4, the kitten, :mod and the loud node are wrong.
    table = parsers(parsers=["jonas", "jamr", "lyu_titov"], matches=True)
    assert table.columns == ("metric", "jonas", "jamr", "lyu_titov", "matches", "yield %")
    assert table.rows == (
        ("smatchpp", 100, pytest.approx(200 * 11 / 28), pytest.approx(1200 / 20), 31, 100),
    )


def test_published_values_of_the_same_and_of_other_data(parsers):
    rows = [{"name": "sembleu", "metric": "sembleu", "options": {"variant": "2019"}}]
    options = {"published": "sembleu_corpora.csv", "rows": [*rows, {"name": "smatch"}]}
    table = parsers(**options)
    values = {row[:2]: row[2:] for row in table.rows}
    assert values["sembleu", "published"] == (28, 30, 38, 41)
    measured, difference = (values["sembleu", kind] for kind in ("measured", "difference"))
    assert np.subtract(measured, difference) == pytest.approx([28, 30, 38, 41])
    assert [row[:2] for row in table.rows if row[0] == "smatch"] == [("smatch", "measured")]
    assert table.rules == (3,)
    table = parsers(**options, elsewhere="LDC0000")
    assert table.columns[5:] == tuple(
        f"published {name} (LDC0000)" for name in ("camr", "jamr", "jonas", "lyu_titov")
    )
    assert [row[5:] for row in table.rows] == [(28, 30, 38, 41), (None,) * 4]


def test_the_yield_is_that_of_the_same_metric_with_another_solver(parsers):
    solver = {"name": "hillclimb", "restarts": 0}
    rows = [
        {"name": "exact", "metric": "smatchpp"},
        {"name": "climb", "metric": "smatchpp", "options": {"solver": solver}},
        {"name": "generic", **GENERIC},
    ]
    (exact, climb, generic) = parsers(rows=rows, matches=True).rows
    assert (exact[-1], generic[-1]) == (100, 100)
    assert climb[-1] == 100 * climb[-2] / exact[-2]


def test_forms_of_graphs_by_hand(parsers):
    # The graph with :mod has 6 triples; reified, 8, of which :mod's three are not in the other:
    # 4 + 5 + 4 of 14 and 16 match.
    forms = {"a": ["jamr", "jamr reified"], "b": ["jamr reified", "jamr reified"]}
    rows = [{"name": "plain", **GENERIC}, {"name": "amr", "metric": "smatchpp"}]
    table = parsers(
        kind="forms", forms=forms, by_corpus=True, rows=rows, elsewhere="LDC", parsers=["jamr"]
    )
    assert table.columns[:4] == ("line", "graphs", "plain", "amr")
    assert table.rows == (
        ("a", "jamr against jamr reified", pytest.approx(2600 / 30), 100, None, None),
        ("b", "jamr reified against jamr reified", 100, 100, None, None),
    )


def test_averages_and_intervals(parsers):
    table = parsers(kind="intervals", parsers=["jonas", "lyu_titov"], resamples=200)
    assert table.columns[2:] == ("micro", "micro 95 %", "macro", "macro 95 %")
    perfect, roots = table.rows
    assert perfect == ("smatchpp", "jonas", 100, (100, 100), 100, (100, 100))
    # Pairs of 4 and 2 triples score 2/3, that of 6 and 2 scores 1/2.
    assert roots[2::2] == pytest.approx((60, 100 * (2 / 3 + 2 / 3 + 1 / 2) / 3))
    for value, (low, high) in (roots[2:4], roots[4:]):
        assert 50 <= low <= value <= high <= 100 * 2 / 3 + 1e-9


def test_reified_graphs_and_pairs_of_main(reproduce):
    (sample,) = configured("run", ["data=sample", "metric=smatch"]).data
    rows = [{"name": "generic", **GENERIC}]
    tables = [
        reproduce({"title": "T", "kind": kind, "rows": rows}, [sample])[0]
        for kind in ("reified", "main")
    ]
    folder = resource("data") / "sample"
    main, reify = (
        {side: read_graphs(folder / name / f"{side}.test.amr") for side in ("src", "tgt")}
        for name in ("main", "reify")
    )
    same = [Pair(b, a) for side in main for a, b in zip(main[side], reify[side], strict=True)]
    pairs = [Pair(*pair) for pair in zip(main["src"], main["tgt"], strict=True)]
    metric = SmatchPP(standardize="generic")
    for table, expected in zip(tables, (same, pairs), strict=True):
        score = 100 * metric.corpus(metric.evaluate(expected))["f1"]
        assert table.rows == (("generic", pytest.approx(score)),)


def test_a_metric_becomes_a_row(parsers):
    config = {"title": "T", "rows": [{"name": "smatch"}], "kind": "parsers"}
    metrics = configured("run", ["data=sample", "metric=wlk"]).rows
    (chosen,) = choose_rows([config], metrics)
    assert [row[0] for row in parsers(**chosen).rows] == ["wlk"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parsers": ["jonas", "jams"]}, "unknown parser 'jams'"),
        ({"forms": {"a": ["gold", "gold turned"]}}, "unknown form 'turned'"),
        ({"forms": {"a": ["silver", "gold"]}}, "unknown parser 'silver'"),
        ({"rows": [{"name": "wwlk"}]}, "cannot contain metrics that use random numbers"),
        ({"published": "none.csv"}, "none.csv"),
        ({"colour": 3}, "colour"),
    ],
)
def test_bad_tables(parsers, changes, message):
    with pytest.raises(ConfigError, match=message):
        parsers(**changes)


def test_forms_keep_the_order_of_the_graphs(folder):
    parses = load_parses(describe_data(folder))
    pairs = pair_forms(parses, {"a": ("gold", "jonas")})["a"]
    assert [pair.src for pair in pairs] == [pair.tgt for pair in pairs] == [*parses.references]


@pytest.mark.parametrize("name", ["smatchpp_1", "smatchpp_2", "sembleu_corpora"])
def test_every_published_row_is_shown_by_a_row_of_its_definition(name):
    config = compose_group("table", name)
    lines = table_rows(config["rows"], config["published"])
    shown = [row.name for row, line, _ in lines if line and has_same_definition(row, line)]
    assert shown == [line.name for line in read_published(config["published"])]


@pytest.mark.slow
def test_the_docs_show_main_and_reify(shared, cli, monkeypatch, tmp_path):
    monkeypatch.setenv("BAMBOO_SOURCE", str(shared / "bamboo-amr-benchmark"))
    monkeypatch.setenv("BAMBOO_DATA_DIR", str(tmp_path / "data"))
    outcome = cli(
        "tables",
        "engine=serial",
        "table=[smatchpp_reify,smatchpp_main]",
        "report=markdown",
        "out=here",
    )
    assert outcome.status == 0, outcome.err
    page = Path(__file__).parents[3] / "docs/studies/smatchpp.md"
    assert outcome.out.strip() in page.read_text("utf-8")
