"""Tables for papers: names that readers know, a caption, and the width of a column."""

import re

import pytest
from harness import are_in_order, noisy, typeset

import amr_metrics
import bamboo
from bamboo.config.groups import group_names
from bamboo.config.requests import resolve_rows
from bamboo.display.table import Table

METRICS = ["smatch_1.0", "smatchpp", "sembleu"]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Three parsers, three metrics, with intervals."""
    folder = tmp_path_factory.mktemp("parsers")
    for name, share in (("gold", 0.0), ("a", 0.1), ("b", 0.5), ("c", 0.3)):
        noisy(folder / f"{name}.amr", share, 1)
    parsers = {"SPRING": "a.amr", "AMRBART": "b.amr", "T5_$x$": "c.amr"}
    options = {"ci": True, "limit": 40, "resamples": 50, "permutations": 200}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return bamboo.score(parsers, "gold.amr", METRICS, **options)


def test_headings_are_names_that_readers_know(report):
    (table,) = report.tables()
    assert table.columns[1::2] == tuple(METRICS)
    assert table.paper.columns == (
        *("parser", "Smatch", "95 %", "Smatch++", "95 %", "SemBleu", "95 %"),
    )
    assert "smatch_1.0" in report.to_csv()
    assert [row["metric"] for row in report.to_json()["metrics"]] == METRICS
    single = report["smatch_1.0"]
    (table,) = single.tables()
    assert are_in_order(("parser", "pairs", "f1", "f1 95 %", "minus best"), table.columns)
    assert are_in_order(("parser", "Smatch", "95 %", "minus best"), table.paper.columns)
    assert "pairs" not in table.paper.columns
    assert table.paper.title == "Smatch against gold.amr (x 100)"
    (table,) = single.tables("all")
    assert "f1" in table.paper.columns  # beside precision and recall


def test_there_is_one_line_of_notes(report):
    lines = report.to_markdown().split("\n")
    (note,) = [line for line in lines[1:] if line and not line.startswith("|")]
    assert note.startswith(
        "Scores x 100 against gold.amr (40 sentences), with 95 % intervals. Bold: the highest. "
        "*, **, ***: significantly below it, p < .05, .01, .001 (paired permutation test, "
        "corrected by Westfall and Young's min-p). signature: smatch_1.0, smatchpp, sembleu|limit="
    )
    *table, caption, signature = report.to_latex().split("\n")
    assert table[-1] == r"\end{tabular}"
    assert caption.startswith(
        r"% \caption{Scores x 100 against gold.amr (40 sentences), with 95 \%"
    )
    assert signature.startswith("% signature: smatch_1.0, smatchpp, sembleu|limit=40|")


def test_pairs_without_a_score_are_in_the_caption(home):
    (home / "a.amr").write_text("(c / cat)\n\n(d / dog\n")
    (home / "gold.amr").write_text("(c / cat)\n\n(d / dog)\n")
    with pytest.warns(bamboo.BambooWarning):
        report = bamboo.score("a.amr", "gold.amr", ["smatch", "sema"], on_error="nan")
    assert "a: 1 of 2 pairs is missing" in report.to_latex()


CAT, DOG = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))"
BROKEN = "(s / sleep-01"


def score_with_missing(parsers, metric="smatch", gold=(CAT, CAT, CAT)):
    with pytest.warns(bamboo.BambooWarning):
        return bamboo.score(parsers, gold, metric, on_error="nan", permutations=20)


def caption_of(report):
    return report.tables()[0].paper.notes[0]


def test_the_caption_says_on_which_pairs_parsers_are_compared():
    """On pairs 0 and 1 the difference is 7 / 8 - 1; that of the scores is 7 / 8 - 11 / 12."""
    report = score_with_missing({"a": [CAT, DOG, BROKEN], "b": [CAT, CAT, DOG]})
    (table,) = report.tables()
    first, second = (dict(zip(table.paper.columns, row, strict=True)) for row in table.paper.rows)
    assert are_in_order(("parser", "pairs", "Smatch (BAMBOO)", "minus best"), first)
    assert (first["pairs"], first["Smatch (BAMBOO)"]) == (2, 7 / 8)
    assert (second["pairs"], second["Smatch (BAMBOO)"]) == (3, pytest.approx(11 / 12))
    assert first["minus best"] == 7 / 8 - 1
    text = "a and b are compared on the 2 pairs for which both have a score, so their difference is"
    for rendered in (report.to_markdown(), report.to_latex()):
        assert text in rendered
        assert "a: 1 of 3 pairs is missing" in rendered
        assert "sentences)" not in rendered
    assert any(text in note for note in table.notes)


def test_the_same_number_of_different_pairs():
    report = score_with_missing({"a": [BROKEN, BROKEN, DOG], "b": [CAT, BROKEN, BROKEN]})
    (table,) = report.tables()
    assert table.paper.columns[:2] == ("parser", "pairs")
    assert [row[1] for row in table.paper.rows] == [1, 1]
    assert "sentence)" not in caption_of(report)
    assert "a and b are not compared: there is no pair for which both have a score" in caption_of(
        report
    )


@pytest.mark.parametrize("metrics", [["smatch", "text_jaccard"], ["text_jaccard", "smatch"]])
def test_the_caption_says_what_any_of_the_metrics_left_out(metrics):
    gold = [f"# ::snt A cat sleeps.\n{CAT}"] * 3
    parsers = {"a": [*gold[:2], CAT], "b": gold}
    caption = caption_of(score_with_missing(parsers, metrics, gold))
    assert "text_jaccard: a: 1 of 3 pairs is missing" in caption
    assert "text_jaccard: a and b are compared on the 2 pairs" in caption
    assert "Smatch" not in caption
    alone = caption_of(score_with_missing({"a": parsers["a"]}, metrics, gold))
    assert "text_jaccard: a: 1 of 3 pairs is missing" in alone
    parsers["a"] = [BROKEN] * 3
    caption = caption_of(score_with_missing(parsers, metrics, gold))
    assert ". a: no pair could be scored; first problem: " in caption  # by both metrics
    assert "compared" not in caption


def test_a_deviation_belongs_to_a_score(home):
    """Runs with an F1 of 1 and 3 / 4: the sample has a deviation of 1 / 4 / sqrt(2)."""
    for name, text in (("gold", CAT), ("a0", CAT), ("a1", DOG), ("b0", DOG), ("b1", DOG)):
        (home / f"{name}.amr").write_text(text)
    parsers = {name: [home / f"{name}0.amr", home / f"{name}1.amr"] for name in "ab"}
    first = {"a": parsers["a"]}
    paper = bamboo.score(first, home / "gold.amr", ["smatch", "wlk"]).tables()[0].paper
    assert paper.columns == (
        *("metric", "precision", "recall", "score"),
        *("precision sd", "recall sd", "score sd", "runs"),
    )
    smatch, wlk = (dict(zip(paper.columns, row, strict=True)) for row in paper.rows)
    assert smatch["score sd"] == pytest.approx(0.25 / 2**0.5)
    assert wlk["score sd"] == pytest.approx((1 - wlk["score"]) * 2**0.5)  # runs of 1 and x
    assert (wlk["precision sd"], wlk["runs"]) == (None, 2)
    (table,) = bamboo.score(parsers, home / "gold.amr", "smatch").tables()
    assert are_in_order(("parser", "pairs", "f1", "f1 sd", "minus best", "runs"), table.columns)
    expected = ("parser", "Smatch (BAMBOO)", "sd", "minus best", "runs")
    assert are_in_order(expected, table.paper.columns)


def test_the_working_folder_has_a_name(home, monkeypatch):
    for folder in ("a", "gold"):
        (home / folder).mkdir()
        (home / folder / "x.amr").write_text(CAT)
    monkeypatch.chdir(home / "gold")
    assert "F1 x 100 against . (1 sentence)" in bamboo.score("../a", ".").to_markdown()


def test_a_parser_has_one_column_of_scores(report):
    (table,) = report["SPRING"].tables()
    paper = table.paper
    assert table.columns == (
        *("metric", "pairs", "precision", "recall", "f1", "f1 95 %", "bleu", "bleu 95 %"),
    )
    assert paper.columns == ("metric", "precision", "recall", "score", "95 %")
    assert [row[0] for row in paper.rows] == ["Smatch", "Smatch++", "SemBleu"]
    assert [row[3] for row in paper.rows] == [row[4] or row[6] for row in table.rows]
    assert [row[4] for row in paper.rows] == [row[5] or row[7] for row in table.rows]


def test_equal_names_are_those_of_the_metrics():
    report = bamboo.score("(c / cat)", ["(c / cat)"], ["camr_smatch", "smatch_1.0"][1:])
    assert report.tables()[-1].paper.title.startswith("Smatch against")
    both = bamboo.score(
        "(c / cat)", ["(c / cat)"], [amr_metrics.get("smatch"), amr_metrics.get("wlk", K=3)]
    )
    assert [row[0] for row in both.tables()[0].paper.rows] == ["Smatch (BAMBOO)", "WLK K=3"]


def test_every_name_in_papers_is_of_one_metric():
    names = [name for name in group_names("metric") if name not in ("camr_smatch", "wwlk_theta")]
    headings = [row.heading for name in names for row in resolve_rows(name)]
    assert len({*headings}) == len(headings)


def test_intervals_are_below_the_scores(report):
    text = report.to_latex()
    assert r"\begin{tabular}{@{}lccc@{}}" in text
    assert r"parser & Smatch & Smatch++ & SemBleu \\" in text
    assert len(re.findall(r"^ & \\scriptsize \[[\d., ]+\] & \\scriptsize \[", text, re.M)) == 3


def test_a_column_of_an_article_takes_it(report, tmp_path):
    tables = []
    for text in (report.to_latex(), report[METRICS[0]].to_latex()):
        caption = re.search(r"^% (\\caption\{.*\})$", text, re.M)[1]
        tables += [r"\begin{table}\centering", text, rf"{caption}\end{{table}}"]
    log = typeset(tmp_path, "\n".join(tables), r"\documentclass[twocolumn]{article}")
    assert "Overfull" not in log


def test_a_table_without_a_column():
    table = Table(
        "T",
        ("a", "b", "c"),
        ((1.0, 2.0, 3.0),),
        (1, 2, 3),
        times_100=frozenset({1, 2}),
        best=frozenset({(0, 0), (0, 1), (0, 2)}),
        marks={(0, 1): "*", (0, 2): "**"},
    ).select_columns([0, 2])
    assert (table.columns, table.rows, table.digits) == (("a", "c"), ((1.0, 3.0),), (1, 3))
    assert (table.times_100, table.best) == ({1}, {(0, 0), (0, 1)})
    assert table.marks == {(0, 1): "**"}
