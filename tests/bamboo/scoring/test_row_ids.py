"""Whose answer a row is: ids of rows, and of files with one graph each."""

import io
import json
import os
import random
import threading
from types import SimpleNamespace

import pytest

import bamboo
from amr_metrics.errors import GraphError
from bamboo.errors import BambooWarning, DataError, FileNote
from bamboo.scoring.answers import Answer
from bamboo.scoring.stored_answers import StoredAnswers

GRAPHS = [
    "(s / sleep-01 :ARG0 (c / cat))",
    "(b / bark-01 :ARG0 (d / dog))",
    "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
    "(r / rain-01 :polarity -)",
]
IDS = ["w1", "w2", "w3", "w4"]

quiet = pytest.mark.filterwarnings("ignore::bamboo.errors.FileNote")


def write_gold(folder, ids=IDS, name="gold.amr"):
    blocks = zip(ids, GRAPHS, strict=True)
    texts = [graph if k is None else f"# ::id {k}\n{graph}" for k, graph in blocks]
    (folder / name).write_text("\n\n".join(texts))
    return folder / name


def write_rows(folder, rows, name="a.jsonl"):
    (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder / name


def make_rows(field="id", order=(2, 0, 3, 1), ids=IDS, **more):
    return [{field: ids[k], "answer": GRAPHS[k], **more} for k in order]


def list_warnings(caught):
    return [str(entry.message) for entry in caught if entry.category is BambooWarning]


def list_notes(caught):
    return [str(entry.message) for entry in caught if entry.category is FileNote]


class TestPairing:
    def test_another_order(self, tmp_path, recwarn):
        gold, file = write_gold(tmp_path), write_rows(tmp_path, make_rows())
        report = bamboo.score(file, gold, field="answer")
        assert (report.score, report.ids) == (1, IDS)
        assert list_notes(recwarn) == [f"{file} is paired by id (field id)"]
        assert list_warnings(recwarn) == []
        assert report.signature.startswith("smatch_1.0|id_field=id|")
        assert report.to_json()["paired_by"] == "id"
        assert bamboo.score(file, gold, field="answer", ids="match").score == 1
        assert bamboo.score(file, gold, field="answer", ids="check").score == 1
        assert len(bamboo.score(file, gold, field="answer", pairs="all")) == 16

    @quiet
    @pytest.mark.parametrize("field", ["custom_id", "name of it", "doc.id"])
    def test_fields(self, tmp_path, field):
        """The name does not matter if all values are ids."""
        rows = make_rows(field, more="w1")
        if field == "doc.id":
            rows = [{**row, "doc": {"id": row.pop(field)}} for row in rows]
        file, gold = write_rows(tmp_path, rows), write_gold(tmp_path)
        report = bamboo.score(file, gold, field="answer")
        assert (report.score, report.paired_by) == (1, {"a": field})

    @quiet
    def test_a_path_to_the_id(self, tmp_path):
        rows = [
            {"meta": {"n": name}, "answer": graph} for name, graph in zip(IDS, GRAPHS, strict=True)
        ]
        file, gold = write_rows(tmp_path, rows[::-1]), write_gold(tmp_path)
        report = bamboo.score(file, gold, field="answer", id_field="meta.n")
        assert (report.score, report.paired_by) == (1, {"a": "meta.n"})

    @quiet
    def test_a_missing_row(self, tmp_path):
        gold, file = write_gold(tmp_path), write_rows(tmp_path, make_rows(order=(2, 0, 3)))
        with pytest.raises(GraphError, match=r"a\.jsonl: there is no answer for the ::id w2: add"):
            bamboo.score(file, gold, field="answer")
        with pytest.warns(BambooWarning, match="1 of 4 pairs counts as an empty parse"):
            report = bamboo.score(file, gold, field="answer", on_error="zero")
        assert report.scores.tolist() == [1, 0, 1, 1]
        assert report.corpus["recall"] == pytest.approx(14 / 18)
        assert str(report.problems[1]) == f"{file}: there is no answer for the ::id w2"
        with pytest.warns(BambooWarning, match="1 of 4 pairs is missing"):
            assert bamboo.score(file, gold, field="answer", on_error="nan").score == 1
        with pytest.raises(DataError, match=r"no row for 1 id of .*gold\.amr \(w2\)"):
            bamboo.score(file, gold, field="answer", on_error="zero", ids="check")

    @quiet
    def test_ids_in_the_texts(self, tmp_path, recwarn):
        rows = make_rows()
        rows[0]["answer"] = f"# ::id w4\n{rows[0]['answer']}"
        rows[1]["answer"] = f"# ::id w1\n{rows[1]['answer']}"
        file = write_rows(tmp_path, rows)
        assert bamboo.score(file, write_gold(tmp_path), field="answer").ids == IDS
        assert f"{file}: 1 text has another ::id than the row, whose id is used" in list_notes(
            recwarn
        )

    @quiet
    def test_many_chunks(self, tmp_path, monkeypatch):
        monkeypatch.setattr("bamboo.scoring.pipeline.CHUNK", 7)
        monkeypatch.setattr("bamboo.scoring.sides.CHUNK", 5)
        monkeypatch.setattr("bamboo.scoring.stored_answers.IN_MEMORY", 100)
        rows = [{"id": f"x{k}", "answer": f"(c{k} / cat-{k})"} for k in range(50)]
        gold = "\n\n".join(f"# ::id {row['id']}\n{row['answer']}" for row in rows)
        (tmp_path / "gold.amr").write_text(gold)
        random.Random(0).shuffle(rows)
        report = bamboo.score(write_rows(tmp_path, rows), tmp_path / "gold.amr", field="answer")
        assert (report.score, len(report)) == (1, 50)

    @quiet
    def test_pipes(self, tmp_path, monkeypatch, recwarn):
        rows = "".join(f"{json.dumps(row)}\n" for row in make_rows()).encode()
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(rows)))
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        text = write_gold(tmp_path).read_text()
        thread = threading.Thread(target=pipe.write_text, args=(text,))
        thread.start()
        report = bamboo.score("-", pipe, field="answer", input_format="jsonl")
        thread.join()
        assert (report.score, report.ids) == (1, IDS)
        assert "standard input is paired by id (field id)" in list_notes(recwarn)

    @quiet
    def test_several_parsers(self, tmp_path):
        files = [
            write_rows(tmp_path, make_rows(), "a.jsonl"),
            write_rows(tmp_path, make_rows("custom_id", (1, 0, 2, 3)), "b.jsonl"),
            write_gold(tmp_path, name="c.amr"),
        ]
        report = bamboo.score(files, write_gold(tmp_path), field="answer")
        assert [report[name].score for name in "abc"] == [1, 1, 1]
        assert report.paired_by == {"a": "id", "b": "custom_id"}
        assert "|id_field=id,custom_id|" in report.signature

    @quiet
    def test_a_folder_of_rows(self, tmp_path):
        """Ids pair rows whatever their files, and files without ids are paired by name."""
        for name in ("src", "tgt"):
            (tmp_path / name).mkdir()
        write_rows(tmp_path / "src", make_rows(order=(2, 0)), "1.jsonl")
        write_rows(tmp_path / "src", make_rows(order=(3, 1)), "2.jsonl")
        write_gold(tmp_path / "tgt", name="2.amr")
        assert bamboo.score(tmp_path / "src", tmp_path / "tgt", field="answer").score == 1
        write_gold(tmp_path / "tgt", [None] * 4, name="2.amr")
        write_gold(tmp_path / "tgt", [None] * 4, name="1.amr")
        write_rows(tmp_path / "src", make_rows("x", order=range(4)), "1.jsonl")
        write_rows(tmp_path / "src", make_rows("x", order=range(4)), "2.jsonl")
        report = bamboo.score(tmp_path / "src", tmp_path / "tgt", field="answer")
        assert (report.score, len(report)) == (1, 8)


class TestErrors:
    @pytest.mark.parametrize(
        ("rows", "options", "problem"),
        [
            (
                [*make_rows(), {"id": "w3", "answer": "(x / x)"}],
                {},
                "a.jsonl: the id w3 (field id) is in lines 1 and 5: remove one of these rows",
            ),
            (make_rows(ids=["w1", 1, "1", "w2"]), {"id_field": "id"}, "2 of 4 ids are not in"),
            (
                make_rows(ids=["w1", "w2", "3", "01"]),
                {"id_field": "id"},
                "2 of 4 ids are not in gold.amr (field id: 3, 01): remove these rows",
            ),
            (make_rows(ids=list("abcd")), {"id_field": "id"}, "(field id: c, a, d, ...)"),
            (
                [{**row, "uid": row["id"]} for row in make_rows()[:-1]] + [{"id": "w4", "uid": 1}],
                {"id_field": "uid"},
                "1 of 4 ids is not in gold.amr (field uid: 1)",
            ),
            (
                [{**row, "uid": IDS[k]} for k, row in enumerate(make_rows())],
                {},
                "a.jsonl: both id and uid have ids of gold.amr, in different orders: choose one "
                "(id_field=id)",
            ),
            (
                make_rows(ids=list("abcd")),
                {"ids": "check"},
                "a.jsonl: no field has the ids of gold.amr, of which w1 is the first: id begins wi",
            ),
            (
                make_rows("x", ids=list("abcd")),
                {"ids": "check"},
                "pair 0: gold.amr has ::id w1 but",
            ),
        ],
    )
    def test_ids(self, home, rows, options, problem):
        write_rows(home, [{"answer": "(x / x)", **row} for row in rows])
        write_gold(home)
        with pytest.raises(DataError) as raised:
            bamboo.score("a.jsonl", "gold.amr", field="answer", **options)
        assert problem in str(raised.value)

    @pytest.mark.parametrize(
        ("value", "problem"),
        [
            (None, "expected a text or a whole number, found None"),
            ("", "expected a text or a whole number, found ''"),
            (1.0, "expected a text or a whole number, found 1.0"),
            (True, "expected a text or a whole number, found True"),
            (["w1"], "expected a text or a whole number, found a list"),
            ("\ud800", r"expected a text or a whole number, found '\ud800'"),
        ],
    )
    def test_values_that_are_no_ids(self, home, value, problem):
        write_rows(home, [*make_rows(order=(0,)), {"id": value, "answer": GRAPHS[1]}])
        for gold in (write_gold(home), write_gold(home, [None] * 4)):
            with pytest.raises(GraphError) as raised:
                bamboo.score("a.jsonl", gold, field="answer", id_field="id")
            assert str(raised.value).startswith(f"a.jsonl, line 2: id_field=id: {problem}")

    def test_rows_without_the_field(self, home):
        write_rows(home, [*make_rows(order=(0,)), {"answer": GRAPHS[1]}])
        with pytest.raises(GraphError, match="line 2: id_field=id: there is no field id: it has a"):
            bamboo.score("a.jsonl", write_gold(home), field="answer", id_field="id")

    @pytest.mark.parametrize(
        ("ids", "problem"),
        [
            (["w1", "w2", "w1", "w3"], "the ::id w1 is in two graphs of gold.amr"),
            (["w1", None, "w3", "w4"], "graph 1 of gold.amr has no ::id"),
        ],
    )
    def test_gold_ids_by_which_nothing_can_be_paired(self, home, ids, problem):
        write_rows(home, make_rows(order=range(4)))
        write_gold(home, ids)
        with pytest.raises(DataError, match=f"id_field=id: {problem}"):
            bamboo.score("a.jsonl", "gold.amr", field="answer", id_field="id")
        with pytest.warns(BambooWarning, match=f"is paired by position, because {problem}"):
            assert bamboo.score("a.jsonl", "gold.amr", field="answer").score == 1


class TestNoIds:
    """Rows are paired by position, but not in silence."""

    def test_ids_that_fit_nothing(self, home, recwarn):
        write_rows(home, make_rows(ids=["w1", "w2", "x3", "w4"], index=7))
        write_gold(home)
        report = bamboo.score("a.jsonl", "gold.amr", field="answer")
        assert report.score < 1
        (text,) = list_warnings(recwarn)
        assert text.startswith(
            "a.jsonl is paired by position, because no field has the ids of gold.amr, of which w1 "
            "is the first: id begins with x3 (3 of 4 are ids), index begins with 7. id_field=PATH"
        )
        assert report.paired_by == {}

    def test_no_field_with_ids(self, home):
        write_rows(home, make_rows("x", range(4), ids=list("abcd")))
        write_gold(home)
        with pytest.warns(BambooWarning, match=r"4 of 4 pairs have an ::id in gold\.amr but none"):
            assert bamboo.score("a.jsonl", "gold.amr", field="answer").score == 1

    def test_ids_are_ignored(self, home, recwarn):
        write_rows(home, make_rows(order=(1, 0, 2, 3), n="w1"))
        write_gold(home)
        report = bamboo.score("a.jsonl", "gold.amr", field="answer", ids="ignore")
        assert report.scores.tolist()[2:] == [1, 1]
        assert report.score < 1
        assert list_notes(recwarn) == [
            "a.jsonl: 2 of 4 pairs have different ids (field id), because ids=ignore pairs by "
            "position"
        ]
        write_rows(home, make_rows(order=range(4)))
        recwarn.clear()
        options = {"field": "answer", "ids": "ignore"}
        assert bamboo.score("a.jsonl", "gold.amr", id_field="id", **options).score == 1
        assert not recwarn

    def test_gold_without_ids(self, home, recwarn):
        write_rows(home, make_rows(order=range(4)))
        write_gold(home, [None] * 4)
        report = bamboo.score("a.jsonl", "gold.amr", field="answer")
        assert (report.score, report.ids) == (1, [None] * 4)
        assert not recwarn
        report = bamboo.score("a.jsonl", "gold.amr", field="answer", id_field="id")
        assert report.ids == IDS
        (text,) = list_warnings(recwarn)
        assert text.startswith("a.jsonl is paired by position, because gold.amr has no ids, only")
        with pytest.raises(DataError, match=r"pair 0: a\.jsonl has ::id w1 but gold\.amr has no"):
            bamboo.score("a.jsonl", "gold.amr", field="answer", id_field="id", ids="check")

    def test_lists(self, home, recwarn):
        write_gold(home)
        report = bamboo.score({"p": GRAPHS}, "gold.amr")
        assert report.score == 1
        (text,) = list_warnings(recwarn)
        assert text.startswith(
            "4 of 4 pairs have an ::id in gold.amr but none in p (the first: pair 0), so that"
        )
        recwarn.clear()
        assert bamboo.score({"p": GRAPHS}, "gold.amr", ids="ignore").score == 1
        assert not recwarn


@quiet
class TestGoldRows:
    def test_both_sides_have_rows(self, tmp_path):
        gold = [{"id": name, "amr": graph} for name, graph in zip(IDS, GRAPHS, strict=True)]
        src, tgt = write_rows(tmp_path, make_rows()), write_rows(tmp_path, gold, "gold.jsonl")
        for fields in ({}, {"id_field": "id"}, {"id_field": ("id", "id")}):
            assert bamboo.score(src, tgt, field="answer,amr", **fields).score == 1
        named = [{"n": row["id"], "amr": row["amr"]} for row in gold]
        tgt = write_rows(tmp_path, named, "gold.jsonl")
        report = bamboo.score(src, tgt, field="answer,amr", id_field="id,n")
        assert (report.score, report.ids) == (1, IDS)

    def test_graphs_against_rows(self, tmp_path):
        gold = [{"uid": name, "amr": graph} for name, graph in zip(IDS, GRAPHS, strict=True)]
        src = write_gold(tmp_path, name="src.amr")
        tgt = write_rows(tmp_path, gold, "gold.jsonl")
        assert bamboo.score(src, tgt, field="amr").score == 1
        tgt = write_rows(tmp_path, gold[::-1], "gold.jsonl")
        with pytest.raises(
            DataError, match=r"pair 0: .* has ::id w1 but .*gold\.jsonl has ::id w4"
        ):
            bamboo.score(src, tgt, field="amr")
        assert bamboo.score(src, tgt, field="amr", ids="match").score == 1

    def test_rows_with_both_graphs(self, tmp_path):
        """Each row is a pair, also if its id occurs twice."""
        rows = [{"id": "x", "answer": graph, "gold": graph} for graph in GRAPHS]
        file = write_rows(tmp_path, rows)
        assert bamboo.score(file, file, field="answer,gold").score == 1


class TestNamesOfFiles:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "src").mkdir()
        for name, graph in zip(IDS, GRAPHS, strict=True):
            (tmp_path / "src" / f"{name}.txt").write_text(graph)
        return tmp_path

    @pytest.mark.parametrize("count", [2, 4])
    def test_names_that_are_ids(self, folder, recwarn, count):
        gold = folder / "gold.amr"
        pairs = [*zip(IDS, GRAPHS, strict=True)][:count][::-1]
        gold.write_text("\n\n".join(f"# ::id {k}\n{graph}" for k, graph in pairs))
        for name in IDS[count:]:
            (folder / "src" / f"{name}.txt").unlink()
        report = bamboo.score(folder / "src", gold)
        assert (report.score, report.ids) == (1, [name for name, _ in pairs])
        assert list_notes(recwarn) == [f"{folder}/src is paired by id (names of files)"]

    def test_a_first_file_of_two_graphs(self, folder):
        (folder / "src" / "w1.txt").write_text(f"{GRAPHS[0]}\n\n(x / x)")
        graphs = [GRAPHS[0], "(x / x)", *GRAPHS[1:]]
        pairs = zip(["w1", "x", *IDS[1:]], graphs, strict=True)
        gold = [f"# ::id {name}\n{graph}" for name, graph in pairs]
        with pytest.warns(BambooWarning, match="5 of 5 pairs have an ::id in tgt but none in"):
            assert bamboo.score(folder / "src", gold).score == 1

    @quiet
    def test_a_file_that_is_missing(self, folder):
        (folder / "src" / "w3.txt").unlink()
        with pytest.raises(GraphError, match=r"/src/\*\.txt: there is no answer for the ::id w3"):
            bamboo.score(folder / "src" / "*.txt", write_gold(folder))

    def test_names_that_are_no_ids(self, folder, recwarn):
        (folder / "src" / "w4.txt").rename(folder / "src" / "x4.txt")
        assert bamboo.score(folder / "src", write_gold(folder)).score == 1
        assert list_notes(recwarn) == []

    @quiet
    def test_files_with_several_graphs(self, folder):
        for name in IDS[2:]:
            (folder / "src" / f"{name}.txt").unlink()
        (folder / "src" / "w1.txt").write_text("\n\n".join(GRAPHS[:2]))
        (folder / "src" / "w2.txt").write_text("\n\n".join(GRAPHS[2:]))
        assert bamboo.score(folder / "src", write_gold(folder), ids="ignore").score == 1


class TestOtherCommands:
    def test_explain(self, tmp_path, recwarn):
        file, gold = write_rows(tmp_path, make_rows(sentence="A cat.")), write_gold(tmp_path)
        explained = bamboo.explain(file, gold, pair=2, field="answer")
        assert explained.pair.src.metadata == {"id": "w3", "snt": "A cat."}
        assert explained.pair.src == explained.pair.tgt
        assert bamboo.explain(file, gold, pair="w3", field="answer").pair == explained.pair
        assert f"{file} is paired by id (field id)" in list_notes(recwarn)

    @quiet
    def test_explain_a_pair_among_answers_that_cannot_be_read(self, tmp_path):
        rows = make_rows(order=range(4))
        rows[0]["answer"], rows[1]["answer"] = "I cannot.", f"So:\n{GRAPHS[1]}"
        file, gold = write_rows(tmp_path, rows), write_gold(tmp_path)
        explained = bamboo.explain(file, gold, pair="w2", field="answer", extract="first")
        assert explained.pair.src == explained.pair.tgt
        with pytest.raises(GraphError, match=r"a\.jsonl, graph 0: there is no graph in 'I cannot"):
            bamboo.explain(file, gold, pair="w1", field="answer")

    def test_explain_warns(self, tmp_path):
        file = write_rows(tmp_path, make_rows(ids=list("abcd")))
        with pytest.warns(BambooWarning, match="paired by position"):
            bamboo.explain(file, write_gold(tmp_path), field="answer")

    @quiet
    def test_agree(self, tmp_path):
        rows = make_rows()
        rows[0]["answer"] = f"So:\n{rows[0]['answer']}"
        files = [
            write_rows(tmp_path, rows, "a.jsonl"),
            write_rows(tmp_path, make_rows("custom_id", (3, 2, 1, 0)), "b.jsonl"),
            write_gold(tmp_path, name="c.amr"),
        ]
        agreement = bamboo.agree(files, field="answer", extract="first")
        assert (agreement.macro, sorted(agreement.ids)) == (1, IDS)
        assert bamboo.agree(files[:2], field="answer", extract="first").macro == 1

    @quiet
    def test_agree_by_a_field_with_ids(self, tmp_path):
        files = [
            write_rows(tmp_path, make_rows("n", order, [*IDS[:3], "x"]), name)
            for name, order in (("a.jsonl", (2, 0, 1)), ("b.jsonl", (1, 2, 0, 3)))
        ]
        with pytest.warns(BambooWarning, match="a: no graph of 1 of 4 sentences"):
            agreement = bamboo.agree(files, field="answer", id_field="n")
        assert (agreement.macro, agreement.ids) == (1, ["w3", "w1", "w2", "x"])


def test_stored_answers(monkeypatch):
    monkeypatch.setattr("bamboo.scoring.stored_answers.IN_MEMORY", 50)
    texts = ["(c / cat)", "ü" * 60, None, "\ud800", "(d / dog)"]
    answers = [Answer(text, "a.jsonl", k, fields={"id": str(k)}) for k, text in enumerate(texts)]
    stored = StoredAnswers()
    for answer in answers:
        stored.add(answer)
    assert [*stored] == answers
    assert stored[1:3] == answers[1:3]
    assert [stored[k] for k in (4, 1, 0)] == [answers[k] for k in (4, 1, 0)]
