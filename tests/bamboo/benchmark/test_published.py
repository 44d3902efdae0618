"""Published values stand beside the definition they were published for, and no other."""

from dataclasses import replace
from pathlib import Path

import pytest

from amr_metrics import get
from amr_metrics.alignment.hillclimb import HillClimb
from amr_metrics.building import metric_options
from bamboo.benchmark.columns import COLUMNS
from bamboo.benchmark.published import (
    build_published_row,
    definition,
    find_published_line,
    read_published,
)
from bamboo.config.groups import all_names, compose_metric
from bamboo.config.requests import resolve_rows
from tests.configured import configured

ALL = [tuple(reversed(cell.split("_"))) for cell in COLUMNS]

PROTOCOLS = {"paper": "table4.csv", "v0.2": "leaderboard-v0.2-2023-12-07.csv"}
FILES = ["table4.csv", "table5.csv", "table6.csv", "leaderboard-v0.2-2023-12-07.csv"]


def line(name, options=None, cells=None):
    (job,) = resolve_rows(name, options, protocol="paper")
    return find_published_line("table4.csv", job, cells or [("sts", "main")], {})


@pytest.mark.parametrize("file", FILES)
def test_every_published_row_can_be_computed(file):
    rows = read_published(file)
    texts = [definition(build_published_row(row)) for row in rows]
    assert len(set(texts)) == len(rows) == {"table4.csv": 12, "table5.csv": 12}.get(file, len(rows))


def test_the_default_definition():
    smatch = line("smatch", cells=ALL)
    assert smatch.values["main_sts"] == 58.45
    assert len(smatch.values) == 12 + 2
    assert (smatch.values["amean"], smatch.values["hmean"]) == (51.28, 47.50)
    assert smatch.notes == ()


def test_other_options_show_what_they_were_published_for():
    assert line("smatch", {"root": "none"}).notes == (
        "published with metric=smatch protocol=paper: 58.45",
    )
    assert line("wwlk", {"variant": "2023"}).notes == (
        "published with metric=wwlk protocol=paper: 63.15",
    )
    assert line("wlk", {"variant": "definition"}, ALL).notes == (
        "published with metric=wlk protocol=paper: amean 50.44",
    )


def test_another_name_of_the_same_definition():
    assert line("wwlk_2021").values == line("wwlk").values == {"main_sts": 63.15}
    assert line("smatch_1.0").values == {}
    alike = line("s2match", {"tau": 0.5, "tau_sense": 0.5})
    assert alike.values == line("s2match_default").values


def options(*arguments):
    """The options of each row that differ from the defaults of its metric's name."""
    changed = {}
    for row in configured("run", arguments).rows:
        usual, options = metric_options(get(row.base)), metric_options(row.metric)
        changed[row.name] = {k: v for k, v in options.items() if v != usual[k]}
    return changed


@pytest.mark.parametrize(("protocol", "file"), PROTOCOLS.items())
def test_a_name_means_the_published_row(protocol, file, word_vectors):
    rows = {row.name: row for row in read_published(file)}
    jobs = configured("run", ["metric=all", f"protocol={protocol}"]).rows
    assert [job.name for job in jobs][: len(rows)] == list(rows)
    bases = {compose_metric(row.metric).base for row in rows.values()}
    others = [name for name in all_names("metric") if name not in bases]
    assert [job.name for job in jobs][len(rows) :] == others
    for job in jobs[: len(rows)]:
        published = find_published_line(file, job, ALL, {})
        assert published.values["main_sts"] == rows[job.name].values["main_sts"]
    names = ["sema", "sembleu", "wlk", "wwlk", "wwlk_theta"]
    jobs = configured("run", [f"metric=[{','.join(names)}]", f"protocol={protocol}"]).rows
    assert [job.name for job in jobs] == names
    for job in jobs:
        row = rows["sembleu_k3" if job.name == "sembleu" else job.name]
        assert find_published_line(file, job, ALL, {}).values["amean"] == row.values["amean"]


def test_options_apply_on_top_of_the_published_row():
    by_row = options("metric=sembleu", "metric.sembleu.k=[1,2]", "metric.sembleu.variant=corrected")
    corrected = {"variant": "corrected", "hypothesis": "tgt"}
    assert by_row == {
        "sembleu k=1 variant=corrected": {"k": 1, **corrected},
        "sembleu k=2 variant=corrected": {"k": 2, **corrected},
    }
    # The options of the published row are not repeated in the label.
    assert options("metric=wlk", "metric.wlk.variant=2023", "protocol=v0.2") == {
        "wlk": {"variant": "2023"}
    }
    assert options("metric=wlk", "metric.wlk.variant=2021", "protocol=v0.2") == {
        "wlk variant=2021": {}
    }
    assert options("metric=sembleu", "protocol=spearman") == {"sembleu": {}}


def test_train_means_the_published_row():
    for protocol, variant, trainer in (("paper", "2021", "spsa_2021"), ("v0.2", "2023", "spsa")):
        request = configured("train", ["metric=wwlk_theta", f"protocol={protocol}"])
        assert request.rows[0].metric.variant == variant
        assert "trainer" not in request.options
        assert request.rows[0].trainer["name"] == trainer
    named = configured("train", ["metric=wwlk_theta", "trainer=converge"])
    assert named.options["trainer"]["name"] == "converge"


def test_a_standardised_metric_is_another_definition():
    assert line("smatch", {"standardize": "amr"}).values == {}
    assert line("smatch", {"standardize": "none"}).values == {"main_sts": 58.45}


def test_the_definition_does_not_include_how_a_score_is_computed():
    for name, options in (
        ("smatch", {"solver": HillClimb(seed=3)}),
        ("s2match", {"vectors": {"file": "mine.bin"}}),
        ("wwlk_2021", {"seed": 7}),
    ):
        assert line(name, options).values, name


def test_options_that_differ_between_data_sets():
    para = [("para", "main"), ("sts", "main")]
    assert line("s2match", cells=para).values == {"main_para": 42.55, "main_sts": 58.82}
    # An option that is set holds on every data set; PARA's published value has tau 0.
    assert line("s2match", {"tau": 0.5}, para).values == {}
    assert line("s2match", {"tau": 0.0}, para).values == {"main_para": 42.55}


def test_the_trainer_is_part_of_the_definition():
    assert line("wwlk_theta").values == {"main_sts": 66.94}
    retrained = line("wwlk_theta", {"trainer": "spsa"})
    assert retrained.values == {}
    assert retrained.notes == ("published with metric=wwlk_theta protocol=paper: 66.94",)
    (row,) = resolve_rows("wwlk_theta")
    weighted = replace(row, learned=Path("weights.json"))
    assert find_published_line("table4.csv", weighted, [("sts", "main")], {}).values == {}


def test_excluded_cells_say_why():
    (job,) = resolve_rows("smatch")
    cells = [("sts", "main"), ("sts", "reify")]
    published = find_published_line("table4.csv", job, cells, {cells[1]: "the released partition"})
    assert published.values == {"main_sts": 58.45}
    assert published.notes == ("sts reify: published for the released partition: 57.98",)


class TestRuns:
    """What `run` shows on the real data."""

    def test_a_variant_and_the_definition(self, cli, mirror):
        document = cli(
            *(
                "run",
                "metric=wlk",
                "metric.wlk.variant=[definition,2021]",
                "data=sts",
                "report=json",
            )
        ).json
        plain, variant = document["rows"]
        assert (plain["metric"], variant["metric"]) == ("wlk variant=definition", "wlk")
        assert plain["cells"][0]["published"] is None
        assert plain["notes"] == ["published with metric=wlk protocol=paper: 64.86"]
        assert variant["cells"][0]["value"] == pytest.approx(64.86, abs=0.005)
        assert variant["cells"][0]["published"] == 64.86

    def test_a_statistic_that_differs_from_the_published_one(self, cli, mirror):
        command = ("run", "data=sts", "protocol.statistic.main=spearman", "report=json")
        (row,) = cli(*command).json["rows"]
        assert row["cells"][0]["published"] is None
        assert row["notes"] == ["sts main: published for statistic pearson: 58.45"]

    def test_a_protocol_without_published_values(self, cli, mirror):
        document = cli("run", "data=sts", "protocol=spearman", "report=json").json
        assert document["notes"] == ["Protocol spearman: no published values are recorded."]
        assert document["rows"][0]["cells"][0]["published"] is None
