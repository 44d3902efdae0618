"""What the buttons of the report copy: tables for papers."""

import json
import re

import pytest
from harness import typeset

import bamboo

CAT, DOG = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))"


def read_exports(report):
    """Return the texts that the buttons of all pages copy, by their names."""
    texts = {}
    for page in report.glob("*.html"):
        for stored in re.findall(
            r'id="exports">(.*?)</script>', page.read_text("utf-8"), re.DOTALL
        ):
            texts |= json.loads(stored)
    return texts


@pytest.fixture(scope="module")
def exports(sample_report):
    """The texts that the buttons of all pages copy, by their names."""
    return read_exports(sample_report)


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


def test_tables_are_those_of_the_command(exports, parser_files):
    paths = [parser_files / f"{name}.amr" for name in ("good", "poor", "gold")]
    options = {"resamples": 200, "ci": True, "errors": True, "validity": True}
    report = bamboo.score(
        paths[:2], paths[2], aspects="all", aspects_definition="amrlib", **options
    )
    # The flags have a section of their own on the page.
    tables, whole = ([t[0], *t[2:]] for t in (report.tables(), report.tables("all")))
    for name, table, all_columns in zip(TABLES, tables, whole, strict=False):
        body, copied = (
            text.partition(r"\toprule")[2].partition(r"\end{tabular}")[0]
            for text in (table.to_latex(), exports[f"{name}-latex"])
        )
        assert copied == body
        assert exports[f"{name}-tsv"].replace("\t", ",") == all_columns.to_csv()


def test_levels_of_significance_in_latex(exports):
    assert r"(p \textless{} .05, .01, .001)" in exports["ranking-latex"]


def test_latex_fits_the_text_block(exports, tmp_path):
    text = "\n".join(exports[f"{name}-latex"] for name in TABLES)
    for short, long in (("good", "a-parser-of-20-chars"), ("poor", "another-parser-of-20")):
        text = re.sub(rf"\b{short}\b", long, text)
    assert "Overfull" not in typeset(tmp_path, text)


def export_parsers(folder, parsers, gold, **options):
    bamboo.score(parsers, gold, pages=folder, permutations=20, resamples=20, **options)
    return read_exports(folder)


@pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")
def test_left_out_sentences_are_said_in_every_table_and_in_the_sentence(tmp_path):
    parsers = {"a": [CAT, CAT[:-1], DOG], "b": [CAT, DOG, DOG]}
    texts = export_parsers(tmp_path / "out", parsers, [CAT] * 3, on_error="nan")
    missing = "a: 1 of 3 pairs is missing and left out of every score"
    compared = "a and b are compared on the 2 pairs for which both have a score"
    captions = {}
    for name in TABLES:
        captions[name] = texts[f"{name}-latex"].rpartition(r"\caption{")[2]
        for text in (captions[name], texts[f"{name}-markdown"]):
            assert missing in text
            assert compared in text
    numbers = "on 2 sentences for a and 3 for b"
    caption = rf"smatch\_1.0 of 2 parsers {numbers}, in points of 100, with 95 \% bootstrap"
    assert captions["ranking"].startswith(caption)
    sentence = texts["made-paper"]
    assert f"in points of 100 {numbers}, with 95 % intervals from 20 bootstrap" in sentence
    assert missing in sentence
    assert compared in sentence


def test_one_sentence_has_neither_intervals_nor_tests(tmp_path):
    texts = export_parsers(tmp_path / "out", {"a": [CAT], "b": [DOG]}, [CAT])
    assert (
        r"\caption{smatch\_1.0 of 2 parsers on 1 sentence, in points of 100.}"
        in (texts["ranking-latex"])
    )
    assert texts["made-paper"].endswith(") in points of 100 on 1 sentence.\n")


def test_the_plot_of_the_figure_begins_after_the_names(tmp_path):
    """A letter of 11 pixels is about 6.6 wide; a plot of 240 and margins of 10 are beside it."""
    for name, width in (("a-parser", 360), ("AMRBART-large-v2-seed1", 22 * 6.6 + 260)):
        parsers = {name: [CAT, DOG, DOG], "b": [DOG, DOG, DOG]}
        figure = export_parsers(tmp_path / name, parsers, [CAT, CAT, DOG])["ranking-svg"]
        drawn = re.findall(r'(?:d="M|cx="|<text x="(?!0"))([\d.]+)', figure)
        assert min(map(float, drawn)) >= len(name) * 6.6
        assert float(re.search(r'width="([\d.]+)"', figure)[1]) == pytest.approx(width, abs=1)
        assert figure.count('stroke-width="2"') == 2  # intervals
        # Lines of 22 pixels begin at 4; names stand 4 below their middles.
        assert re.findall(r'cy="([\d.]+)"', figure) == ["15.0", "37.0"]
        assert re.findall(r'<text x="0" y="([\d.]+)"', figure) == ["19.0", "41.0"]
