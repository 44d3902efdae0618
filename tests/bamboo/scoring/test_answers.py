"""Lists of parses, JSON Lines, and raw answers of language models."""

import gzip
import json
import math
from pathlib import Path

import pytest

import bamboo
from amr_metrics import parse_graph
from amr_metrics.errors import GraphError
from bamboo.errors import BambooWarning, ConfigError, DataError
from bamboo.scoring.answers import split_answers

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(s / sleep-01 :ARG0 (d / dog))"
FENCE = f"Here it is:\n```amr\n{CAT}\n```\nAnything else (or more)?"
TWO = f"{CAT}\n\nor\n\n{DOG}"
UNREADABLE = [
    "",
    " \n",
    "I cannot parse this.",
    None,
    math.nan,
    "b / bark-01",
    "(b / bark-01",
    "(b / bark-01 :mod (s / smile\ud83d))",
    FENCE,
]

quiet = pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")


@quiet
class TestLists:
    def test_five_answers(self):
        parses = ["", "I cannot parse this.", None, "b / bark-01", CAT]
        report = bamboo.score(parses, [CAT] * 5, on_error="zero")
        details = report.values.scores.details
        totals = [details[name].sum() for name in ("matches", "src_total", "tgt_total")]
        assert totals == [4, 4, 20]
        assert report.corpus["precision"] == 1
        assert report.corpus["recall"] == 0.2
        assert report.score == 1 / 3

    @pytest.mark.parametrize("parse", UNREADABLE)
    def test_a_parse_that_cannot_be_read_follows_on_error(self, parse):
        with pytest.raises(GraphError, match=r"^src, graph 1"):
            bamboo.score([CAT, parse], [CAT, CAT])
        missing = bamboo.score([CAT, parse], [CAT, CAT], on_error="nan")
        assert missing.score == 1
        assert math.isnan(missing.scores[1])
        assert bamboo.score([CAT, parse], [CAT, CAT], on_error="zero").scores.tolist() == [1, 0]

    def test_only_parses_that_are_not_there(self):
        report = bamboo.score([None, CAT[:-1]], [CAT, CAT], on_error="zero")
        assert report.corpus == {"precision": 0, "recall": 0, "f1": 0}
        with pytest.raises(ConfigError, match="no pair could be scored; first problem: src, graph"):
            bamboo.score([None, None], [CAT, CAT], on_error="nan")

    @pytest.mark.parametrize("on_error", ["stop", "nan", "zero"])
    def test_gold_that_is_not_there_is_an_error(self, on_error):
        for nothing in (None, math.nan):
            with pytest.raises(ConfigError, match=r"^tgt\[1\]: (None|nan) is no gold graph"):
                bamboo.score([CAT, CAT], [CAT, nothing], on_error=on_error)

    def test_the_name_of_a_file_is_text(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("a.amr").write_text(CAT)
        with pytest.raises(GraphError, match=r"src, graph 0: there is no graph in 'a\.amr'"):
            bamboo.score(["a.amr"], [CAT])
        assert bamboo.score(["a.amr"], CAT).score == 1  # no list: a parser
        assert bamboo.score(["a.amr"], "a.amr").score == 1
        assert bamboo.score("a.amr", [CAT]).score == 1
        with pytest.raises(ConfigError, match=r"src\[1\]: a path in a list of graphs"):
            bamboo.score([CAT, Path("a.amr")], [CAT, CAT])

    def test_gold_of_an_iterator_is_read_once(self):
        gold = (text for text in (CAT, CAT))
        report = bamboo.score({"a": [CAT, DOG], "b": [DOG, DOG]}, gold)
        assert [report[name].score for name in report] == [0.875, 0.75]

    def test_graphs_and_texts(self):
        graph = parse_graph(CAT)
        assert bamboo.score([graph, "?"], (graph, graph), on_error="zero").scores.tolist() == [1, 0]

    def test_ids_of_texts_that_cannot_be_read(self):
        gold = [f"# ::id {k}\n{CAT}" for k in "ab"]
        texts = ["# ::id b\n(s / sleep-01", "# ::id a\nHere:\n" + CAT]
        report = bamboo.score(texts, gold, ids="match", on_error="zero", extract="first")
        assert (report.ids, report.scores.tolist()) == (["a", "b"], [1, 0])

    def test_a_list_of_parses_against_a_file(self, tmp_path):
        (tmp_path / "gold.amr").write_text(f"{CAT}\n\n{CAT}")
        for parse in ("", None, "no graph"):
            with pytest.raises(ConfigError, match=r"src\[1\]: .* then tgt is a list, too"):
                bamboo.score([CAT, parse], tmp_path / "gold.amr", on_error="zero")


@quiet
class TestExtract:
    def test_the_first_graph_of_each_text(self):
        report = bamboo.score(
            [CAT, FENCE, TWO, "no", f"```\n{CAT}"], [CAT] * 5, extract="first", on_error="zero"
        )
        assert report.scores.tolist() == [1, 1, 1, 0, 1]
        assert report.extracted["src"][:3] == (5, 3, 1)
        assert report.signature.startswith("smatch_1.0|extract=first|on_error=zero|")
        counts = {name: n for name, n in report.to_json()["extracted"].items() if n}
        assert counts == {"texts": 5, "surrounded": 3, "several": 1}
        note = (
            "extract=first: src: 3 of 5 texts have other text around the graph; 1 has several "
            "graphs, of which the first is scored"
        )
        assert note in str(report)
        assert note in str(
            bamboo.score(
                [CAT, FENCE, TWO, "no", f"```\n{CAT}"],
                [CAT] * 5,
                ["smatch", "sema"],
                extract="first",
                on_error="zero",
            )
        )

    def test_the_last_graph_of_each_text(self):
        texts = [
            f"<think>{DOG}</think>\n{CAT}",
            f"<think>\n{CAT}",
            json.dumps({"parse": CAT}),
            f"Draft: {DOG}\nFinal: {CAT})\n\nwhere\n\n(c / cat)",
            f"Draft: {CAT}\n\nFinal:\n{CAT[:-1]}",
        ]
        report = bamboo.score(texts, [CAT] * 5, extract="last", on_error="zero")
        assert report.scores.tolist() == [1, 0, 0, 1, 0]
        assert report.problems[4].line == 4
        assert "|extract=last|" in report.signature
        assert (
            "extract=last: src: 3 of 5 texts have other text around the graph; 2 have reasoning, 1 "
            "of them without an end; 2 have several graphs, of which the last is scored; 1 has a "
            "graph that repeats a part of another one, and is passed over; 1 has closing "
            "parentheses after the graph: one inside it may be misplaced; 1 has JSON in place of a "
            "graph: choose a field in it"
        ) in str(report)

    def test_what_extract_would_do_is_said(self):
        with pytest.warns(BambooWarning, match="src: 2 texts with a graph cannot be read because"):
            bamboo.score([FENCE, TWO, "no", CAT], [CAT] * 4, on_error="zero")
        with pytest.raises(GraphError) as raised:
            bamboo.score([FENCE], [CAT])
        assert "extract=last" in raised.value.__notes__[0]

    def test_gold_is_not_extracted(self):
        with pytest.raises(GraphError, match="tgt, graph 0"):
            bamboo.score([CAT], [FENCE], extract="first")

    def test_other_formats(self):
        with pytest.raises(ConfigError, match="extract=first is for AMR: leave out format=camr"):
            bamboo.score([CAT], [CAT], extract="first", format="camr")
        with pytest.raises(ConfigError, match="extract=last is for AMR: leave out format=umr"):
            bamboo.agree([[CAT], [CAT]], extract="last", format="umr")
        with pytest.raises(ConfigError, match="extract=last is for AMR: leave out format=camr"):
            bamboo.explain([CAT], [CAT], extract="last", format="camr")

    def test_files_without_ids(self, tmp_path):
        file = tmp_path / "answers.txt"
        file.write_text(
            f"Sure:\n{CAT}\n\n```\n{CAT}\n```\n\nI cannot.\n\n(s / sleep-01\n\n  :ARG0 (c / cat))\n"
        )
        report = bamboo.score(file, [CAT] * 4, extract="first", on_error="zero")
        assert report.scores.tolist() == [1, 1, 0, 1]
        (problem,) = report.problems.values()
        assert str(problem) == f"{file}, graph 2: there is no graph in 'I cannot.'"
        file.write_text(f"{FENCE}\n\nfine")
        with pytest.raises(DataError) as raised:
            bamboo.score(file, [CAT], extract="first", on_error="zero")
        assert "begins with a line # ::id" in raised.value.__notes__[0]

    def test_files_with_ids(self, tmp_path):
        file = tmp_path / "answers.txt"
        file.write_text(
            f"# ::id 1\nSure:\n\n```\n{CAT}\n\n```\n\n# ::id 2\n\nNo.\n\n# ::id 3\nSo (s / a\n\n"
        )
        gold = [f"# ::id {k}\n{CAT}" for k in (1, 2, 3)]
        report = bamboo.score(file, gold, extract="first", on_error="zero")
        assert (report.ids, report.scores.tolist()) == (["1", "2", "3"], [1, 0, 0])
        assert [problem.line for problem in report.problems.values()] == [None, 14]
        file.write_text(f"No.\n\n# ::snt b\n# ::id 2\n# ::x y\n\n{FENCE}\n\n# ::id 3\nno")
        gold[0] = CAT
        report = bamboo.score(file, gold, extract="first", on_error="zero")
        assert (report.ids, report.scores.tolist()) == ([None, "2", "3"], [0, 1, 0])
        report = bamboo.score(file.read_text(), gold, extract="first", on_error="zero")
        assert report.scores.tolist() == [0, 1, 0]

    def test_a_clean_file_has_the_same_scores(self):
        shared = bamboo.installation.resource("data") / "sample" / "main"
        files = [shared / f"{side}.test.amr" for side in ("src", "tgt")]
        report, plain = bamboo.score(*files, extract="first"), bamboo.score(*files)
        assert (report.ids, report.scores.tolist()) == (plain.ids, plain.scores.tolist())
        assert report.extracted["src.test"] == (len(plain), *[0] * 9)


def test_lines_of_answers():
    data = f"\n\nSure:\n{CAT}\n\n\nNo.\n\n  more\n\nyes".encode()
    assert [(answer.line, answer.text.strip()) for answer in split_answers(data, "x")] == [
        (3, f"Sure:\n{CAT}"),
        (7, "No.\n\n  more"),
        (11, "yes"),
    ]


def test_an_answer_that_is_empty():
    answers = [*split_answers(b"# ::id 1\n# ::id 2\n(c / cat)\n# end", "x")]
    assert [answer.text for answer in answers] == ["# ::id 1\n", "# ::id 2\n(c / cat)\n# end"]


def write(path, *rows):
    path.write_text(
        "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    )
    return path


@quiet
class TestJsonLines:
    def test_a_field(self, tmp_path):
        rows = [{"id": 1, "parse": CAT}, {"parse": None}, {"parse": ""}, {"parse": f"{CAT}\n)"}]
        file = write(tmp_path / "a.jsonl", *rows)
        report = bamboo.score(file, [CAT] * 4, field="parse", on_error="zero")
        assert report.scores.tolist() == [1, 0, 0, 0]
        problems = [str(problem).removeprefix(str(file)) for problem in report.problems.values()]
        assert problems[:2] == [
            ", graph 1: there is no answer: parse is null",
            ", graph 2: there is no graph: the text is empty",
        ]
        assert report.problems[3].line == 4
        with pytest.raises(GraphError, match=r"a\.jsonl, graph 1: there is no answer"):
            bamboo.score(file, [CAT] * 4, field="parse")
        zipped = tmp_path / "a.jsonl.gz"
        zipped.write_bytes(gzip.compress(file.read_bytes()))
        assert bamboo.score(zipped, [CAT] * 4, field="parse", on_error="zero").score == report.score

    def test_fields_of_both_sides(self, cli, home):
        write(home / "a.jsonl", {"parse": FENCE, "gold": CAT}, "", {"parse": DOG, "gold": CAT})
        words = ("score", "a.jsonl", "a.jsonl", "field=parse,gold", "extract=first", "report=json")
        outcome = cli(*words)
        assert (outcome.json["scores"], outcome.err) == ([1, 0.75], "")
        assert bamboo.score(
            "a.jsonl", "a.jsonl", field=("parse", "gold"), extract="first"
        ).extracted["a"][:3] == (2, 1, 0)

    def test_half_of_a_surrogate_pair(self, tmp_path):
        file = write(tmp_path / "a.jsonl", {"parse": CAT}, {"parse": CAT.replace("cat", "\ud83d")})
        assert bamboo.score(file, [CAT] * 2, field="parse", on_error="zero").scores.tolist() == [
            1,
            0,
        ]
        with pytest.raises(GraphError, match=r"a\.jsonl, graph 1, line 2: '\\ud83d' is half of a"):
            bamboo.score(file, [CAT] * 2, field="parse")

    @pytest.mark.parametrize("on_error", ["stop", "nan", "zero"])
    def test_gold_that_is_not_there_is_an_error(self, tmp_path, on_error):
        file = write(tmp_path / "a.jsonl", {"gold": CAT}, {"gold": None})
        with pytest.raises(GraphError, match=r"a\.jsonl, line 2: the field gold is null"):
            bamboo.score([CAT, CAT], file, field="gold", on_error=on_error)

    def test_the_field_has_to_be_named(self, refused, home):
        write(home / "a.jsonl", {"id": 1, "parse": CAT})
        write(home / "b.amr", CAT)
        assert refused("score", "a.jsonl", "b.amr") == (
            "a.jsonl, line 1: name the field with the graphs (field=PATH): it has id, parse; "
            "fields with a graph: parse"
        )
        assert "field=parse is for rows: no side has them" in refused(
            "score", "b.amr", "b.amr", "field=parse"
        )
        assert "field=a,b,c: name one" in refused("score", "a.jsonl", "b.amr", "field=a,b,c")

    def test_several_files(self, tmp_path):
        for k in (1, 2):
            write(tmp_path / f"{k}.jsonl", {"parse": CAT}, {"parse": DOG})
        report = bamboo.score(tmp_path / "*.jsonl", [CAT] * 4, field="parse")
        assert report.scores.tolist() == [1, 0.75, 1, 0.75]
