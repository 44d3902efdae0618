"""What the user typed as checked configurations."""

import pytest

from amr_metrics import Sema, Wlk
from bamboo.api.data import resolve_tables
from bamboo.config.groups import all_names, compose_metric, group_names, parse_names
from bamboo.config.requests import build_composed_rows, build_named_row, name_part, resolve_rows
from bamboo.errors import ConfigError
from tests.configured import configured


def test_defaults():
    request = configured("run", [])
    assert [job.name for job in request.rows] == ["smatch"]
    assert [data.name for data in request.data] == ["sts"]
    assert request.options["split"] == "test"
    assert request.options["protocol"].name == "paper"


def test_all_is_the_benchmark(word_vectors):
    request = configured("run", ["data=all", "metric=all"])
    assert [data.name for data in request.data] == ["sts", "sick", "para"]
    assert [job.name for job in request.rows] == [
        *("smatch", "wsmatch", "s2match_default", "s2match", "sema", "sembleu_k1", "sembleu_k2"),
        *("sembleu_k3", "sembleu_k4", "wlk", "wwlk", "wwlk_theta", "smatchpp", "rematch"),
    ]
    tables = ["table1", "table3", "table4", "definitions", "table5", "table6"]
    assert all_names("table") == [*tables, "leaderboard", "converged"]
    assert len(resolve_tables(configured("tables", []).options["table"])) == len(tables) + 2


@pytest.mark.parametrize("protocol", group_names("protocol"))
def test_all_metrics_are_the_same_with_and_without_hydra(protocol, word_vectors):
    plain = resolve_rows("all", protocol=protocol)
    if protocol != "published":
        rows = configured("run", ["metric=all", f"protocol={protocol}"]).rows
        assert [(row.name, row.document, row.title) for row in rows] == [
            (row.name, row.document, row.title) for row in plain
        ]
    assert plain[0].name == ("sembleu_k1" if protocol == "v0.2" else "smatch")


def test_a_users_protocol_has_the_rows_without_published_values(user, word_vectors):
    user.yaml("protocol/mine.yaml", {"statistic": {"main": "spearman"}})
    names = [row.name for row in configured("run", ["metric=all", "protocol=mine"], user.path).rows]
    assert names == all_names("metric")


def test_options_reach_the_metric_and_its_solver():
    assert build_named_row("smatch", "smatch", {"root": "none"}).metric.root == "none"
    words = ["solver.node_limit=7", "+about.smatch.by_data.sts.root=none"]
    (job,) = configured("run", words).rows
    assert (job.metric.solver.node_limit, job.name) == (7, "smatch solver.node_limit=7")
    assert (job.on("sts").root, job.on().root) == ("none", "concept")
    (job,) = configured("run", ["metric=s2match", "~about.s2match.by_data"]).rows
    assert job.by_data == {}
    (job,) = configured("run", ["metric=s2match", "metric.s2match.tau=0.9"]).rows  # as usual, typed
    assert (job.name, job.untrained("para").tau) == ("s2match", 0.9)


def test_the_name_of_a_solver_in_a_label():
    usual = compose_metric("smatch").node["solver"]
    assert name_part("solver", {**usual, "node_limit": 3}, usual) == {"node_limit": 3}
    own = {"_target_": "mine.Solver", "seed": 3}
    assert name_part("solver", own, usual) == own


def test_a_metric_that_has_no_file():
    (row,) = build_composed_rows("mine", {"_target_": "amr_metrics.Wlk", "K": 4}, {"title": "W"})
    assert (row.name, row.metric, row.title) == ("mine", Wlk(K=4), "W")


def test_changes_between_two_requests_take_effect(user, monkeypatch):
    monkeypatch.syspath_prepend(user.path)
    for factor in (1.0, 2.0):
        user.metric("size", "Size", factor=factor)
        (job,) = configured("run", ["metric=size"], str(user.path)).rows
        assert job.metric.factor == factor


def test_several_values_give_one_row_per_combination(user, word_vectors):
    user.yaml("metric/two.yaml", {"_target_": "amr_metrics.WWLK", "K": 1, "direction": "top_down"})
    words = ["metric=two", "metric.two.K=[1,2]", "metric.two.direction=[top_down,two_way]"]
    request = configured("run", words, str(user.path))
    assert [(job.name, job.metric.K, job.metric.direction) for job in request.rows] == [
        ("two", 1, "top_down"),
        ("two direction=two_way", 1, "two_way"),
        ("two K=2", 2, "top_down"),
        ("two K=2 direction=two_way", 2, "two_way"),
    ]


def test_an_option_that_is_always_a_list():
    options = ["metric.sembleu.weights=[.5,.3,.2]", "+metric.sema.standardize=[none,amr]"]
    weighted, *two = configured("run", ["metric=[sembleu,sema]", *options]).rows
    assert weighted.metric.weights == [0.5, 0.3, 0.2]
    assert [row.base for row in two] == ["sema"] * 2  # a preset or a list of steps: two rows


def test_folders_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("BAMBOO_DATA_DIR", "/some where/${x}, y")
    request = configured("run", ["data=sts"])
    assert str(request.data[0].root) == "/some where/${x}, y/bamboo-amr-benchmark/sts"


@pytest.mark.parametrize(
    ("group", "value", "message"),
    [
        ("metric", "", "metric=: expected one name"),
        ("data", [], "data=: expected one name"),
        ("data", None, "data=None: expected one name"),
        ("protocol", ["paper", "spearman"], "protocol=paper,spearman: expected one name"),
        ("data", ["sts", "sts"], "gives the same name twice"),
        ("metric", ["smatch_1.0", "smatch_1_0"], "gives the same name twice"),
        ("metric", "Smatch", "unknown metric 'Smatch': did you mean 'smatch_1_0'"),
        ("data", ["all", "sts"], "data=all,sts: all stands for several names; give it alone"),
        ("table", 4, "unknown table '4'"),
    ],
)
def test_names(group, value, message):
    with pytest.raises(ConfigError) as caught:
        parse_names(group, value)
    assert message in str(caught.value)


def test_a_number_is_not_the_name_of_a_table():
    with pytest.raises(ConfigError, match=r"Write table=table4$"):
        parse_names("table", "4")


@pytest.mark.parametrize("name", ["it's a=[b],c %20 ünï", 'say "hi" back\\slash'])
def test_a_users_folder_may_have_any_name(home, name, cli):
    for folder in (home / name, home / f"second {name}"):
        (folder / "metric").mkdir(parents=True)
    (home / name / "metric/mine.yaml").write_text("mine: {_target_: amr_metrics.Sema}\n")
    folders = ("--config-dir", f"second {name}", "--config-dir", name)
    outcome = cli("run", "metric=mine", "data=sample", "limit=3", "report=json", *folders)
    assert outcome.json["rows"][0]["signature"] == Sema().signature


def test_a_users_folder_adds_names_but_cannot_replace_existing_ones(user):
    assert group_names("metric", str(user.path)) == [*group_names("metric"), "size"]
    user.yaml("metric/smatch.yaml", {"_target_": "x.Y"})
    for command in ("run", "check"):
        with pytest.raises(ConfigError, match="metric 'smatch' already exists"):
            configured(command, [], str(user.path))


def test_a_users_list_of_names(user):
    user.yaml("metric/mine.yaml", {"defaults": ["smatch", "size", "smatch_1.0"]})
    expected = ["smatch", "size", "smatch_1.0"]
    for command, words in (("run", []), ("score", ["src=a", "tgt=b"])):
        rows = configured(command, [*words, "metric=mine"], str(user.path)).rows
        assert [row.name for row in rows] == expected


def test_a_users_metric_with_hydras_grammar(user, refused):
    """The commands on files do not read it, and say so."""
    path = user.yaml("metric/climbed.yaml", {})
    node = "climbed: {_target_: amr_metrics.Smatch, root: none}"
    path.write_text(f"defaults: [{{/solver@climbed.solver: hillclimb}}, _self_]\n{node}\n")
    (row,) = configured("run", ["metric=climbed"], str(user.path)).rows
    assert (row.metric.root, row.metric.solver.restarts) == ("none", 4)
    message = refused("check", "metric=climbed", user.option)
    assert "climbed.yaml: defaults: only the commands of Hydra read" in message
