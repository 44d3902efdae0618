"""The commands that only show information: list, help and --version."""

import csv
import io
import os
import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from amr_metrics.version import VERSION
from bamboo import installation
from bamboo.app.commands import COMMANDS, NAMES
from bamboo.app.help import main as help_text
from bamboo.app.list import KINDS
from bamboo.app.pages import GROUPS, name_page
from bamboo.config.groups import all_names, group_names
from bamboo.config.requests import build_named_row
from bamboo.installation import PACKAGES

REPOSITORY = Path(__file__).parents[3]
SLOW = ("numpy", "pandas", "hydra", "omegaconf", "gensim", "scipy")
TOPICS = [
    (),
    *((command,) for command in NAMES),
    *((group, name) for group in GROUPS for name in group_names(group)),
]


@pytest.mark.parametrize("kind", KINDS)
def test_list_has_one_line_for_each_name(cli, kind):
    table = cli("list", kind)
    assert table.status == 0, table.err
    rows = list(csv.reader(io.StringIO(cli("list", kind, "report=csv").out)))[1:]
    assert [row[0] for row in rows] == group_names(KINDS[kind])
    assert all(row[-1] for row in rows)  # what it is
    for row in rows:
        assert sum(line.split()[:1] == [row[0]] for line in table.out.splitlines()) == 1
    assert f"\n  {kind} " in cli("list").out


def test_list_of_metrics_says_what_they_need(cli):
    (table,) = cli("list", "metrics", "report=json").json
    rows = {row[0]: dict(zip(table["columns"], row, strict=True)) for row in table["rows"]}
    theta = rows["wwlk_theta"]
    assert (theta["vectors"], theta["trained"], theta["alignment"]) == ("yes", "yes", "yes")
    assert rows["s2match"]["trained"] == "optional"
    assert rows["sembleu"]["symmetric"] == rows["sembleu"]["alignment"] == "no"
    assert rows["smatch"]["contents"] == "Smatch. Cai and Knight (2013)"
    assert [name for name, row in rows.items() if row["in all"] == "yes"] == sorted(
        all_names("metric")
    )


def test_names_in_a_folder_of_ones_own(cli, refused, user, tiny):
    assert "\n  size " in cli("list", "metrics", user.option).out
    assert "Number of src's nodes, times a factor." in cli("list", "metric", user.option).out
    assert "\n  tiny " in cli("list", "data", user.option).out
    user.yaml("metric/short.yaml", {"_target_": "harness_plugins.Size"})
    assert "  metric.short.factor=1.0" in cli("help", "metric", "short", user.option).out
    (user.path / "metric/broken.yaml").write_text("a: [b\n")
    assert "broken.yaml" in refused("list", "metrics", user.option)


def test_options_of_score_are_listed_by_purpose(cli):
    text = cli("score", "--help").out
    titles = re.findall(r"^([A-Z][\w ]+):$", text, re.M)
    assert titles == [
        *("Groups", "Graphs", "Further scores", "Intervals and tests", "Output", "Metric"),
        "Options of every command",
    ]
    assert "ids=warn" in text.partition("\nGraphs:\n")[2].partition("\n\n")[0]
    assert "seed=0" in text.partition("\nIntervals and tests:\n")[2].partition("\n\n")[0]


@pytest.mark.parametrize("columns", [80, 120])
def test_help_fits_the_terminal_and_no_heading_is_empty(monkeypatch, columns):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    for topic in TOPICS:
        if len(topic) == 2 and not name_page(*topic).target:
            continue  # its YAML, as it is
        text = help_text(topic)
        assert "\n\n\n" not in text, topic
        for line in text.splitlines():
            words = line.strip()  # an address or a path may be longer than a line
            assert len(line) <= columns or " are in " in words or " " not in words, (topic, line)


@pytest.mark.parametrize("command", NAMES)
def test_every_option_of_a_command_is_explained(cli, user, command):
    text = cli("help", command, user.option).out
    if command not in COMMANDS or not COMMANDS[command].is_application:  # else help is Hydra's
        assert cli(command, "--help", user.option).out == text
    assert f"python -m bamboo {command} " in text
    assert ("size" in text.rpartition("\nmetrics: ")[2]) == ("\n  metric=" in text)
    lines = text.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if re.match(r"  [\w.]+=", line):
            assert (line[25:26] == " " and line[26:].strip()) or following[:26].isspace(), line
    assert f"\n  {command} " in cli("help").out


@pytest.mark.parametrize("name", group_names("metric"))
def test_every_option_of_a_metric_is_explained(cli, name):
    outcome = cli("help", "metric", name)
    assert outcome.status == 0, outcome.err
    row = build_named_row(name, name)
    for option in {*row.document} - {"_target_", "of", "learned", "trainer", "weights"}:
        # The solver and word vectors are options of the command.
        assert (
            len(re.findall(rf"\n  (?:(?:metric|about)\.{name}\.)?{option}[=.]", outcome.out)) >= 1
        ), option
    assert row.document["_target_"] in outcome.out
    about = name_page("metric", name)
    assert about.purpose
    assert [option.name for option in about.options["Options"] if not option.meaning] == []


def test_help_shows_defaults_and_meanings(cli):
    out = cli("help", "metric", "wwlk").out
    assert "metric.wwlk.K=2" in out
    assert "number of WL iterations; 0 compares only labels." in out
    assert "direction of messages. undirected: both directions; top_down: from" in out
    assert "``" not in out
    assert cli("help", "metric").out == cli("list", "metrics").out
    assert (
        "metric.blend.of=[s2match_default,wlk,label_overlap,node_match,relation_match,"
        "wordnet_match] the metrics, by name"
    ) in " ".join(cli("help", "metric", "blend").out.split())
    for command, words in (("run", "are those of Hydra"), ("score", "They are not those of Hydra")):
        assert words in cli("help", command).out


def test_versions(cli, monkeypatch):
    for name in [name for name in os.environ if name.startswith("BAMBOO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BAMBOO_SOURCE", "/home/me/private")
    monkeypatch.setattr(installation, "find_commit", lambda: {"id": "1234abc", "modified": True})
    monkeypatch.setattr(installation, "EXTRAS", ("no-such-package",))
    lines = cli("--version").out.splitlines()
    assert lines[:2] == [f"bamboo {VERSION}", "commit 1234abc, with changes"]
    assert lines[2].startswith(f"Python {platform.python_version()}, ")
    assert f"numpy {metadata.version('numpy')}" in lines
    assert lines[-2:] == ["no-such-package is not installed", "set: BAMBOO_SOURCE"]
    assert len(lines) == 3 + len(PACKAGES) + 2


def test_information_loads_nothing_slow(home):
    information = (["--version"], ["--help"], ["help"], ["list"])
    code = (
        "import sys\nfrom bamboo.app.main import main\n"
        f"for arguments in {information!r}:\n"
        "    assert main(arguments) == 0\n"
        f"    slow = [name for name in {SLOW!r} if name in sys.modules]\n"
        "    assert not slow, (arguments, slow)\n"
    )
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=home, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
