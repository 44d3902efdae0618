"""References of metrics, and the rows that the public leaderboard asks for."""

import pytest
from harness import results_of

from amr_metrics import get
from bamboo.benchmark.columns import TWELVE
from bamboo.config.reference import Reference
from bamboo.config.requests import build_named_row
from bamboo.errors import ConfigError
from bamboo.results.leaderboard import HEADS, write_leaderboard
from bamboo.results.provenance import find_source
from bamboo.site_pages.content import describe

PAPER = "Me (2026), https://a.org/p"
CODE = "https://github.com/me/mine"


def twelve(name, value, **changed):
    """The twelve cells of a metric: value, value + 1, ... as the public leaderboard has them."""
    return [
        {
            **{"metric": name, "dataset": d, "partition": p, "split": "test", "value": value + k},
            **{"statistic": "pair_accuracy" if p == "arg" else "pearson", "source": "released"},
            **{"in_benchmark": True, "pairs": 9},
            **changed,
        }
        for k, (d, p) in enumerate(TWELVE)
    ]


def with_sources(rows, **references):
    from dataclasses import replace

    return replace(results_of(rows), references=references)


def test_the_two_tables_by_hand():
    """Each mean is the first value plus (0 + ... + 11) / 12 = 5.5; the lowest comes first."""
    results = with_sources(
        twelve("b|c", 50.0) + twelve("a", 40.0),
        **{"b|c": Reference(PAPER, CODE, "0123456789abcdef"), "a": Reference()},
    )
    with pytest.warns(UserWarning, match="asks for") as warned:
        first, second, paper = write_leaderboard(results).split("\n\n")
    lines = [line.split(" | ") for line in first.splitlines()]
    assert lines[0] == [f"| {HEADS[0]}", *HEADS[1:-1], f"{HEADS[-1]} |"]
    assert HEADS[1:5] == ("STS", "SICK", "PARA", "STS(reify)")
    assert HEADS[-4:] == ("STS(role)", "SICK(role)", "PARA(role)", "**AMEAN**")
    assert [line[0] for line in lines[2:]] == ["| a", r"| b\|c, 0123456"]
    assert lines[2][1:3] == ["40.00", "41.00"]
    assert lines[2][-1] == "45.50 |"
    assert second.splitlines()[2:] == [
        "| a | – |",
        rf"| [b\|c]({CODE}) | 0123456789abcdef |",
    ]
    assert paper == f"b|c: {PAPER}"
    assert [str(w.message).partition(": give")[0] for w in warned] == [
        "a: the leaderboard asks for a link to the code",
        "a: the leaderboard asks for its commit",
    ]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"in_benchmark": False}, "all twelve cells, with all pairs"),
        ({"source": "built"}, "it has released partitions, and main sts is built"),
        ({"statistic": "pearson"}, "it has pair_accuracy on arg, not pearson"),
        ({"missing": 1}, "it has a score of every pair, and pairs of main sts have none"),
        ({"empty": 1}, "pairs of main sts have none"),
    ],
)
def test_other_results_are_refused(changed, problem):
    with pytest.raises(ConfigError) as error:
        write_leaderboard(results_of(twelve("a", 40.0, **changed)))
    assert problem in str(error.value)
    assert str(error.value).endswith("protocol=v0.2 report=leaderboard")
    with pytest.raises(ConfigError, match="twelve cells"):
        write_leaderboard(results_of(twelve("a", 40.0)[:3]))


def test_the_command_refuses_other_cells(refused):
    message = refused("run", "metric=sema", "data=sample", "report=leaderboard")
    assert message.startswith("report=leaderboard: sema: it has the test splits of all twelve")


def test_the_released_data_give_the_row(cli, mirror, user):
    """The row of SEMA is the published one."""
    published = {"_target_": "amr_metrics.Sema", "hypothesis": "tgt", "reference": {"code": CODE}}
    user.yaml("metric/mine.yaml", published)
    outcome = cli(
        *("run", "metric=[sema,mine]", "data=all", "partition=all", "protocol=v0.2"),
        *("report=leaderboard", user.option),
    )
    rows = {line.split(" | ")[0]: line for line in outcome.out.splitlines()}
    assert "| mine | 55.90 | 53.32 | 33.43 | 55.51 | 56.16 | 32.33 | 50.16 |" in rows["| mine"]
    assert outcome.out.count(f"[mine]({CODE})") == 1
    assert "mine: the leaderboard asks for its commit" in outcome.err


def row_of(user, reference):
    user.yaml("metric/mine.yaml", {"_target_": "amr_metrics.Sema", "reference": reference})
    row = build_named_row("mine", "mine", config_dir=user.path)
    return row


def test_a_reference_is_no_option_of_the_metric(user):
    row = row_of(user, {"paper": PAPER, "code": CODE, "commit": 53})
    assert row.source == Reference(PAPER, CODE, "53")
    assert row.metric.signature == get("sema").signature
    assert row.document["reference"] == f"{PAPER} (code: {CODE}, commit 53)"
    assert Reference.parse(row.document["reference"]) == row.source
    assert row_of(user, row.document["reference"]).source == row.source
    assert find_source(row) == row.source


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ({"papr": PAPER}, "unknown key 'papr': did you mean 'paper'"),
        ({"code": "github.com/me"}, "code: 'github.com/me' is no address"),
        ([PAPER], "expected a text, or a mapping with paper, code and commit"),
        ("", "expected a text"),
        ({}, "expected a text"),
    ],
)
def test_an_unsuitable_reference_is_refused(user, reference, problem):
    with pytest.raises(ConfigError) as error:
        row_of(user, reference)
    assert str(error.value).startswith("metric mine: reference: ")
    assert problem in str(error.value)


def test_a_reference_without_a_link_is_a_text(user):
    row = row_of(user, "Jaccard (1901)")
    assert (row.source.text, row.source.links) == ("Jaccard (1901)", [])


def test_every_kind_of_metric_has_a_reference(cli, user):
    user.yaml(
        "metric/program.yaml",
        {
            "_target_": "amr_metrics.external.CommandMetric",
            "command": "cat {src} {tgt}",
            "reference": PAPER,
        },
    )
    (user.path / "scores.csv").write_text("dataset,partition,split,pair,score\n", "utf-8")
    user.yaml(
        "metric/file.yaml",
        {
            "_target_": "bamboo.ScoreFile",
            "file": str(user.path / "scores.csv"),
            "reference": {"code": CODE},
        },
    )
    listed = cli("list", "metrics", "report=csv", user.option).out.splitlines()
    assert listed[0].endswith("reference,contents")
    assert f'"{PAPER}"' in next(line for line in listed if line.startswith("program,"))
    assert f"(code: {CODE})" in next(line for line in listed if line.startswith("file,"))
    assert "reference" not in cli("list", "metrics", "report=csv").out.splitlines()[0]


def test_metrics_of_this_project_have_the_links_of_their_class():
    row = build_named_row("smatch", "smatch")
    assert row.source.links == [
        ("paper", "https://aclanthology.org/P13-2131"),
        ("code", "https://github.com/snowblink14/smatch"),
    ]
    assert len(describe(row.metric)) > 0
    assert find_source(row)._replace(commit="") == row.source
