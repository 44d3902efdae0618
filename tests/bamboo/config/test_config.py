"""What the user typed as checked configurations."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness import Command, UserFolder
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import assume, given
from hypothesis import strategies as st
from omegaconf import OmegaConf

from bamboo.config.groups import all_names, group_names
from bamboo.config.jobs import compose_metrics
from bamboo.config.path_options import quoted
from bamboo.config.request import read_request
from bamboo.errors import ConfigError


def test_defaults() -> None:
    request = read_request("run", [])
    assert [job.name for job in request.jobs] == ["smatch"]
    assert [data["name"] for data in request.data] == ["sts"]
    assert request.options["split"] == "test"
    assert request.options["protocol"]["name"] == "paper"


@pytest.mark.parametrize("typed", ["sts,para", "[sts,para]", "[sts, para]"])
def test_lists_of_names_keep_their_order(typed: str) -> None:
    assert [d["name"] for d in read_request("run", [f"data={typed}"]).data] == ["sts", "para"]


def test_all_is_the_benchmark() -> None:
    assert [d["name"] for d in read_request("run", ["data=all"]).data] == ["sts", "sick", "para"]
    assert [job.name for job in read_request("run", ["metric=all"]).jobs] == [
        *("smatch", "wsmatch", "s2match_default", "s2match", "sema", "sembleu_k1", "sembleu_k2"),
        *("sembleu_k3", "sembleu_k4", "wlk", "wwlk", "wwlk_theta", "smatchpp", "rematch"),
    ]
    tables = ["1", "3", "4", "definitions", "5", "6", "leaderboard", "converged"]
    assert all_names("table") == tables
    assert len(read_request("tables", []).tables) == len(tables)


def test_a_user_adds_metrics_to_all(user: UserFolder) -> None:
    folder = str(user.path)
    usual = [job.name for job in read_request("run", ["metric=all"], folder).jobs]
    (user.path / "all.yaml").write_text("metric: [size, smatch]\n")
    names = [job.name for job in read_request("run", ["metric=all"], folder).jobs]
    assert names == [*usual, "size"]
    assert [job.name for job in read_request("run", ["metric=all"]).jobs] == usual


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metric: [sise]", "unknown metric 'sise': did you mean 'size'"),
        ("metrics: [size]", "unknown group 'metrics': did you mean 'metric'"),
        ("metric: size", "expected a list of names for each group"),
        ("- size", "expected a list of names for each group"),
        ("metric: [size", "all.yaml cannot be read"),
        ("data: [tiny]", "data=all always means sts, sick, para"),
    ],
)
def test_invalid_content_of_a_users_all_yaml(user: UserFolder, text: str, message: str) -> None:
    (user.path / "all.yaml").write_text(f"{text}\n")
    with pytest.raises(ConfigError, match=r"all\.yaml") as caught:
        read_request("run", ["metric=all"], str(user.path))
    assert message in str(caught.value)


def test_options_reach_the_metric_and_its_solver() -> None:
    (job,) = compose_metrics([("smatch", "smatch", {"root": "none"})])
    assert job.metric["root"] == "none"
    job = read_request("run", ["solver.node_limit=7"]).jobs[0]
    assert job.metric["solver"]["node_limit"] == 7


def test_changes_between_two_requests_take_effect(
    user: UserFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for factor in (1.0, 2.0):
        user.metric("size", "Size", factor=factor)
        (job,) = read_request("run", ["metric=size"], str(user.path)).jobs
        assert job.metric["factor"] == factor
    for folder in ("a", "b"):
        monkeypatch.setenv("BAMBOO_RUNS_DIR", folder)
        request = read_request("run", [])
        assert request.options["paths"]["runs"] == folder
        request.options["paths"]["runs"] = "changed by the caller"


def test_a_sweep_gives_one_row_per_combination(user: UserFolder) -> None:
    (user.path / "metric/two.yaml").write_text("_target_: x.Y\na: 1\nb: x\n")
    request = read_request("run", ["metric=two", "metric.a=1,2", "metric.b=x,y"], str(user.path))
    assert [(job.name, job.metric["a"], job.metric["b"]) for job in request.jobs] == [
        ("two", 1, "x"),
        ("two b=y", 1, "y"),
        ("two a=2", 2, "x"),
        ("two a=2 b=y", 2, "y"),
    ]


def test_a_list_is_one_value() -> None:
    assert read_request("run", ["partition=[main,arg]"]).options["partition"] == ["main", "arg"]


@given(st.text(st.characters(codec="utf-8")))
def test_quoting_protects_text_from_hydra_and_interpolation(text: str) -> None:
    override = OverridesParser.create().parse_override(f"src={quoted(text)}")
    # A text of three question marks is OmegaConf's mark of something missing; ./??? is a file.
    assume(text != "???")
    assert OmegaConf.create({"src": override.value()}).src == text


@pytest.mark.parametrize(
    "path",
    [
        "with space",
        " at both ends ",
        "com,ma",
        "a=b",
        "quo'te",
        'quo"te',
        "'quoted'",
        "${x}",
        "${",
        "${oc.env:HOME}",
        r"\${x}",
        r"\\${x}",
        "back\\slash",
        "end\\",
        r"bs\'quote",
        "{a}",
        "a[b].amr",
        "%20",
        "#",
        "$HOME",
        "true",
        "1",
        "",
        "~",
        "ünï.amr",
        "line\nbreak",
    ],
)
def test_unusual_paths_are_used_as_typed(path: str) -> None:
    request = read_request("score", [f"src={path}", f"tgt={path}"])
    assert (request.options["src"], request.options["tgt"]) == (path, path)


def test_a_path_in_brackets_is_a_list_unless_there_is_such_a_file(home: Path) -> None:
    assert read_request("score", ["src=[a b,c]", "tgt=b"]).options["src"] == ["a b", "c"]
    (home / "[a b,c]").touch()
    assert read_request("score", ["src=[a b,c]", "tgt=b"]).options["src"] == "[a b,c]"


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("run", ("out", "weights", "built", "data.root", "paths.runs")),
        ("run", ("vectors.file", "vectors.cache")),
        ("score", ("src", "tgt", "lengths", "frames", "per_pair")),
        ("explain", ("src", "tgt", "lengths", "out")),
        ("submit", ("predictions", "export", "out")),
        ("prefer", ("folder", "references")),
        ("build", ("src", "tgt", "ratings", "synonyms", "out")),
        ("site", ("submissions", "out")),
        ("tables", ("out",)),
        ("compare", ("out",)),
        ("train", ("out", "built")),
    ],
)
def test_options_typed_as_paths_are_taken_as_typed(command: str, keys: tuple[str, ...]) -> None:
    typed = {key: f"{key} [${{b}}], 'c'" for key in keys}
    request = read_request(command, [f"{key}={path}" for key, path in typed.items()])
    for key, path in typed.items():
        group, *names = key.split(".")
        value = request.data[0] if group == "data" else request.options[group]
        for name in names:
            value = value[name]
        assert value == path


def test_options_must_be_registered_before_a_request_is_read() -> None:
    """Otherwise the same arguments would mean something else before `bamboo.cli` is imported."""
    code = (
        "from bamboo.config.request import read_request\n"
        "from bamboo.errors import ConfigError\n"
        "try:\n"
        "    read_request('run', ['out=a b'])\n"
        "except ConfigError as error:\n"
        "    print(error)\n"
        "import bamboo.cli\n"
        "print(read_request('run', ['out=a b']).options['out'])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    refused, out = ran.stdout.splitlines()
    assert refused == "the options of commands are not registered: import bamboo.cli first"
    assert out == "a b"


def test_an_option_of_a_metric_is_a_path_if_its_class_says_so(
    user: UserFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(user.path))
    (user.path / "lexical.py").write_text(
        "from dataclasses import dataclass\n"
        "from pathlib import Path\n"
        "@dataclass(frozen=True)\n"
        "class Lexical:\n"
        "    lexicon: Path | None = None\n"
        "    name: str = ''\n"
    )
    (user.path / "metric/mine.yaml").write_text("_target_: lexical.Lexical\nlexicon: a\nname: b\n")
    typed = ["metric=mine", "metric.lexicon=a, ${b}"]
    (job,) = read_request("run", typed, str(user.path)).jobs
    assert job.metric["lexicon"] == "a, ${b}"
    with pytest.raises(ConfigError, match="cannot be read"):
        read_request("run", ["metric=mine", "metric.name=${"], str(user.path))


def test_folders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAMBOO_DATA_DIR", "/some where/${x}, y")
    request = read_request("run", ["data=sts"])
    assert request.data[0]["root"] == "/some where/${x}, y/bamboo-amr-benchmark/sts"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data"], "'data' is not of the form key=value: see run --help"),
        (["=3"], "'=3' is not of the form key=value"),
        (["--ci"], "'--ci' is not of the form key=value"),
        (["metric="], "metric=: expected one name"),
        (["data=[]"], "data=[]: expected one name"),
        (["protocol=paper,spearman"], "protocol=paper,spearman: expected one name"),
        (["data=sts,sts"], "gives the same name twice"),
        (["metric=smacth"], "unknown metric 'smacth': did you mean 'smatch'"),
        (["data=all,sts"], "unknown data 'all'"),
        (["metric.rot=none"], "unknown option of metric 'rot': did you mean 'root'"),
        (["metrics=smatch"], "unknown option 'metrics': did you mean 'metric'"),
        (["solver.node_limits=1"], "unknown option of solver 'node_limits': did you mean"),
        (["metric.solver.node_limit=5"], "set solver.node_limit=..."),
        (["seed=1,2"], "write a list as seed=[1,2]"),
        (["metric.root=none,concept", "seed=1,2"], "seed=1,2: only options of a metric"),
        (["metric.root=${"], "cannot be read"),
        (["metric.root=${nope}"], "metric.root: Interpolation key 'nope' not found"),
        (["metric.root=???"], "metric.root=... is required: see run --help"),
        (
            ["engine=slurm", "engine.setup={a: b}"],
            "engine.setup={a: b}: expected a list, as in engine.setup=[a,b]",
        ),
        (["data.scale={a: b}"], "data.scale={a: b}: expected a list, as in data.scale=[a,b]"),
        (["paths=[data]"], "paths=[data]: paths has options of its own: set paths.data=..."),
        (["data.partitions=null", "metric.rot=1"], "unknown option of metric 'rot'"),
        (["ci.level=1"], "ci.level=1: ci is a value, without options: set ci=..."),
        (["paths.data.x=1"], "paths.data is a value, without options: set paths.data=..."),
    ],
)
def test_invalid_arguments_are_explained(arguments: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_request("run", arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "name", ["my conf", "it's", "a=[b],c", "%20", "${x}", "ünï", 'say "hi"', "back\\slash"]
)
def test_a_users_folder_may_have_any_name(home: Path, name: str) -> None:
    folder = home / name / "metric"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("_target_: x.Y\n")
    request = read_request("run", ["metric=mine"], str(home / name))
    assert request.jobs[0].metric == {"_target_": "x.Y"}


def test_a_users_folder_adds_names_but_cannot_replace_existing_ones(user: UserFolder) -> None:
    assert group_names("metric", str(user.path)) == [*group_names("metric"), "size"]
    (user.path / "metric/smatch.yaml").write_text("_target_: x.Y\n")
    with pytest.raises(ConfigError, match="metric 'smatch' already exists"):
        read_request("run", [], str(user.path))


def test_a_users_folder_cannot_have_a_folder_with_the_name_of_an_option(
    cli: Command, refused: Command, user: UserFolder
) -> None:
    folder = user.path / "split"
    folder.mkdir()
    expected = f"{folder}: a folder in --config-dir cannot have the name of the option split"
    for flags in ([], ["-m"], ["--cfg", "job"]):
        error = refused("run", *flags, "data=sample", "split=dev", user.option)
        assert error == f"{expected}: rename it, or use another folder for --config-dir"
    assert cli("run", "data=sample", user.option).status == 0  # nothing asks for it


def test_a_sweep_of_values_of_the_wrong_type_is_explained(refused: Command) -> None:
    error = refused("run", "-m", "data=sample", "data.scale={a: 1},{a: 2}")
    assert error == "data.scale={a: 1},{a: 2}: expected a list, as in data.scale=[a,b]"


def test_a_users_folder_that_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        read_request("run", [], os.devnull)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [b", "broken.yaml"),
        ("- a", "metric broken: its YAML is not a mapping of options"),
        ("a: ${nope}", "metric.a: Interpolation key 'nope' not found"),
        ("a: ???", "metric.a=... is required"),
    ],
)
def test_a_users_invalid_yaml(user: UserFolder, text: str, message: str) -> None:
    (user.path / "metric/broken.yaml").write_text(f"{text}\n")
    with pytest.raises(ConfigError) as caught:
        read_request("run", ["metric=broken"], str(user.path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("command", "typed", "key", "value"),
    [
        ("run", "partition=main,arg", "partition", ["main", "arg"]),
        ("compare", "partition=main,arg", "partition", ["main", "arg"]),
        ("build", "split=train,dev", "split", ["train", "dev"]),
        ("build", "scale=0,5", "scale", [0, 5]),
        ("build", 'roles=":mod",":time"', "roles", [":mod", ":time"]),
        ("score", "aspects=ner,negation", "aspects", ["ner", "negation"]),
        ("site", "seeds.drawn=0,1", "seeds", {"drawn": [0, 1], "trained": [0, 1, 2]}),
        ("tables", "seeds.drawn=0", "seeds", {"drawn": [0], "trained": [0, 1, 2]}),
        ("build", "roles=:mod", "roles", [":mod"]),
        ("train", "partition=main,arg", "partition", ["main", "arg"]),
        ("submit", "partition=main,arg", "partition", ["main", "arg"]),
    ],
)
def test_commas_make_a_list_where_one_is_possible(
    command: str, typed: str, key: str, value: object
) -> None:
    needed = ["src=a", "tgt=b"] if command == "score" else []
    assert read_request(command, [*needed, typed]).options[key] == value
    assert [d["name"] for d in read_request("run", ["data=sts,sick", "data.scale=0,2"]).data] == [
        *("sts", "sick")
    ]


def test_commas_in_an_option_of_a_metric_that_is_always_a_list() -> None:
    (weighted,) = read_request("run", ["metric=sembleu", "metric.weights=.5,.3,.2"]).jobs
    assert weighted.metric["weights"] == [0.5, 0.3, 0.2]
    (blend,) = read_request("run", ["metric=blend_cell", "metric.of=smatch,sema"]).jobs
    assert list(blend.metric["of"]) == ["smatch", "sema"]
    standardised = read_request("run", ["metric=smatch", "metric.standardize=none,amr"]).jobs
    assert len(standardised) == 2  # a preset or a list of steps: two rows


@pytest.mark.parametrize("typed", ["partition=choice(main,arg)", "resamples=range(1,4)"])
def test_a_sweep_in_words_is_not_a_list(typed: str) -> None:
    with pytest.raises(ConfigError, match="only options of a metric can have several values"):
        read_request("run", [typed])
