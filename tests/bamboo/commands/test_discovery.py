"""The commands that only show information: list, help, completion and --version."""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from importlib import metadata
from pathlib import Path

import pytest

from bamboo.commands import INFORMATION
from bamboo.commands.completion import SHELLS, candidates
from bamboo.commands.list import KINDS
from bamboo.config.groups import group_names
from bamboo.installation import PACKAGES
from metrics.version import VERSION

REPOSITORY = Path(__file__).parents[3]
SLOW = ("numba", "numpy", "pandas", "hydra", "omegaconf", "gensim", "scipy")


def words(*typed):
    return [*candidates(typed)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "runs"])
def test_list_has_one_line_for_each_name(cli, kind):
    table = cli("list", kind)
    assert table.status == 0, table.err
    rows = list(csv.reader(io.StringIO(cli("list", kind, "report=csv").out)))[1:]
    assert rows
    assert all(row[-1] for row in rows)  # what it is
    for row in rows:
        assert sum(line.split()[:1] == [row[0]] for line in table.out.splitlines()) == 1


def test_list_of_metrics_says_what_they_need(cli):
    (table,) = cli("list", "metrics", "report=json").json
    rows = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}
    assert list(rows) == group_names("metric")
    theta = rows["wwlk_theta"]
    assert (theta["vectors"], theta["trained"], theta["alignment"]) == ("yes", "yes", "yes")
    assert rows["s2match"]["trained"] == "optional"
    assert rows["sembleu"]["symmetric"] == rows["sembleu"]["alignment"] == "no"
    assert rows["smatch"]["source"] == "Smatch. Cai and Knight (2013)"
    assert [name for name, row in rows.items() if row["in all"] == "no"] == [
        *("align_smatch", "blend", "blend_untrained", "camr_smatch"),
        *("concept_cosine", "concept_smatch", "label_overlap", "node_match"),
        *("relation_match", "smatch_1.0"),
        *("text_bleu", "text_chrf", "text_cosine", "text_jaccard"),
        *("wordnet_match", "wwlk_2021"),
    ]


def test_list_includes_the_users_names(cli, user, tiny):
    assert "\n  size " in cli("list", "metrics", user.option).out
    assert "Number of src's nodes, times a factor." in cli("list", "metric", user.option).out
    assert "\n  tiny " in cli("list", "data", user.option).out
    user.yaml("transform/mine.yaml", {"_target_": "harness_plugins.Size"})
    assert "\n  mine " in cli("list", "transforms", user.option).out


def test_list_without_a_kind_shows_the_kinds(cli):
    out = cli("list").out
    assert all(f"\n  {kind} " in out for kind in KINDS)


@pytest.mark.parametrize("name", group_names("metric"))
def test_help_on_a_metric_has_every_option(cli, name):
    from bamboo.config.jobs import compose_metrics

    outcome = cli("help", "metric", name)
    assert outcome.status == 0, outcome.err
    (job,) = compose_metrics([(name, name, {})])
    for option in {*job.metric} - {"_target_", "of"}:
        # A "." before its parts; the solver and word vectors are options of the command.
        assert len(re.findall(rf"\n  (?:metric\.)?{option}[=.]", outcome.out)) >= 1, option
    assert job.metric["_target_"] in outcome.out


def test_help_shows_defaults_and_meanings(cli):
    out = cli("help", "metric", "wwlk").out
    assert "metric.K=2" in out
    assert "number of WL iterations; 0 compares only labels." in out
    assert "direction of messages. undirected: both directions; top_down: from" in out
    assert "``" not in out
    assert cli("help", "wwlk").out == out
    assert cli("help", "topic=metric", "name=wwlk").out == out


def test_help_is_the_same_as_the_option(cli):
    assert cli("help", "run").out == cli("run", "--help").out
    assert cli("help", "metric").out == cli("list", "metrics").out
    assert "\n  list " in cli("help").out


def test_help_on_every_name_of_every_group(cli):
    for group in ("data", "solver", "protocol", "trainer", "engine", "vectors", "table"):
        for name in group_names(group):
            outcome = cli("help", group, name)
            assert outcome.status == 0, outcome.err
            assert outcome.out.startswith(f"{group}={name}\n")


def test_options_that_only_the_class_has(cli, user):
    user.yaml("metric/short.yaml", {"_target_": "harness_plugins.Size"})
    assert "  metric.factor=1.0" in cli("help", "metric", "short", user.option).out


def test_a_wrong_topic_suggests_only_close_ones(refused):
    assert refused("help", "metrci").endswith("did you mean 'metric'?")
    assert "did you mean" not in refused("help", "quorum")


@pytest.mark.parametrize("text", ["a: [b", "- a"])
def test_a_broken_yaml_of_the_users(refused, user, text):
    (user.path / "metric/broken.yaml").write_text(f"{text}\n")
    assert "broken.yaml" in refused("list", "metrics", user.option)
    assert candidates(["run", "metric=bro"], str(user.path)) == {"metric=broken": ""}
    assert candidates(["run", "metric=broken", "metric.a"], str(user.path)) == {}


def test_versions(cli):
    lines = cli("--version").out.splitlines()
    assert lines[0] == f"bamboo {VERSION}"
    assert f"numpy {metadata.version('numpy')}" in lines
    assert len(lines) == 2 + len(PACKAGES)


def test_information_and_completion_load_nothing_slow(home):
    information = (
        *(["--version"], ["--help"], ["help"], ["list", "metrics"], ["list", "tables"]),
        *(["help", "metric", "wwlk"], ["completion", "bash"]),
    )
    code = (
        "import sys\nfrom bamboo.__main__ import main\n"
        "from bamboo.commands.completion import candidates\n"
        f"for arguments in {information!r}:\n"
        "    sys.argv = ['bamboo', *arguments]\n    assert main() == 0\n"
        f"    slow = [name for name in {SLOW!r} if name in sys.modules]\n"
        "    assert not slow, (arguments, slow)\n"
        "assert candidates(['run', 'metric=wwlk', 'metric.s'])\n"
        "assert candidates(['score', 's'])\n"
        f"assert not [name for name in {SLOW!r} if name in sys.modules]\n"
    )
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    run = partial(subprocess.run, cwd=home, env={**os.environ, "PYTHONPATH": path})
    run([sys.executable, "-m", "bamboo", "help"], stdout=subprocess.DEVNULL)  # stores the pages
    done = run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_program_is_named_as_it_was_called(cli, monkeypatch):
    for called, name in (
        ("/usr/bin/bamboo", "bamboo"),
        ("/x/bamboo/__main__.py", "python -m bamboo"),
    ):
        monkeypatch.setattr(sys, "argv", [called])
        assert cli("help").out.startswith(f"{name} COMMAND")
        assert f"\n  {name} run metric=smatch" in cli("run", "--help").out
    monkeypatch.setattr(sys, "argv", ["/usr/bin/bamboo"])
    assert "python -m" not in "".join(cli(name, "--help").out for name in INFORMATION)


def test_completion_of_commands_and_keys():
    assert words("co") == ["compare", "completion"]
    assert words("run", "part") == ["partition=", "partition_source="]
    assert words("run", "partition=main", "part") == ["partition_source="]
    assert words("run", "metric=smatch", "metric.") == ["metric.root=", "metric.standardize="]
    assert words("run", "metric=wlk", "metric.dir") == ["metric.direction="]
    assert words("run", "solver.node") == ["solver.node_limit=", "solver.node_rounds="]
    assert words("train", "trainer=grid", "trainer.axes.tau") == [
        *("trainer.axes.tau=", "trainer.axes.tau_sense=")
    ]
    assert words("rnu", "") == []


def test_completion_of_values():
    assert words("run", "metric=s2") == ["metric=s2match", "metric=s2match_default"]
    assert words("run", "data=") == [f"data={n}" for n in ("para", "sample", "sick", "sts", "all")]
    assert words("prefer", "data=") == ["data=sembleu"]
    assert words("run", "data=sts,si") == ["data=sts,sick"]
    assert words("run", "data=[sts,si") == ["data=[sts,sick"]
    assert words("run", "partition=main,") == [
        f"partition=main,{name}" for name in ("reify", "syno", "arg")
    ]
    assert words("run", "protocol=paper,") == []
    assert words("run", "ci=") == ["ci=true", "ci=false"]
    assert words("run", "cache=") == ["cache=use", "cache=refresh", "cache=off"]
    assert words("run", "metric=wwlk", "metric.mass=s") == ["metric.mass=sif"]
    assert words("build", "partition=s") == ["partition=syno"]
    assert words("list", "me") == ["metrics"]
    assert words("help", "metric", "wwlk_") == ["wwlk_2021", "wwlk_theta"]
    assert words("completion", "") == list(SHELLS)


def test_completion_of_paths_and_of_the_users_names(user, home):
    (home / "parser.amr").touch()
    (home / "folder").mkdir()
    assert words("score", "pa") == ["pairs=", "paths.data=", "paths.runs=", "parser.amr"]
    assert words("score", "src=pa") == ["src=parser.amr"]
    assert sorted(words("score", "src=")) == ["src=folder/", "src=my conf/", "src=parser.amr"]
    assert words("run", "vectors.file=pa") == ["vectors.file=parser.amr"]
    folder = str(user.path)
    assert [*candidates(["run", "metric=si"], folder)] == ["metric=size"]
    assert [*candidates(["run", "metric=size", "metric.f"], folder)] == ["metric.factor="]
    assert words("run", "src=pa") == []


def program(home):
    """The environment of a shell in which ``bamboo`` is this checkout's."""
    folder = home / "bin"
    folder.mkdir(exist_ok=True)
    file = folder / "bamboo"
    file.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from bamboo.__main__ import main\nsys.exit(main())\n"
    )
    file.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def completed(home, line, **more):
    """What the program answers when a shell asks for the completions of a line."""
    answer = home / "answer"
    shell = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(answer), **more}
    shell |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    subprocess.run(["bamboo"], cwd=home, env=program(home) | shell, check=True)
    return answer.read_text().split("\n")


def test_completion_of_flags_and_of_a_config_dir(home, user):
    assert completed(home, "bamboo run --c") == ["--config-dir", "--cfg"]
    line = f"bamboo run --config-dir '{user.path}' metric=siz"
    assert completed(home, line) == ["metric=size "]
    assert completed(home, "bamboo run quiet=t") == ["quiet=true "]
    assert completed(home, "bamboo run quiet=ture metric=sem") == ["metric=sema", "metric=sembleu"]
    meanings = completed(home, "bamboo run metric=sem", _ARGCOMPLETE_SHELL="zsh")
    assert meanings[0].startswith("metric=sema:SEMA. Anchieta, Cabezudo and Pardo (2019)")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs the program bash")
@pytest.mark.parametrize("breaks", ['" \\t\\n=:"', '" \\t\\n"'])
def test_the_script_for_bash(home, breaks):
    (home / "parser.amr").touch()
    code = (
        "set -eu\nsource <(bamboo completion bash)\n"
        f"COMP_WORDBREAKS=${breaks.replace(chr(34), chr(39))}\n"
        "COMP_TYPE=9; COMP_KEY=9\n"
        'try() { COMP_LINE="$1"; COMP_POINT=${#1}; _python_argcomplete bamboo; '
        'echo "${COMPREPLY[*]}"; }\n'
        "try 'bamboo ru'\ntry 'bamboo run metric=s2'\ntry 'bamboo run data=sts,si'\n"
        "try 'bamboo run part'\ntry 'bamboo score pars'\ncomplete -p bamboo"
    )
    done = subprocess.run(
        ["bash", "-c", code], cwd=home, env=program(home), capture_output=True, text=True
    )
    start = "" if "=" in breaks else "metric="
    assert done.stdout.splitlines()[:5] == [
        "run ",
        f"{start}s2match {start}s2match_default",
        "sts,sick " if "=" in breaks else "data=sts,sick ",
        "partition= partition_source=",
        "parser.amr ",
    ], done.stderr
    assert "_python_argcomplete bamboo" in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(cli, shell):
    assert "_ARGCOMPLETE" in cli("completion", shell).out
