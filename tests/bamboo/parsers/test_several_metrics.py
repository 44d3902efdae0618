"""Parsers by metrics, in every form; what is dropped; buckets; signatures."""

import csv
import io

import numpy as np
import pytest

import amr_metrics
import bamboo
from amr_metrics.external import FunctionMetric
from bamboo.errors import FileNote

# `good` lacks the wiki link; `poor` also has another concept and another sense.
GOLD = [
    '# ::id 1\n# ::genre news\n(c / city :wiki "Ulm")',
    "# ::id 2\n# ::genre blog\n(s / sleep-01 :ARG0 (c / cat))",
]
GOOD = ["# ::id 1\n(c / city)", "# ::id 2\n(s / sleep-01 :ARG0 (c / cat))"]
POOR = ["# ::id 1\n(t / town)", "# ::id 2\n(s / sleep-02 :ARG0 (c / cat))"]
PARSERS = {"good": GOOD, "poor": POOR}
METRICS = ["smatch_1.0", "sema", "wlk"]


@pytest.fixture
def files(home):
    for name, graphs in (*PARSERS.items(), ("gold", GOLD)):
        (home / f"{name}.amr").write_text("\n\n".join(graphs) + "\n")
    return "good.amr", "poor.amr", "gold.amr"


def test_a_row_per_parser_and_a_column_per_metric():
    report = bamboo.score(PARSERS, GOLD, METRICS, permutations=20)
    assert [*report] == METRICS
    table, *others = report.tables()
    assert (table.columns, others) == (("parser", *METRICS), [])
    for k, parser in enumerate(PARSERS):
        alone = [bamboo.score(PARSERS[parser], GOLD, metric).score for metric in METRICS]
        assert table.rows[k] == (parser, *alone)
    assert table.best == {(0, column) for column in (1, 2, 3)}
    # 2 + 4 of good's 6 triples (with TOP) are among gold's 7.
    assert table.rows[0][1] == pytest.approx(2 * 6 / (6 + 7))
    assert "| good | **92.3** | " in report.to_markdown()


@pytest.mark.parametrize(("count", "tables"), [(20, 2), (21, 1)])
def test_pairs_have_a_table_if_there_are_at_most_20(count, tables):
    graphs = ["(c / cat)"] * count
    assert len(bamboo.score(graphs, graphs).tables()) == tables


def test_the_frame_is_long():
    report = bamboo.score(PARSERS, GOLD, METRICS, permutations=20)
    frame = report.to_frame()
    columns = ["metric", "kind", "part", "parser", "pairs", "left_out", "score", "value"]
    assert [*frame.columns] == [*columns, "low", "high"]
    row = frame.query("metric == 'smatch_1.0' and parser == 'good' and score == 'f1'")
    assert row["value"].tolist() == [report["smatch_1.0"]["good"].score]
    assert [*report.differences()["metric"].unique()] == METRICS


def test_every_form(cli, files):
    words = ("score", *files, f"metric={','.join(METRICS)}", "permutations=20")
    latex = cli(*words, "report=latex").out
    assert r"good & \textbf{92.3} & " in latex
    assert "mark" not in latex
    document = cli(*words, "report=json").json
    assert [of_metric["metric"] for of_metric in document["metrics"]] == METRICS
    assert document["src"] == ["good.amr", "poor.amr"]
    scores, differences = cli(*words, "report=csv").out.strip().split("\n\n")
    rows = [*csv.DictReader(io.StringIO(scores))]
    expected = bamboo.score([*files[:2]], files[2], METRICS, permutations=20)
    assert [float(row["value"]) for row in rows] == expected.to_frame()["value"].tolist()
    tests = csv.DictReader(io.StringIO(differences))
    assert [float(row["value"]) for row in tests] == expected.differences()["difference"].tolist()
    assert rows[0]["signature"].startswith("smatch_1.0|resamples=1000|permutations=20|unit=pair|")
    values = cli(*words, "report=value").out.split()
    assert values[:2] == [f"{2 * 6 / 13:.4f}", f"{2 * 4 / 13:.4f}"]


def test_a_metric_that_fails_on_one_parser_has_an_empty_cell():
    def fails_on_towns(src, tgt):
        if "town" in src.concepts or "sleep-02" in src.concepts:
            raise ValueError("unknown concept")
        return 0.5

    strict = FunctionMetric(function=fails_on_towns)
    metrics = ["smatch", strict]
    with pytest.warns(bamboo.BambooWarning, match="2 of 2 pairs are missing"):
        report = bamboo.score(PARSERS, GOLD, metrics, on_error="nan", permutations=20)
    (table,) = report.tables()
    assert [row[2] for row in table.rows] == [0.5, None]
    assert any("poor: no pair could be scored; first problem: " in note for note in table.notes)
    with pytest.raises(bamboo.BambooError, match=": poor: no pair could be scored"):
        bamboo.score({"poor": POOR}, GOLD, metrics, on_error="nan")


def test_aspects_are_a_table_for_each_metric_that_has_them():
    with pytest.warns(bamboo.BambooWarning, match="sema has no aspects of smatchpp"):
        report = bamboo.score(
            PARSERS, GOLD, ["smatchpp", "smatchpp_none", "sema"], aspects="srl", permutations=20
        )
    titles = [table.title for table in report.tables()[1:]]
    assert titles == [f"Aspects, {name}, F1 (x 100)" for name in ("smatchpp", "smatchpp_none")]


def test_scores_outside_0_to_1_are_shown_as_they_are():
    class Nodes(amr_metrics.Metric):
        range = (0.0, float("inf"))

        def evaluate(self, pairs):
            return amr_metrics.Scores(np.array([float(len(pair.src.concepts)) for pair in pairs]))

    report = bamboo.score(GOOD, GOLD, Nodes())
    assert "1.5000" in repr(report)
    assert "x 100" not in repr(report)


def test_dropping_comes_before_the_steps_of_the_metric():
    assert bamboo.score(GOOD, GOLD, drop="wiki").score == 1
    assert bamboo.score(POOR, GOLD, drop="wiki,senses").score == pytest.approx(
        2 * 5 / (6 + 6)  # all but the concept town, with TOP
    )
    no_edges = bamboo.score(POOR, GOLD, "smatch", drop=("wiki", ":arg0"))
    assert no_edges.score == pytest.approx(2 * 1 / (5 + 5))  # the cat
    assert no_edges.signature.startswith("smatch|drop=wiki,:arg0|bamboo v")
    without = [graph.replace(' :wiki "Ulm"', "") for graph in GOLD]
    expected = bamboo.score(POOR, without, "smatchpp").score
    assert bamboo.score(POOR, GOLD, "smatchpp", drop="wiki").score == expected


def test_a_role_that_no_graph_has_is_noted():
    with pytest.warns(FileNote) as caught:
        report = bamboo.score(PARSERS, GOLD, "smatch", drop=(":arg0-of", ":op.*", ":wiki"))
    (note,) = (str(warning.message) for warning in caught)
    assert note.startswith("drop=:op.* changes nothing: no graph has this role.")
    # An inverse role is the role itself.
    expected = bamboo.score(PARSERS, GOLD, "smatch", drop=(":ARG0", "wiki"))
    assert report["poor"].scores.tolist() == expected["poor"].scores.tolist()


def test_smatch_versions(cli, files):
    out = cli("score", "good.amr", "gold.amr", "metric=smatch_versions").out
    names = [line.split()[0] for line in out.splitlines()[4:10]]
    assert names == [
        *("smatch_1.0", "smatch_1.0.2", "smatch", "smatchpp", "smatchpp_generic", "smatchpp_none")
    ]


def test_buckets_by_metadata_by_file_and_by_size(files, home):
    report = bamboo.score(PARSERS, GOLD, by="genre", permutations=20)
    frame = report.buckets_frame().set_index(["bucket", "parser"])
    assert [*frame.index] == [(b, p) for b in ("blog", "news", "(macro)") for p in PARSERS]
    assert frame.loc[("(macro)", "poor"), "f1"] == frame["f1"].iloc[1:4:2].mean()
    assert frame.loc[("news", "good"), "f1"] == pytest.approx(2 * 2 / (2 + 3))
    assert frame.loc[("blog", "good"), "f1"] == 1
    assert frame.loc[("blog", "poor"), "f1"] == pytest.approx(2 * 3 / (4 + 4))
    assert "|by=genre|" in report.signature
    (home / "parts.tsv").write_text("1\tfirst\n\nother\tsecond\n", "utf-8-sig")
    by_file = bamboo.score(PARSERS, GOLD, by=home / "parts.tsv", permutations=20)
    assert [*by_file.buckets_frame()["bucket"].unique()] == ["first", "(none)"]
    sizes = bamboo.score(PARSERS, GOLD, by="size", permutations=20).buckets_frame()
    assert [*sizes["bucket"].unique()] == ["1 node", "2 nodes"]
    assert sizes["f1"].tolist()[::2] == pytest.approx([4 / 5, 1])


def test_a_bucket_of_one_sentence_has_no_interval(cli, files):
    words = ("score", *files, "by=genre", "ci=true", "resamples=20", "permutations=20")
    document = cli(*words, "report=json").json
    news = document["parsers"][0]["buckets"][1]
    assert (news["bucket"], news["pairs"], news["interval"]) == ("news", 1, None)
    assert "By genre, F1 (x 100)" in cli(*words).out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 first\n", "line 1: expected an id, a tab and the name of a bucket"),
        ("1\ta\n1\tb\n", "line 2: the id 1 is already in another bucket"),
        ("x\ta\n", "the file has the id of no graph"),
    ],
)
def test_bad_files_of_buckets(refused, files, home, content, message):
    (home / "parts.tsv").write_text(content)
    assert message in refused("score", *files, "by=parts.tsv")


def test_a_file_of_buckets_in_another_encoding(refused, files, home):
    (home / "parts.tsv").write_text("1\tfirst\n", "utf-16")
    message = "by=parts.tsv cannot be read: line 1: is UTF-16, not UTF-8: convert the file first"
    assert message in refused("score", *files, "by=parts.tsv")


def test_too_many_buckets(refused, home):
    graphs = [f"# ::id {k}\n(c / cat)" for k in range(101)]
    (home / "many.amr").write_text("\n\n".join(graphs))
    assert "there are 101 buckets" in refused("score", "many.amr", "many.amr", "by=id")


def test_provenance(cli, files, home):
    document = cli("score", *files, "report=json", "permutations=20").json
    assert document["inputs"]["tgt"] == [
        {
            "path": "gold.amr",
            "bytes": (home / "gold.amr").stat().st_size,
            "sha256": amr_metrics.utils.digests.file_digest(home / "gold.amr"),
        }
    ]
    assert {*document["inputs"]} == {"good", "poor", "tgt"}
    assert document["citations"] == ["cai-knight-2013-smatch"]
    assert document["version"] == bamboo.__version__


def test_papers_to_cite(cli, files):
    outcome = cli("score", *files[1:], "cite=true")
    assert "cite: cai-knight-2013-smatch" in outcome.out
    assert "@inproceedings{cai-knight-2013-smatch," in outcome.err


def test_word_vectors_are_in_the_signature():
    vectors = amr_metrics.WordVectors.of({"cat": [1.0, 0.0], "city": [0.0, 1.0]})
    metric = amr_metrics.S2match(vectors=vectors)
    report = bamboo.score(GOOD, GOLD, metric)
    assert f"vectors=WordVectors:{vectors.digest[:8]}|" in report.signature
