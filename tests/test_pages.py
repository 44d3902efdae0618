"""Pages of the documentation: examples run, and what pages name exists and scores as they say."""

import doctest
import re
import shutil
from pathlib import Path

import pytest

from amr_metrics import format_graphs, parse_graph
from amr_metrics.aspects import TOOLS, aspect_table
from amr_metrics.standardize import PRESETS, STEPS
from bamboo.app.main import main
from bamboo.installation import resource

DOCS = Path(__file__).parents[1] / "docs"
COMPARABLE, SMATCHPP = (
    (DOCS / f"{page}.md").read_text("utf-8") for page in ("comparable", "smatchpp")
)


@pytest.mark.parametrize("page", ["comparable.md", "documents.md", "smatchpp.md"])
def test_examples_run(page):
    outcome = doctest.testfile(str(DOCS / page), module_relative=False)
    assert outcome.attempted
    assert not outcome.failed


# Comparable scores: options of `score`, and in the table of `run` its own

TABLES = {
    "run": COMPARABLE[COMPARABLE.index("| options of `run` |") : COMPARABLE.index("## Sub-scores")],
    "score": COMPARABLE[: COMPARABLE.index("| options of `run` |")],
}
FILES = {"score": "src=parser.amr tgt=gold.amr", "run": "data=sample"}
COMMANDS = [
    line.removeprefix("python -m bamboo ")
    for block in re.findall(r"```sh\n(.*?)```", COMPARABLE, re.DOTALL)
    for line in block.splitlines()
] + [
    f"{command} {FILES[command]} {options}"
    for command, table in TABLES.items()
    for options in re.findall(r"^\|[^|]*\| `(metric=[^`]*)` \|", table, re.MULTILINE)
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a parser's file, a gold standard and word vectors of 100 dimensions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAMBOO_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path / "vectors"))
    monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "vectors.txt"))
    files = {
        "parser": "(s / sleep-01 :ARG0 (c / cat :mod (b / big)) :polarity -)",
        "gold": "(s / sleep-02 :ARG0 (d / dog :mod (b / big)))",
    }
    for name, first in files.items():
        graphs = format_graphs(map(parse_graph, [first, "(b / bark-01)"]))
        Path(f"{name}.amr").write_text(graphs, "utf-8")
    words = ("sleep", "cat", "dog", "bark", "name", "big")
    vectors = [
        " ".join([word, *(str((k + d) % 7) for d in range(100))]) for k, word in enumerate(words)
    ]
    Path("vectors.txt").write_text("\n".join(vectors) + "\n", "utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_page_on_comparable_scores_run(folder, capsys, command):
    words = [word for word in command.split() if word != "partition=all"]
    words = ["data=sample" if word == "data=all" else word for word in words]
    assert main(words) == 0, capsys.readouterr().err


def test_every_sub_score_is_described():
    assert len(COMMANDS) >= 3 + 18
    section = COMPARABLE[COMPARABLE.index("## Sub-scores") : COMPARABLE.index("## Evidence")]
    names = [name for tool in TOOLS.values() for name in tool.names]
    assert [name for name in names if f"`{name}`" not in section] == []


# Smatch++


def test_the_page_on_smatchpp_names_what_there_is():
    assert [name for name in (*STEPS, *PRESETS) if f"`{name}`" not in SMATCHPP] == []
    listed = [names for names in re.findall(r"aspects=([\w,-]+)", SMATCHPP) if names != "all"]
    assert listed
    assert {name for names in listed for name in names.split(",")} <= set(aspect_table())


def test_every_aspect_is_described():
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \|$", SMATCHPP, re.MULTILINE)
    expected = {name: re.sub(r"(:\w+)", r"`\1`", a.text) for name, a in aspect_table().items()}
    assert {name: text for name, text in rows if name in expected} == expected


def test_the_recipe_for_corrected_graphs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sample = resource("data") / "sample"
    copies = {"a": "main/src", "b": "main/tgt", "a2": "reify/src", "b2": "reify/tgt"}
    for name, graphs in copies.items():
        shutil.copy(sample / f"{graphs}.test.amr", f"{name}.amr")
    shutil.copy(sample / "test.y", "ratings.txt")
    page = (DOCS / "tables.md").read_text("utf-8")
    *_, recipe = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.DOTALL)
    exec(recipe, {})
    assert capsys.readouterr().out.startswith("IMA 0.974")


# Chinese AMR


def test_the_page_on_chinese_amr():
    text = (DOCS / "camr.md").read_text("utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, "page", "page", 0)
    outcome = doctest.DocTestRunner().run(test)
    assert outcome.attempted > 20
    assert outcome.failed == 0


def test_the_code_of_the_chinese_page_is_on_the_english_one():
    english, chinese = (
        re.findall(r"```\w+\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
        for page in ("camr.md", "camr.zh.md")
    )
    assert chinese
    assert set(chinese) <= set(english)
