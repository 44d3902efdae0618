"""What the user typed as checked configurations."""

from dataclasses import replace

import pytest

from amr_metrics import Sema
from bamboo.api.data import resolve_tables
from bamboo.config.groups import _compose_by_hydra, all_names, compose_plain, group_names
from bamboo.config.requests import build_named_rows
from bamboo.errors import ConfigError
from tests.configured import configured


def test_defaults():
    request = configured("run", [])
    assert [job.name for job in request.rows] == ["smatch"]
    assert [data.name for data in request.data] == ["sts"]
    assert request.options["split"] == "test"
    assert request.options["protocol"]["name"] == "paper"


@pytest.mark.parametrize("typed", ["sts,para", "[sts,para]", "[sts, para]"])
def test_lists_of_names_keep_their_order(typed):
    assert [d.name for d in configured("run", [f"data={typed}"]).data] == ["sts", "para"]


def test_all_is_the_benchmark():
    assert [d.name for d in configured("run", ["data=all"]).data] == ["sts", "sick", "para"]
    assert [job.name for job in configured("run", ["metric=all"]).rows] == [
        *("smatch", "wsmatch", "s2match_default", "s2match", "sema", "sembleu_k1", "sembleu_k2"),
        *("sembleu_k3", "sembleu_k4", "wlk", "wwlk", "wwlk_theta", "smatchpp", "rematch"),
    ]
    tables = ["1", "3", "4", "definitions", "5", "6", "leaderboard", "converged"]
    assert all_names("table") == tables
    assert len(resolve_tables(configured("tables", []).options["table"])) == len(tables)


def test_options_reach_the_metric_and_its_solver():
    (job,) = build_named_rows([("smatch", "smatch", {"root": "none"})])
    assert job.metric.root == "none"
    job = configured("run", ["solver.node_limit=7"]).rows[0]
    assert job.metric.solver.node_limit == 7


def test_changes_between_two_requests_take_effect(user, monkeypatch):
    monkeypatch.syspath_prepend(user.path)
    for factor in (1.0, 2.0):
        user.metric("size", "Size", factor=factor)
        (job,) = configured("run", ["metric=size"], str(user.path)).rows
        assert job.metric.factor == factor


def test_a_sweep_gives_one_row_per_combination(user):
    path = user.path / "metric/two.yaml"
    path.write_text("_target_: amr_metrics.WWLK\nK: 1\ndirection: top_down\n")
    request = configured(
        "run", ["metric=two", "metric.K=1,2", "metric.direction=top_down,two_way"], str(user.path)
    )
    assert [(job.name, job.metric.K, job.metric.direction) for job in request.rows] == [
        ("two", 1, "top_down"),
        ("two direction=two_way", 1, "two_way"),
        ("two K=2", 2, "top_down"),
        ("two K=2 direction=two_way", 2, "two_way"),
    ]


def test_folders_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("BAMBOO_DATA_DIR", "/some where/${x}, y")
    request = configured("run", ["data=sts"])
    assert str(request.data[0].root) == "/some where/${x}, y/bamboo-amr-benchmark/sts"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data"], "'data' is not of the form key=value: see run --help"),
        (["=3"], "'=3' is not of the form key=value"),
        (["--ci"], "'--ci' is not of the form key=value"),
        (["metric="], "metric=: expected one name"),
        (["data=[]"], "data=: expected one name"),
        (["protocol=paper,spearman"], "protocol=paper,spearman: expected one name"),
        (["data=[sts,sts]"], "gives the same name twice"),
        (["metric=smacth"], "unknown metric 'smacth': did you mean 'smatch'"),
        (["metric=Smatch"], "unknown metric 'Smatch': did you mean 'smatch_1.0'"),
        (["data=[all,sts]"], "unknown data 'all'"),
        (["metric.rot=none"], "unknown option of smatch 'rot': did you mean 'root'"),
        (["metrics=smatch"], "unknown option 'metrics': did you mean 'metric'"),
        (["solver.node_limits=1"], "unknown option of solver 'node_limits': did you mean"),
        (["metric.root=${nope}"], "unknown root '${nope}'"),
        (["ci.level=1"], "ci.level=1: ci is a value, without options: set ci=..."),
        (["protocol.statistic.main=pearsn"], "unknown statistic 'pearsn'"),
    ],
)
def test_invalid_arguments_are_explained(arguments, message):
    with pytest.raises(ConfigError) as caught:
        configured("run", arguments)
    assert message in str(caught.value)


def test_each_option_is_suggested_once():
    with pytest.raises(ConfigError, match="unknown option 'enigne'") as caught:
        configured("run", ["enigne=serial"])
    options = str(caught.value).partition("Use one of: ")[2].split(", ")
    assert "solver" in options
    assert options == sorted(set(options))


@pytest.mark.parametrize(
    "name", ["my conf", "it's", "a=[b],c", "%20", "ünï", 'say "hi"', "back\\slash"]
)
def test_a_users_folder_may_have_any_name(home, name):
    folder = home / name / "metric"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("_target_: amr_metrics.Sema\n")
    request = configured("run", ["metric=mine"], str(home / name))
    assert request.rows[0].metric == Sema()


def test_a_users_folder_adds_names_but_cannot_replace_existing_ones(user):
    assert group_names("metric", str(user.path)) == [*group_names("metric"), "size"]
    (user.path / "metric/smatch.yaml").write_text("_target_: x.Y\n")
    with pytest.raises(ConfigError, match="metric 'smatch' already exists"):
        configured("run", [], str(user.path))


def test_a_users_metric_may_start_from_the_options_of_another(user):
    (user.path / "metric/rootless.yaml").write_text("defaults: [smatch]\nroot: none\n")
    jobs = configured("run", ["metric=[rootless,smatch]"], str(user.path)).rows
    assert [job.name for job in jobs] == ["rootless", "smatch"]
    assert jobs[0].metric == replace(jobs[1].metric, root="none")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [b", "broken.yaml"),
        ("- a", "broken.yaml"),
        ("root: none", "its YAML must set _target_"),
        ("a: ${nope}", "Interpolation key 'nope' not found"),
        ("a: ???", "Missing mandatory value: a"),
    ],
)
def test_a_users_invalid_yaml(user, text, message):
    (user.path / "metric/broken.yaml").write_text(f"{text}\n")
    with pytest.raises(ConfigError) as caught:
        configured("run", ["metric=broken"], str(user.path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: [1, 2.5, .5, yes, null, x, '1e3', 0x1f, 1_000, 1:30, -.5, .inf, +3]\nb: {c: {}, d: ''}",
        "a: |\n  text\nb: !!str 5",
        "a: 1e3",
        "a: [-1E+5, 1.5e3, 1_0e2]",
        "a: 2020-01-01",
        "a: &x 1\nb: *x",
        "a: {<<: {b: 1}}",
        "1: a",
        "a: {1: 2}",
        "a: {b: 1, b: 2}",
        "# @package _global_\na: 1",
        "a: ${paths.data}",
        "defaults: [smatch]\na: 1",
        "a: !!set {b}",
        "a: !!omap [b: 1]",
        "a: !!binary aGk=",
        "[a]: 1",
        "a: ???",
        "a: [b",
        "- a",
        "",
    ],
)
def test_a_users_yaml_is_equal_with_and_without_hydra(user, text):
    path = user.yaml("metric/mine.yaml", {})
    path.write_text(text)
    plain = compose_plain("metric", "mine", user.path)
    if plain is not None:
        assert repr(plain) == repr(_compose_by_hydra("metric", "mine", path))
    assert (plain is not None) == text.startswith(("a: [1, 2.5", "a: |"))


def test_commas_in_an_option_of_a_metric_that_is_always_a_list():
    (weighted,) = configured("run", ["metric=sembleu", "metric.weights=.5,.3,.2"]).rows
    assert weighted.metric.weights == [0.5, 0.3, 0.2]
    (blend,) = configured("run", ["metric=blend", "metric.of=smatch,sema", "metric.near=sema"]).rows
    assert list(blend.metric.of) == ["smatch", "sema"]
    standardised = configured("run", ["metric=smatch", "metric.standardize=none,amr"]).rows
    assert len(standardised) == 2  # a preset or a list of steps: two rows
