"""The page of all tables and figures of the papers is written from its file of data."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bamboo.app.main import main
from bamboo.config.groups import compose_group, group_names

DOCS = Path(__file__).parents[1] / "docs"
COLUMNS = ("item", "shows", "data public?", "command", "largest difference, or status")
PAPERS = {
    "bamboo": "BAMBOO",
    "sembleu": "SemBleu",
    "smatchpp": "Smatch++",
    "align-smatch": "Align-Smatch",
}


def read_items():
    with (DOCS / "papers.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


ITEMS = read_items()
COMMANDS = sorted({item["command"] for item in ITEMS} - {"-"})


def write_row(item):
    command = "none" if item["command"] == "-" else f"`{item['command']}`"
    result = ": ".join(filter(None, (item["difference"], item["result"])))
    return f"| {item['item']} | {item['shows']} | {item['data']} | {command} | {result} |"


def write_table(paper):
    rows = [write_row(item) for item in ITEMS if item["paper"] == paper]
    head = f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"
    return "\n".join([*head, *rows])


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_has_the_rows_of_the_file(paper):
    page = DOCS / "papers.md"
    text = page.read_text("utf-8")
    block = re.compile(rf"(<!-- items: {paper} -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)
    assert block.search(text)
    if os.environ.get("BAMBOO_UPDATE_DOCS"):
        text = block.sub(lambda match: f"{match[1]}{write_table(paper)}{match[2]}", text)
        page.write_text(text, "utf-8")
    assert write_table(paper) in text


def test_no_cell_is_empty():
    for item in ITEMS:
        assert item["paper"] in PAPERS
        assert all(item[name] for name in ("item", "shows", "data", "command", "result")), item
        assert item["data"] in ("yes", "no", "in text", "drawing")
    text = (DOCS / "papers.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == len(ITEMS) + 2 * len(PAPERS)  # with headings
    assert not [row for row in rows if not all(cell.strip() for cell in row.split("|")[1:-1])]


GRAPHS = {
    "a.amr": '(w / want-01 :ARG0 (c / cat :name (n / name :op1 "Bob")) :time (d / day))',
    "b.amr": '(w / want-01 :ARG0 (c / cat :name (n / name :op1 "Lisa")) :time (n2 / night))',
    "a.txt": "# ::wid x1_他 x2_离开\n(x2 / 离开-01 :arg0() (x1 / 他))",
    "b.txt": "# ::wid x1_妈妈 x2_离开\n(x2 / 离开-01 :arg0() (x1 / 妈妈))",
}


@pytest.mark.parametrize("command", [command for command in COMMANDS if " src=" in command])
def test_commands_on_files_run(command, tmp_path, monkeypatch, capsys):
    if "wwlk" in command and not os.environ.get("BAMBOO_VECTORS"):
        pytest.skip("needs BAMBOO_VECTORS")
    monkeypatch.chdir(tmp_path)
    for name, text in GRAPHS.items():
        Path(name).write_text(f"{text}\n", "utf-8")
    assert main(command.split()) == 0, capsys.readouterr().err


def test_every_table_is_on_the_page():
    """Those of our own, without a counterpart in a paper, are on other pages."""
    on_page = {item["command"].partition("table=")[2] for item in ITEMS}
    ours = {"beyond", "converged", "definitions", "leaderboard", "smatchpp_main"}
    assert {*group_names("table")} - on_page == ours | {"smatchpp_reify", "wwlk_definition"}


def find_differences(text, title):
    """The numbers in the rows or the column of differences of a table in Markdown."""
    block = text.partition(f"**{title}**\n\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()]
    cells = [row for row in rows if "difference" in row[:2]]
    if rows and "difference" in rows[0]:
        cells = [[row[rows[0].index("difference")]] for row in rows]
    numbers = [re.fullmatch(r"-?\d+(\.\d+)?", cell) for row in cells for cell in row]
    return [abs(float(match[0])) for match in numbers if match]


DIFFERENT = {
    item["command"].partition("table=")[2]: float(item["difference"])
    for item in ITEMS
    if item["difference"]
}


@pytest.mark.parametrize(
    "name", ["table4", "table5", "table6", "sembleu_corpora", "sembleu_2", "sembleu_3"]
)
def test_the_largest_differences_are_those_of_the_documented_tables(name):
    differences = find_differences(
        (DOCS / "tables.md").read_text("utf-8"), compose_group("table", name)["title"]
    )
    assert max(differences) == DIFFERENT[name]


@pytest.mark.parametrize("name", ["table1", "table3"])
def test_the_largest_differences_are_those_of_the_released_data(name, shared, tmp_path):
    # A process of its own: workers that earlier tests started have other variables.
    folders = {"BAMBOO_DATA_DIR": "data", "BAMBOO_RUNS_DIR": "runs"}
    environment = {
        **os.environ,
        **{variable: str(tmp_path / folder) for variable, folder in folders.items()},
        "BAMBOO_SOURCE": str(shared / "bamboo-amr-benchmark"),
    }
    command = [sys.executable, "-m", "bamboo", "tables", f"table={name}", "report=markdown"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    differences = find_differences(done.stdout, compose_group("table", name)["title"])
    assert round(max(differences), 2) == DIFFERENT[name]
