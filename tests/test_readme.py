"""The README's code runs, and its tables are what the commands beside them print.

`BAMBOO_UPDATE_README=1 pytest tests/test_readme.py` writes the tables anew.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from released import shared_file

from amr_metrics import format_graphs, parse_graph
from bamboo.app.main import main

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PYTHON = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
TABLE = re.compile(r"(<!-- table: (.*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


@pytest.mark.parametrize("code", PYTHON, ids=lambda code: code.split("\n")[0])
def test_python_examples_run(code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    graphs = [parse_graph("(s / sleep-01 :ARG0 (c / cat))"), parse_graph("(b / bark-01)")]
    for name in ("parser.amr", "gold.amr"):
        Path(name).write_text(format_graphs(graphs), "utf-8")
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.strip()
    promised = re.findall(r"# (\[.*\])$", code, re.MULTILINE)
    assert printed
    if promised:
        assert printed == promised[-1]


def test_the_environment_of_make_demo_is_activated_before_it_is_used():
    text, makefile = README.read_text("utf-8"), (ROOT / "Makefile").read_text("utf-8")
    activation, first = text.index("\n. .venv/bin/activate"), text.index("\npython -m bamboo")
    assert text.index("\nmake demo") < activation < first
    demo = makefile.partition("\ndemo:")[2].partition("\n\n")[0]
    assert "$(BIN)/activate" in demo
    start = (ROOT / "docs" / "getting-started.md").read_text("utf-8")
    assert start.index("\n. .venv/bin/activate") < start.index("\npython -m bamboo")


@pytest.mark.parametrize("target", ["demo", "setup"])
def test_environments_have_byte_code(target, tmp_path, monkeypatch):
    """``pip install -e`` compiles none, and commands none if this variable is set."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipe = makefile.partition(f"\n{target}:")[2].partition("\n\n")[0]
    assert "\t$(BIN)/$(COMPILE)" in recipe
    command = makefile.partition("COMPILE = python ")[2].partition("\n")[0]
    for package in ("bamboo", "metrics"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "module.py").write_text("x = 1\n")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    subprocess.run([sys.executable, *command.split()], cwd=tmp_path, check=True)
    assert len([*tmp_path.glob("*/__pycache__/module.*.pyc")]) == 2


def test_tables_are_what_their_commands_print(shared, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BAMBOO_SOURCE", str(shared / "bamboo-amr-benchmark"))
    monkeypatch.setenv(
        "BAMBOO_VECTORS", str(shared_file(shared, "vectors/glove.6B.100d.subset.bin"))
    )
    monkeypatch.chdir(tmp_path)
    text = README.read_text("utf-8")

    def fresh(match):
        assert main(match[2].split()) == 0
        return f"{match[1]}{capsys.readouterr().out.strip()}\n{match[4]}"

    updated = TABLE.sub(fresh, text)
    if os.environ.get("BAMBOO_UPDATE_README"):
        README.write_text(updated, "utf-8")
    assert _numbers(updated) == _numbers(README.read_text("utf-8"))


def _numbers(text):
    """The tables' cells, less what a clock measured."""
    return [
        [cell.strip() for cell in line.split("|")[:-2]]
        for match in TABLE.finditer(text)
        for line in match[3].splitlines()
        if line.startswith("|")
    ]
