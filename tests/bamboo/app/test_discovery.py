"""The commands that only show information: list, help and --version."""

import csv
import io
import os
import re
import subprocess
import sys
from functools import partial
from importlib import metadata
from pathlib import Path

import pytest

from amr_metrics.version import VERSION
from bamboo.app.commands import INFORMATION
from bamboo.app.list import KINDS
from bamboo.config.groups import group_names
from bamboo.installation import PACKAGES

REPOSITORY = Path(__file__).parents[3]
SLOW = ("numba", "numpy", "pandas", "hydra", "omegaconf", "gensim", "scipy")


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
    from bamboo.config.named import named_rows

    outcome = cli("help", "metric", name)
    assert outcome.status == 0, outcome.err
    (job,) = named_rows([(name, name, {})])
    for option in {*job.document} - {"_target_", "of", "learned", "trainer", "weights"}:
        # A "." before its parts; the solver and word vectors are options of the command.
        assert len(re.findall(rf"\n  (?:metric\.)?{option}[=.]", outcome.out)) >= 1, option
    assert job.document["_target_"] in outcome.out


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


def test_versions(cli):
    lines = cli("--version").out.splitlines()
    assert lines[0] == f"bamboo {VERSION}"
    assert f"numpy {metadata.version('numpy')}" in lines
    assert len(lines) == 2 + len(PACKAGES)


def test_information_loads_nothing_slow(home):
    information = (*(["--version"], ["--help"], ["help"], ["list"], ["list", "commands"]),)
    code = (
        "import sys\nfrom bamboo.__main__ import main\n"
        f"for arguments in {information!r}:\n"
        "    sys.argv = ['bamboo', *arguments]\n    assert main() == 0\n"
        f"    slow = [name for name in {SLOW!r} if name in sys.modules]\n"
        "    assert not slow, (arguments, slow)\n"
    )
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    run = partial(subprocess.run, cwd=home, env={**os.environ, "PYTHONPATH": path})
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
