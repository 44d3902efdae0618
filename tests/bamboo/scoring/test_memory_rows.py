"""Rows in Python: dictionaries, data frames, data sets, series, and lists with ids."""

import math
from pathlib import Path

import numpy as np
import pytest

import bamboo
from amr_metrics.errors import GraphError
from bamboo.errors import BambooWarning, ConfigError, DataError, FileNote

GRAPHS = {
    "w1": "(s / sleep-01 :ARG0 (c / cat))",
    "w2": "(b / bark-01 :ARG0 (d / dog))",
    "w3": "(r / rain-01 :polarity -)",
}
GOLD = [f"# ::id {name}\n{graph}" for name, graph in GRAPHS.items()]
ROWS = [{"id": name, "answer": graph} for name, graph in reversed(GRAPHS.items())]

quiet = pytest.mark.filterwarnings("ignore::bamboo.errors.FileNote")


class DataSet:
    """A data set of the package datasets, as far as it is used."""

    column_names = ("id", "answer")

    def __iter__(self):
        return iter(ROWS)


@pytest.fixture
def gold_file(tmp_path):
    (tmp_path / "gold.amr").write_text("\n\n".join(GOLD))
    return tmp_path / "gold.amr"


def make_frame(rows=ROWS, **columns):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(rows).assign(**columns)


def make_series(index, values=None):
    pandas = pytest.importorskip("pandas")
    return pandas.Series([*GRAPHS.values()] if values is None else values, index=index)


def test_a_list_of_dictionaries(gold_file, recwarn):
    for rows in (ROWS, tuple(ROWS)):
        for gold in (GOLD, gold_file):
            report = bamboo.score(rows, gold, field="answer")
            assert (report.score, report.ids, report.paired_by) == (1, [*GRAPHS], {"src": "id"})
    assert {str(entry.message) for entry in recwarn} == {"src is paired by id (field id)"}


@quiet
class TestRows:
    def test_kinds(self, gold_file):
        assert bamboo.score((row for row in ROWS), gold_file, field="answer").score == 1
        for rows in (DataSet(), make_frame(), {"a": DataSet(), "b": make_frame()}):
            report = bamboo.score(rows, gold_file, field="answer")
            parsers = [report] if len(report.parsers) == 1 else [report["a"], report["b"]]
            assert [parser.score for parser in parsers] == [1] * len(parsers)

    def test_a_path_through_arrays(self, gold_file):
        messages = [np.array([{"role": "x"}, {"content": row["answer"]}]) for row in ROWS]
        frame = make_frame(messages=messages)
        assert bamboo.score(frame, gold_file, field="messages[1].content").score == 1

    @pytest.mark.parametrize("missing", [None, math.nan, np.float32("nan"), "NA"])
    def test_missing_answers(self, missing):
        if missing == "NA":
            missing = pytest.importorskip("pandas").NA
        rows = [*ROWS[:2], {**ROWS[2], "answer": missing}]
        texts = [row["answer"] for row in rows]
        for src, options in (
            (rows, {"field": "answer"}),
            (make_frame(rows), {"field": "answer"}),
            (texts, {"ids": "ignore"}),
        ):
            with pytest.warns(BambooWarning, match="1 of 3 pairs counts as an empty parse"):
                report = bamboo.score(src, GOLD[::-1], on_error="zero", **options)
            assert report.scores.tolist() == [1, 1, 0]
            assert "src, graph 2: there is no" in str(report.problems[2])

    def test_whole_numbers_of_a_frame(self):
        gold = [f"# ::id {k}\n{graph}" for k, graph in enumerate(GRAPHS.values(), 1)]
        frame = make_frame(id=[3, 2, 1])
        assert bamboo.score(frame, gold, field="answer").score == 1
        with pytest.raises(GraphError, match=r"^src, graph 0: id_field=id: .*, found 3\.0"):
            bamboo.score(make_frame(id=[3, math.nan, 1]), gold, field="answer", id_field="id")

    def test_gold_rows(self):
        gold = [{"uid": name, "amr": graph} for name, graph in GRAPHS.items()]
        assert bamboo.score(ROWS, gold, field="answer,amr").score == 1
        with pytest.raises(GraphError, match=r"^tgt, graph 1: the field amr is null: there is no"):
            bamboo.score(ROWS, [gold[0], {**gold[1], "amr": None}], field="answer,amr")

    def test_explain_and_agree(self, gold_file):
        explained = bamboo.explain(ROWS, gold_file, pair="w2", field="answer")
        assert explained.pair.src == explained.pair.tgt
        agreement = bamboo.agree([ROWS, make_frame(), gold_file], field="answer")
        assert (agreement.macro, sorted(agreement.ids)) == (1, [*GRAPHS])


class TestErrors:
    @pytest.mark.parametrize(
        ("rows", "options", "problem"),
        [
            (
                ROWS,
                {},
                "src, graph 0: name the field with the graphs (field=PATH): it has id, answ",
            ),
            (
                ROWS,
                {"field": "x"},
                "src, graph 0: there is no field x: it has id, answer; fields wi",
            ),
            (
                [*ROWS, {"answer": "(c / cat)"}],
                {"field": "answer", "id_field": "id"},
                "src, graph 3",
            ),
            ([*ROWS, None], {"field": "answer"}, "src, graph 3: is no object"),
            ([*ROWS, ROWS[0]], {"field": "answer"}, "src: the id w3 (field id) is in rows 0 and 3"),
        ],
    )
    def test_rows(self, rows, options, problem):
        with pytest.raises((GraphError, DataError)) as raised:
            bamboo.score(rows, GOLD, **options)
        assert str(raised.value).startswith(problem)

    def test_a_frame_without_a_field(self):
        with pytest.raises(GraphError, match=r"name the field .* fields with a graph: answer$"):
            bamboo.score(make_frame(), GOLD)

    def test_a_frame_without_rows(self):
        with pytest.raises(GraphError, match="src: there is no graph: the list is empty"):
            bamboo.score(make_frame().iloc[:0], GOLD, field="answer")

    def test_answers_by_id(self):
        message = r"a mapping is several parsers; for answers by id pass \[\{\"id\": i, \"answer\""
        with pytest.raises(ConfigError, match=message):
            bamboo.score(GRAPHS, GOLD)
        report = bamboo.score({"w1": GRAPHS["w1"]}, GOLD[:1], ids="ignore")
        assert report.score == 1  # a parser whose name is an id

    def test_several_candidates(self):
        with pytest.raises(
            ConfigError, match=r"src\[1\]: a list: choose one of several candidates"
        ):
            bamboo.score([GRAPHS["w1"], [GRAPHS["w2"], "(x / x)"]], GOLD[:2], ids="ignore")


class TestSeries:
    def test_an_index_of_ids(self, gold_file, recwarn):
        series = make_series([*GRAPHS]).iloc[[2, 0, 1]]
        assert bamboo.score(series, gold_file).ids == [*GRAPHS]
        assert str(recwarn.pop(FileNote).message) == "src is paired by id (field index)"

    @quiet
    def test_a_missing_answer(self, gold_file):
        with pytest.raises(GraphError, match="src: there is no answer for the ::id w2"):
            bamboo.score(make_series([*GRAPHS]).drop("w2"), gold_file)

    def test_an_index_of_positions(self, gold_file):
        with pytest.warns(
            BambooWarning, match=r"3 of 3 pairs have an ::id in .*gold\.amr but none"
        ):
            assert bamboo.score(make_series(None), gold_file).score == 1
        with pytest.warns(
            BambooWarning, match="src is paired by position, .*: index begins with 5"
        ):
            assert bamboo.score(make_series([5, 6, 7]), gold_file).score == 1
        gold = [f"# ::id {k}\n{graph}" for k, graph in enumerate(GRAPHS.values())]
        series = make_series(None, [*GRAPHS.values()])
        with pytest.warns(BambooWarning, match="3 of 3 pairs have an ::id in tgt but none in src"):
            bamboo.score(series, gold)


class TestIdsOfLists:
    @quiet
    def test_ids(self, gold_file):
        ids, graphs = [*GRAPHS], [*GRAPHS.values()]
        for gold in (gold_file, GOLD):
            report = bamboo.score(graphs[::-1], gold, src_ids=ids[::-1])
            assert (report.score, report.ids, report.paired_by) == (1, ids, {"src": "src_ids"})
        answers = [f"So:\n{graphs[1]}", "I cannot."]
        with pytest.warns(BambooWarning, match="2 of 3 pairs count as empty parses"):
            report = bamboo.score(
                answers, gold_file, src_ids=np.array(["w2", "w1"]), extract="last", on_error="zero"
            )
        assert report.scores.tolist() == [0, 1, 0]

    @quiet
    def test_several_parsers(self):
        graphs = [*GRAPHS.values()]
        report = bamboo.score({"a": graphs[::-1], "b": graphs}, GOLD, src_ids=[*GRAPHS][::-1])
        assert report["a"].score == 1
        assert report["b"].score < 1
        report = bamboo.score(graphs[::-1], GOLD, src_ids=[*GRAPHS][::-1], no_worse_than=GOLD)
        assert (report.failed, report["src"].score) == ((), 1)

    @pytest.mark.parametrize(
        ("src", "ids", "problem"),
        [
            ([*GRAPHS.values()], ["w1", "w2"], "src has 3 elements, but src_ids has 2"),
            ([*GRAPHS.values()], ["w1", None, "w3"], r"src_ids\[1\]: expected a text or a whole"),
            (GRAPHS["w1"], ["w1"], "src_ids has the ids of a list: src is str"),
            (Path("a.amr"), ["w1"], "src_ids has the ids of a list: a is PosixPath"),
        ],
    )
    def test_ids_that_do_not_fit(self, src, ids, problem):
        with pytest.raises(ConfigError, match=problem):
            bamboo.score(src, GOLD, src_ids=ids)

    def test_ids_of_no_gold_graph(self):
        with pytest.raises(DataError, match=r"src: 1 of 3 ids is not in tgt \(src_ids: x\): rem"):
            bamboo.score([*GRAPHS.values()], GOLD, src_ids=["w1", "x", "w3"])

    def test_gold_without_ids(self):
        graphs = [*GRAPHS.values()]
        with pytest.warns(BambooWarning, match="src is paired by position, because tgt has no ids"):
            assert bamboo.score(graphs, graphs, src_ids=[*GRAPHS]).ids == [*GRAPHS]
