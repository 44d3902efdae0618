"""The page on comparable scores: every command on it runs, its example too, and its names exist."""

import doctest
import re
from pathlib import Path

import pytest

from bamboo.commands.main import main
from metrics import format_graphs, parse_graph
from metrics.aspects import TOOLS

PAGE = Path(__file__).parents[1] / "docs" / "comparable.md"
TEXT = PAGE.read_text("utf-8")
# Inline options such as `metric=smatch_1.0`: those of `score`, and in the table of `run` its own.
TABLES = {
    "run": TEXT[TEXT.index("| options of `run` |") : TEXT.index("## Sub-scores")],
    "score": TEXT[: TEXT.index("| options of `run` |")],
}
OPTIONS = [
    (command, options)
    for command, table in TABLES.items()
    for options in re.findall(r"^\|[^|]*\| `(metric=[^`]*)` \|", table, re.MULTILINE)
]
BLOCKS = [
    line.removeprefix("python -m bamboo ")
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]
WORDS = ("sleep", "cat", "dog", "bark", "name", "big")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a parser's file, a gold standard and word vectors of 100 dimensions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path / "vectors"))
    files = {
        "parser.amr": [
            "(s / sleep-01 :ARG0 (c / cat :mod (b / big)) :polarity -)",
            "(b / bark-01)",
        ],
        "gold.amr": ["(s / sleep-02 :ARG0 (d / dog :mod (b / big)))", "(b / bark-01)"],
    }
    for name, graphs in files.items():
        Path(name).write_text(format_graphs(map(parse_graph, graphs)), "utf-8")
    lines = [
        f"{word} {' '.join(str((k + d) % 7) for d in range(100))}" for k, word in enumerate(WORDS)
    ]
    Path("vectors.txt").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "vectors.txt"))


def arguments(command):
    """The arguments of a command; BAMBOO is replaced by the bundled sample."""
    words = [word for word in command.split() if word != "partition=all"]
    return ["data=sample" if word == "data=all" else word for word in words]


@pytest.mark.parametrize("command", BLOCKS)
def test_commands_run(folder, capsys, command):
    assert main(arguments(command)) == 0, capsys.readouterr().err


@pytest.mark.parametrize(("command", "options"), OPTIONS)
def test_options_run(folder, capsys, command, options):
    files = {"score": "src=parser.amr tgt=gold.amr", "run": "data=sample"}[command]
    assert main(arguments(f"{command} {files} {options}")) == 0, capsys.readouterr().err


def test_the_page_has_commands_of_every_kind():
    assert len(BLOCKS) == 3
    assert {command for command, _ in OPTIONS} == {"score", "run"}
    assert len(OPTIONS) >= 18


def test_the_example_runs():
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("tool", TOOLS)
def test_every_sub_score_is_described(tool):
    section = TEXT[TEXT.index("## Sub-scores") : TEXT.index("## Evidence")]
    assert [name for name in TOOLS[tool].names if f"`{name}`" not in section] == []
