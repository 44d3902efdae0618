"""The SemBleu paper's data and tables, on a sample of the same layout and on the release."""

import json
import os
import re
from pathlib import Path

import pytest

from amr_metrics import Pair
from amr_metrics.features.sembleu import SemBleu
from bamboo.benchmark import download
from bamboo.benchmark.sembleu import judgements
from bamboo.config.groups import all_names, compose_group
from bamboo.errors import ConfigError
from bamboo.published_tables.inputs import Inputs
from bamboo.published_tables.preference_tables import corpus_agreement, reproduce_preferences
from bamboo.results.cache import Cache
from bamboo.results.score_cells import Settings
from bamboo.statistics.resampling import Significance
from tests.sembleu_release import REFERENCES, describe_data, list_options, write


@pytest.fixture
def judged(folder):
    """The judgements, with the scores of both parses of each by SemBleu with k = 1."""
    of_release = list(judgements(sorted(folder.iterdir())))
    pairs = [Pair(parse, each.reference) for each in of_release for parse in each.parses]
    return of_release, SemBleu(k=1).evaluate(pairs)


def test_each_parse_shown_is_traced_to_its_system(judged):
    facts = [(j.sentence, *j.systems, j.shown_first, j.unanimous) for j in judged[0]]
    assert facts == [
        (0, "lyu_titov", "jonas", True, False),
        (0, "camr", "jamr", True, True),
        (1, "camr", "jamr", False, True),
        (1, "lyu_titov", "jonas", False, False),
        (2, "jonas", "jamr", False, False),
        (2, "camr", "lyu_titov", True, True),
    ]


def test_a_parse_of_no_system_is_an_error(refused, folder):
    path = folder / "e86_test.ans2"
    path.write_text(path.read_text("utf-8").replace("bark-01", "meow-01"), "utf-8")
    message = refused("run", "data=sembleu", *list_options(folder))
    assert "amr_human.csv, sentence 1: expected one parse of each system" in message


def test_sentences_by_hand(cli, folder):
    # SemBleu scores the preferred parse of every pair higher but for the third sentence's first,
    # where people prefer a parse to one that is equal to the reference.
    data_options = list_options(folder)
    outcome = cli(
        "run", "data=sembleu", *data_options, "metric=sembleu", "metric.sembleu.k=1", "report=json"
    )
    cell = outcome.json["rows"][0]["cells"][0]
    assert (cell["statistic"], cell["n"]) == ("pair_accuracy", 12)
    assert cell["value"] == pytest.approx(100 * 5 / 6)


def test_judgements_of_a_sentence_are_a_cluster(cli, folder):
    """They have no sentences, but the same reference graph."""
    command = (
        "compare",
        "metric=[smatch,sema]",
        "data=sembleu",
        *list_options(folder),
        "report=json",
    )
    (column,) = cli(*command, "permutations=99").json["columns"]
    assert column["resample"] == "jackknife"
    (pairs,) = cli(*command, "permutations=99", "resample=pairs").json["columns"]
    assert pairs["values"] == column["values"]
    assert pairs["intervals"] != column["intervals"]


def test_corpora_by_hand(judged):
    # The metric always ranks jonas > jamr > lyu_titov > camr. People prefer jamr each time, so that
    # it is below jonas only for the metric (resamples without the third sentence are even: left
    # out). jonas is above lyu_titov for people if the third sentence is drawn at most once: 20/27.
    corpora = corpus_agreement(SemBleu(k=1), judged[1], judged[0], 2000, 0)
    expected = {
        **{"camr/jamr": 1, "camr/jonas": 1, "camr/lyu_titov": 1},
        **{"jamr/jonas": 0, "jamr/lyu_titov": 1},
    }
    assert {name: corpora[name] for name in expected} == expected
    assert set(corpora) == {*expected, "jonas/lyu_titov"}
    assert corpora["jonas/lyu_titov"] == pytest.approx(20 / 27, abs=0.05)


def test_corpora_are_the_same_each_time(judged):
    first, second, third = (
        corpus_agreement(SemBleu(k=1), judged[1], judged[0], 50, seed) for seed in (3, 3, 4)
    )
    assert first == second
    assert first != third


def test_the_tables_are_not_part_of_all():
    assert not {"sembleu_2", "sembleu_3"} & set(all_names("table"))


def test_without_the_data_the_tables_say_what_to_do(refused):
    for arguments in (["tables", "table=sembleu_2"], ["fetch", "data=sembleu"]):
        message = refused(*arguments)
        assert "cannot be downloaded from any source" in message
        assert "a copy of the release" in message


def test_files_that_are_not_released_are_an_error(refused, folder, monkeypatch):
    write(folder / "0.e86_test.camr_filtered", REFERENCES)  # the first file of the release
    monkeypatch.setenv(download.SOURCE_VARIABLE, str(folder.parent))
    assert "differs from the released file" in refused("tables", "table=sembleu_3")


def test_both_tables_from_the_command(cli, user, folder, home):
    for name in ("sembleu_2", "sembleu_3"):
        table = compose_group("table", name) | {"data": describe_data(folder)}
        user.yaml(f"table/own_{name}.yaml", table)
    request = ("table=[own_sembleu_2,own_sembleu_3]", user.option)
    outcome = cli("tables", "engine=serial", *request, "report=json", "out=here")
    assert outcome.status == 0, outcome.err
    corpora, sentences = json.loads(outcome.out)
    rows = {row[0]: row[1:] for row in sentences["rows"]}
    # judgements, ties, ties wrong, measured, published, difference
    assert rows["sembleu_k1"] == pytest.approx([6, 0, 500 / 6, 500 / 6, 69.5, 500 / 6 - 69.5])
    assert rows["smatch"][4] == 76.5
    assert (
        "3 of them unanimous; preferred: camr 0, jamr 3, jonas 2, lyu_titov 1."
        in (sentences["notes"][0])
    )
    assert corpora["columns"][2:] == [
        *("camr/jamr", "camr/jonas", "camr/lyu_titov", "jamr/jonas", "jamr/lyu_titov"),
        *("jonas/lyu_titov", "mean"),
    ]
    compared = ("measured", "published", "difference")
    assert [tuple(row[:2]) for row in corpora["rows"]] == [
        *[("smatch", value) for value in compared],
        *[(f"sembleu_k{k}", "measured") for k in (1, 2)],
        *[("sembleu_k3", value) for value in compared],
        ("sembleu_k4", "measured"),
    ]
    by_value = {tuple(row[:2]): row[2:] for row in corpora["rows"]}
    assert by_value["smatch", "published"] == [67.9, 99.9, 100, 100, 100, 90.3, None]
    assert by_value["sembleu_k3", "published"] == [69, 99.9, 100, 100, 100, 90.9, None]
    measured, difference = (by_value["sembleu_k3", value][0] for value in compared[::2])
    assert difference == pytest.approx(measured - 69)
    assert (home / "here/tables.md").read_text("utf-8").count("SemBleu paper, Table") == 2
    document = json.loads((home / "here/tables.json").read_text("utf-8"))
    assert re.fullmatch("[0-9a-f]{64}", document["provenance"]["data"]["sembleu main test"])
    assert "variant=2019" in document["tables"][0]["signatures"]["sembleu_k1"]


@pytest.fixture
def reproduced(folder, tmp_path):
    """Make a table of some rows."""

    def make(**changes):
        spec = {"title": "T", "kind": "corpora", "resamples": 20, "rows": [{"name": "smatch"}]}
        spec |= {"data": describe_data(folder), **changes}
        inputs = Inputs([], {}, Significance(), Cache(tmp_path / "cache"), Settings())
        return reproduce_preferences(spec, inputs)[0]

    return make


def test_a_tie_counts_as_preferring_the_parse_shown_first(cli, user, folder):
    user.metric("constant", "Constant")
    rows = [{"name": "constant"}]
    data = describe_data(folder)
    table = {"title": "Ties", "kind": "sentences", "data": data, "rows": rows}
    user.yaml("table/ties.yaml", table)
    (made,) = cli("tables", "engine=serial", "table=ties", "report=json", user.option).json
    # judgements, ties, ties wrong, measured: three preferred parses were shown first
    assert made["rows"][0][1:5] == [6, 6, 0, 50]


def test_published_values_of_another_definition_are_not_compared(reproduced):
    rows = [{"name": "other", "metric": "sembleu", "published": "sembleu_k3"}]
    table = reproduced(kind="sentences", published="sembleu_table3.csv", rows=rows)
    assert table.rows[0][-2:] == (None, None)  # published for variant=2019
    corpora = reproduced(published="sembleu_table2.csv", rows=rows)
    assert [row[:2] for row in corpora.rows] == [("other", "measured")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"published": "none.csv"}, "none.csv"),
        ({"rows": [{"name": "wwlk"}]}, "cannot contain metrics that use random numbers"),
        ({"rows": [{"name": "smatch", "option": {}}]}, "option"),
        ({"ties": "half"}, "ties"),
    ],
)
def test_bad_tables(reproduced, changes, message):
    with pytest.raises(ConfigError, match=message):
        reproduced(**changes)


def test_an_unknown_kind_of_table(refused, user):
    user.yaml("table/mine.yaml", {"title": "T", "kind": "corpra", "rows": []})
    message = refused("tables", "table=mine", user.option)
    assert "kind of table" in message
    assert "corpora" in message


RELEASE = Path(os.environ.get("BAMBOO_DATA_DIR", "data")).absolute() / "tripsbleu/sembleu_data"


@pytest.fixture
def released():
    """The folder of the paper's own data, if it was fetched."""
    if not RELEASE.is_dir():
        pytest.skip("needs the SemBleu paper's data: python -m bamboo fetch data=sembleu")
    return RELEASE


def test_the_tables_have_the_numbers_of_the_paper():
    """Its Table 2 is about corpora, its Table 3 about sentences."""
    kinds = {name: compose_group("table", name)["kind"] for name in ("sembleu_2", "sembleu_3")}
    assert kinds == {"sembleu_2": "corpora", "sembleu_3": "sentences"}


@pytest.mark.parametrize(
    ("page", "tables"),
    [
        ("tables", "sembleu_2,sembleu_3"),  # with the published counts of human choices
        ("tables", "sembleu_corpora,sembleu_restarts,sembleu_ngrams"),
        ("studies/smatchpp", "smatchpp_1,smatchpp_2,smatchpp_3,smatchpp_optima"),
    ],
)
def test_the_docs_show_what_the_tables_print(released, cli, monkeypatch, home, page, tables):
    monkeypatch.setenv("BAMBOO_DATA_DIR", str(released.parents[1]))
    outcome = cli("tables", f"table=[{tables}]", "report=markdown", "out=here")
    assert outcome.status == 0, outcome.err
    docs = Path(__file__).parents[3] / "docs"
    assert outcome.out.strip() in (docs / f"{page}.md").read_text("utf-8")
    for picture in docs.glob("figures/smatchpp_*.svg") if "optima" in tables else ():
        assert (home / "here" / picture.name).read_text("utf-8") == picture.read_text("utf-8")
