"""Files of rows: their formats, and the texts of their fields."""

import csv
import gzip
import io
import json
import math
from itertools import product
from types import SimpleNamespace

import pytest

import bamboo
from amr_metrics.errors import GraphError
from bamboo.errors import ConfigError, DataError
from bamboo.scoring.row_answers import LONGEST, list_fields

CAT = '(s / sleep-01 :ARG0 (c / cat :name (n / name :op1 "Tom")))'
DOG = "(b / bark-01 :ARG0 (d / dog))"
GOLD = [CAT, DOG, "(r / rain-01)"]
ANSWERS = [CAT, "(b / bark-01\n  :ARG0 (c / cat))", ""]
SCORE = 2 * 10 / (7 + 4 + 7 + 4 + 2)  # of the triples of the answers, 7 + 3 match

quiet = pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")


def make_table(delimiter):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["n", "answer"])
    writer.writerows(enumerate(ANSWERS))
    return text.getvalue()


ROWS = [{"n": k, "answer": answer} for k, answer in enumerate(ANSWERS)]
CONTENTS = {
    "a.jsonl": "\n".join(map(json.dumps, ROWS)) + "\n",
    "a.ndjson": "\r\n\n".join(map(json.dumps, ROWS)),
    "a.json": json.dumps(ROWS, indent=2),
    "b.json": f"\n[{','.join(map(json.dumps, ROWS))}] \n",
    "a.csv": make_table(","),
    "a.tsv": make_table("\t"),
}


@quiet
class TestFormats:
    @pytest.fixture(scope="class")
    def expected(self):
        return bamboo.score(ANSWERS, GOLD, on_error="zero").scores.tolist()

    @pytest.mark.parametrize(
        ("name", "form"),
        [
            *product(CONTENTS, ["plain"]),
            *product(["a.jsonl", "a.json", "a.csv"], ["gzip", "mark", "folder"]),
        ],
    )
    def test_formats(self, tmp_path, expected, name, form):
        data = CONTENTS[name].encode()
        data = b"\xef\xbb\xbf" + data if form == "mark" else data
        path = tmp_path / (f"{name}.gz" if form == "gzip" else name)
        path.write_bytes(gzip.compress(data) if form == "gzip" else data)
        side = tmp_path if form == "folder" else path
        report = bamboo.score(side, GOLD, field="answer", on_error="zero")
        assert report.scores.tolist() == expected
        assert (report.score, len(report.problems)) == (pytest.approx(SCORE), 1)

    @pytest.mark.parametrize("format", ["jsonl", "csv", "tsv"])
    def test_standard_input(self, monkeypatch, format):
        data = CONTENTS[f"a.{format}"].encode()
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        report = bamboo.score("-", GOLD, field="answer", input_format=format, on_error="zero")
        assert report.score == pytest.approx(SCORE)
        assert str(report.problems[2]).startswith("standard input, graph 2: there is no graph")

    def test_options_that_go_with_rows(self, tmp_path):
        (tmp_path / "a.amr").write_text(CAT)
        with pytest.raises(ConfigError, match="input_format=csv is for standard input"):
            bamboo.score(tmp_path / "a.amr", [CAT], input_format="csv")
        with pytest.raises(ConfigError, match="id_field=id is for rows: no side has them"):
            bamboo.score(tmp_path / "a.amr", [CAT], id_field="id")

    def test_a_list_of_texts(self, tmp_path):
        (tmp_path / "a.json").write_text(json.dumps(ANSWERS))
        report = bamboo.score(tmp_path / "a.json", GOLD, on_error="zero")
        assert report.score == pytest.approx(SCORE)

    def test_a_cell_with_a_large_text(self, tmp_path):
        (tmp_path / "a.csv").write_text(f'answer\n"{" " * 200_000}\n{DOG}"\n')
        before = csv.field_size_limit()
        assert bamboo.score(tmp_path / "a.csv", [DOG], field="answer").score == 1
        assert csv.field_size_limit() == before

    def test_a_large_line(self, tmp_path):
        """Lines are read in pieces of a million bytes."""
        rows = [{"answer": DOG}, {"answer": f"{DOG}{' ' * 3_000_000}"}, {"answer": DOG}]
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
        assert bamboo.score(tmp_path / "a.jsonl", [DOG] * 3, field="answer").score == 1


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.csv", f'answer,x\n{DOG},1\n"(c / cat),2\n{DOG},3\n', "line 3: a quotation mark is not"),
        ("a.csv", f'answer,x\n"(c\n/ cat)",1\n"{DOG}" ,2\n', "line 4: ',' expected after '\"'"),
        ("a.csv", "answer,x\n\n1,2,3\n", "line 3: has 3 cells, but the header has 2"),
        ("a.tsv", "answer\tx\n1\n", "line 2: has 1 cell, but the header has 2"),
        ("a.csv", "answer,x,answer\n1,2,3\n", "line 1: two columns are called 'answer'"),
        ("a.csv", b"answer\n\n\xff\n", "line 3: byte 0xff is not UTF-8"),
        ("a.csv", "answer\n", ": there is no graph"),
        ("a.csv", "", ": there is no graph"),
        ("a.json", "", "line 1: is not valid JSON (Expecting value"),
        ("a.json", "[]", ": there is no graph"),
        ("a.json", '[{"answer": "(c / cat)"},\n 3]', "line 2: is no object: expected"),
        ("a.json", '[{"answer": "(c / cat)"}\n{}]', "line 2: is not valid JSON (expected a c"),
        (
            "a.json",
            '[{"answer": "(c / cat)"},\n\n{"answer" 3}]',
            "line 3: is not valid JSON (Expecting",
        ),
        (
            "a.json",
            '[\n{"answer": "(c / cat)"}',
            "line 2: is not valid JSON (expected a comma or ] instead",
        ),
        (
            "a.json",
            '[{"answer": "(c / cat)"}]\n[]',
            "line 2: is not valid JSON (there is more after",
        ),
        ("a.json", "[\n" + "[" * 100_000, "line 2: is not valid JSON (maximum recursion"),
        ("a.json", '"(c / cat)"', ": is JSON, but no list of objects or texts"),
        (
            "a.json",
            '{"n": 1, "data": [{"answer": "x"}], "more": []}',
            ": has an object at the top, with the lists data, more: field cannot choose one. Write "
            "the rows to a file of their own, such as with jq -c '.data[]'",
        ),
        ("a.json", b"[\n\xff]", "line 2: byte 0xff is not UTF-8"),
        ("a.jsonl", '{"answer": ' + "[" * 10_000 + "]" * 10_000 + "}", "line 1: "),
        ("a.jsonl", "\n\n", ": there is no graph"),
        ("a.jsonl", "", ": there is no graph"),
        (
            "a.jsonl",
            '\n{"answer": "(c / cat)"',
            "line 2: is not valid JSON (Expecting ',' delimiter",
        ),
        ("a.jsonl", "[1]", 'line 1: is no object: expected {"answer": ...}'),
        ("a.jsonl", b'{"answer": "(c / cat)"}\n{"answer": "\xff"}\n', "line 2: byte 0xff is not"),
        ("a.jsonl", "<!DOCTYPE html>\n<p>Not found", ": is an HTML page"),
        ("a.json", b"\x80\x04\x95\x11\0", ": is a pickle of Python objects"),
        ("a.parquet", b"PAR1\x15\xf2", ": is a Parquet file: read it in Python (pandas.read_parq"),
    ],
)
@pytest.mark.parametrize("on_error", ["stop", "zero"])
def test_files_that_cannot_be_read(tmp_path, name, content, problem, on_error):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((GraphError, DataError)) as raised:
        bamboo.score(file, [CAT] * 2, field="answer", on_error=on_error)
    message = str(raised.value)
    assert message.removeprefix(str(file)).removeprefix(", ").startswith(problem)


def test_a_cell_that_is_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("bamboo.files.LONGEST_CELL", 9)
    (tmp_path / "a.csv").write_text("answer\n(c / cat)\n(c / cats)\n")
    with pytest.raises(DataError, match="line 3: field larger than field limit"):
        bamboo.score(tmp_path / "a.csv", [CAT] * 2, field="answer", on_error="zero")


def write(path, *rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@quiet
class TestFields:
    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            ({"a": None}, "a.b is null"),
            ({"a": {"b": None}, "error": {"code": "late"}}, "a.b is null (error: late)"),
            ({"a": {"b": []}}, "a.b has no block of text"),
            ({"a": {"b": [{"type": "tool_use"}]}}, "a.b has no block of text"),
            ({"error": "x" * 999}, f"there is no field a.b (error: {'x' * 80})"),
            ({"a": {}, "error": {"n": [1]}}, "there is no field a.b (error: yes)"),
            ({"result": {"type": "expired"}}, "there is no field a.b (result: expired)"),
            ({"a": "I cannot."}, "a is no JSON"),
            ({"a": '{"b": "(c / ca'}, "a is no JSON"),
            ({"a": '{"x": "(c / cat)"}'}, "there is no field a.b"),
        ],
    )
    def test_no_answer(self, tmp_path, row, reason):
        file = write(tmp_path / "a.jsonl", {"a": {"b": CAT}}, row)
        report = bamboo.score(file, [CAT, DOG], field="a.b", on_error="zero")
        assert report.scores.tolist() == [1, 0]
        assert str(report.problems[1]) == f"{file}, graph 1: there is no answer: {reason}"
        with pytest.raises(GraphError, match=r"a\.jsonl, graph 1: there is no answer: "):
            bamboo.score(file, [CAT, DOG], field="a.b")
        with pytest.raises(GraphError, match=r"a\.jsonl, line 2: (the|there is no) field a\.b"):
            bamboo.score([CAT, DOG], file, field="a.b", on_error="zero")

    @pytest.mark.parametrize(
        ("row", "problem"),
        [
            ({"x": 1, "y": [DOG]}, "there is no field a.b: it has x, y; fields with a graph: y[0]"),
            ({}, "there is no field a.b: it has none"),
            ({"error": None}, "there is no field a.b: it has error; none contains a graph"),
            ({"result": {"type": "succeeded"}}, "there is no field a.b: it has result"),
            ({f"k{k}": "" for k in range(12)}, "there is no field a.b: it has k0, k1, k2, k3, k4"),
            ({"a": {"b": 3}}, "the field a.b is no text, but 3"),
            ({"a": {"b": True}}, "the field a.b is no text, but True"),
            ({"a": {"b": math.nan}}, "the field a.b is no text, but nan"),
            ({"a": {"b": [CAT]}}, "the field a.b is no text, but a list: name one of a.b[0]"),
            (
                {"a": {"b": [{"amr": CAT}, {"amr": DOG}]}},
                "the field a.b is no text, but a list: name one of a.b[0].amr, a.b[1].amr",
            ),
            ({"a": {"b": {"c": 1}}}, "the field a.b is no text, but an object: name one of a.b.c"),
            ({"a": {"b": {}}}, "the field a.b is no text, but an object"),
        ],
    )
    @pytest.mark.parametrize("on_error", ["stop", "zero"])
    def test_fields_that_have_no_text(self, tmp_path, row, problem, on_error):
        file = write(tmp_path / "a.jsonl", {"a": {"b": CAT}}, row)
        with pytest.raises(GraphError) as raised:
            bamboo.score(file, [CAT, DOG], field="a.b", on_error=on_error)
        assert str(raised.value).startswith(f"{file}, line 2: {problem}")

    @pytest.mark.parametrize("field", ["answer.arm", "a.answer"])
    def test_a_field_that_no_row_has(self, tmp_path, field):
        rows = [{"answer": json.dumps({"amr": text}), "error": "?"} for text in GOLD]
        file = write(tmp_path / "a.jsonl", *rows)
        with pytest.raises(GraphError) as raised:
            bamboo.score(file, GOLD, field=field, on_error="zero")
        assert str(raised.value) == (
            f"{file}, line 1: there is no field {field}: it has answer, error; fields with a "
            "graph: answer.amr. No row has this field"
        )

    def test_a_field_that_is_null_in_every_row(self, tmp_path):
        file = write(tmp_path / "a.jsonl", {"a": None}, {"a": None})
        assert bamboo.score(file, GOLD[:2], field="a", on_error="zero").score == 0

    def test_a_text_that_is_json(self, tmp_path):
        file = write(tmp_path / "a.jsonl", {"answer": json.dumps({"amr": CAT})})
        assert bamboo.score(file, [CAT], field="answer.amr").score == 1
        with pytest.raises(GraphError, match=r"the text is JSON, with a graph in answer\.amr"):
            bamboo.score(file, [CAT], field="answer")

    def test_the_field_is_not_named(self, tmp_path):
        file = write(tmp_path / "a.jsonl", {"id": 1, "answers": [{"text": CAT}], "x": DOG})
        with pytest.raises(GraphError) as raised:
            bamboo.score(file, [CAT])
        assert str(raised.value) == (
            f"{file}, line 1: name the field with the graphs (field=PATH): it has id, answers, x; "
            "fields with a graph: answers[0].text, x"
        )


class TestMetadata:
    """Fields of rows that describe the sentence."""

    ROWS = (
        {"genre": "news", "sentence": "A cat\nsleeps.", "prompt": "Parse " * 99, "answer": CAT},
        {"genre": "tale", "sentence": "A dog \ud800 barks.", "n": 2, "answer": "(d / dog)"},
    )

    def test_buckets_and_sentences(self, tmp_path):
        file = write(tmp_path / "a.jsonl", *self.ROWS)
        report = bamboo.score(file, [CAT, DOG], field="answer", by="genre", worst=2)
        assert report.board.select(kind="bucket", score="f1").list_names("part") == ["news", "tale"]
        assert [pair.sentence for pair in report.worst] == ["", "A cat sleeps."]
        assert "prompt" not in str(report.worst)

    def test_short_texts_and_numbers(self):
        row = {"id": 7, "x": "a" * LONGEST, "y": "a" * (LONGEST + 1), "empty": "", "null": None}
        assert [*list_fields(row)] == ["id", "x"]

    def test_text_metrics(self, tmp_path):
        gold = [f"# ::snt A cat sleeps.\n{CAT}"]
        file = write(tmp_path / "a.jsonl", self.ROWS[0])
        assert bamboo.score(file, gold, "text_jaccard", field="answer").score == 1

    @quiet
    def test_a_parse_that_cannot_be_read(self, tmp_path):
        file = write(tmp_path / "a.jsonl", self.ROWS[0], {**self.ROWS[1], "answer": "?"})
        report = bamboo.score(file, [CAT, DOG], field="answer", by="genre", on_error="zero")
        assert report.board.select(kind="bucket", score="f1").list_names("part") == ["news", "tale"]

    def test_sentences_in_another_order(self, tmp_path):
        words = ("one", "two", "three", "four", "five", "six")
        rows = [{"sentence": f"Sentence {word}.", "answer": CAT} for word in words]
        file = write(tmp_path / "a.jsonl", *rows[1:], rows[0])
        gold = [f"# ::snt Sentence {word} .\n{CAT}" for word in words]
        with pytest.raises(DataError, match=r"a\.jsonl has ::snt 'Sentence .*' but tgt has"):
            bamboo.score(file, gold, field="answer")
