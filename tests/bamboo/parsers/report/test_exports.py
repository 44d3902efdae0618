"""What the buttons of the report copy: tables for papers."""

import json
import re

import pytest
from harness import typeset

import bamboo


@pytest.fixture(scope="module")
def exports(sample_report):
    """The texts that the buttons of all pages copy, by their names."""
    texts = {}
    for page in sample_report.glob("*.html"):
        for stored in re.findall(
            r'id="exports">(.*?)</script>', page.read_text("utf-8"), re.DOTALL
        ):
            texts |= json.loads(stored)
    return texts


TABLES = ("ranking", "aspects", "costs", "errors")


@pytest.mark.parametrize("name", TABLES)
def test_the_signature_is_a_comment_in_latex(exports, name):
    lines = exports[f"{name}-latex"].splitlines()
    comments = [line for line in lines if line.startswith("%")]
    assert any(
        line.startswith("% signature: smatch_1.0|") and "|seed=0|" in line for line in comments
    )
    text = "\n".join(line for line in lines if not line.startswith("%"))
    assert "seed" not in text
    assert not set("<>|").intersection(text)
    assert r"\caption{" in text


@pytest.mark.parametrize(("name", "k"), [("ranking", 0), ("aspects", 1), ("costs", 2)])
def test_tables_are_those_of_the_command(exports, parser_files, name, k):
    paths = [parser_files / f"{name}.amr" for name in ("good", "poor", "gold")]
    options = {"resamples": 200, "ci": True, "errors": True, "validity": True}
    report = bamboo.score(
        paths[:2], paths[2], aspects="all", aspects_definition="amrlib", **options
    )
    # The flags have a section of their own on the page.
    table, whole = (
        [*tables[:1], *tables[2:]][k] for tables in (report.tables(), report.tables("all"))
    )
    body, copied = (
        text.partition(r"\toprule")[2].partition(r"\end{tabular}")[0]
        for text in (table.to_latex(), exports[f"{name}-latex"])
    )
    assert copied == body
    assert exports[f"{name}-tsv"].replace("\t", ",") == whole.to_csv()


def test_levels_of_significance_in_latex(exports):
    assert r"(p \textless{} .05, .01, .001)" in exports["ranking-latex"]


@pytest.mark.parametrize("name", TABLES)
def test_latex_fits_the_text_block(exports, name, tmp_path):
    text = exports[f"{name}-latex"]
    for short, long in (("good", "a-parser-of-20-chars"), ("poor", "another-parser-of-20")):
        text = re.sub(rf"\b{short}\b", long, text)
    assert "Overfull" not in typeset(tmp_path, text)
