"""Repairs of graphs that cannot be read, and how they are counted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bamboo
from amr_metrics import parse_graph
from amr_metrics.errors import GraphError
from bamboo.errors import ConfigError, FileNote
from bamboo.scoring.answers import Answers
from bamboo.scoring.repair import repair_text
from bamboo.scoring.repaired import RULES, Repaired, split_rules
from bamboo.scoring.row_answers import read_row_answers
from bamboo.scoring.rows import Row

SING = "(s / sing-01 :ARG0 (g / girl :mod (t / tall)) :ARG1 (o / song))"
LINES = """(s / sing-01
   :ARG0 (g / girl
            :mod (t / tall))
   :ARG1 (o / song))"""
quiet = pytest.mark.filterwarnings("ignore::bamboo.errors.BambooWarning")

BRACKETS = [
    # The text, the repaired text (None: it stays as it is), and what was done.
    (SING[:-1], SING, "closed one_line"),
    (f"{SING[:-2]}", None, ""),  # it ends in a label, and so is cut off
    ("(g / girl :mod (t / tall ", None, ""),
    (f"{SING})) ", SING, "dropped one_line"),
    (f"{SING}) and so on)", None, ""),
    (f"{SING} :ARG2 (d / dog))", None, ""),
    (SING.replace(" (g", " ((g"), SING, "doubled"),
    (f"({SING})", SING, "doubled dropped one_line"),
    (SING.replace("tall))", "tall)"), SING.replace("tall))", "tall)") + ")", "closed one_line"),
    (
        '(n / name :op1 "a(" :op2 "((" :mod (b / big)',
        '(n / name :op1 "a(" :op2 "((" :mod (b / big))',
        "closed one_line",
    ),
    (
        "# ::snt :( ((\n(g / girl :mod (t / tall)\n# :)",
        "# ::snt :( ((\n(g / girl :mod (t / tall))\n# :)",
        "closed one_line",
    ),
    # By the indentation.
    (LINES[:-1], LINES, "indented"),
    (LINES.replace("tall))", "tall)"), LINES, "indented"),
    (LINES.replace("tall))", "tall)))"), LINES, "indented"),
    (LINES.replace("tall))", "tall"), LINES, "indented"),
    (f"# ::id 1\n{LINES[:-1]}\n", f"# ::id 1\n{LINES}\n", "indented"),
    (
        "(s / sing-01\n  :ARG0 (g / girl\n  :ARG1 (o / song))",
        "(s / sing-01\n  :ARG0 (g / girl)\n  :ARG1 (o / song))",
        "indented",
    ),
    (
        "(s / sing-01\n :ARG0 (g / girl\n  :mod (t / tall)\n :ARG1 (o / song))",
        "(s / sing-01\n :ARG0 (g / girl\n  :mod (t / tall))\n :ARG1 (o / song))",
        "indented",
    ),
    # Lines that are not indented by their depth.
    (
        "(s / sing-01\n:ARG0 (g / girl\n:mod (t / tall))\n:ARG1 (o / song)",
        "(s / sing-01\n:ARG0 (g / girl\n:mod (t / tall))\n:ARG1 (o / song))",
        "closed one_line",
    ),
    (
        "(s / sing-01\n  :ARG0 (g / girl\n  :ARG1 (o / song\n  :ARG2 (d / dog))",
        "(s / sing-01\n  :ARG0 (g / girl\n  :ARG1 (o / song\n  :ARG2 (d / dog))))",
        "closed one_line",
    ),
    (
        "(s / sing-01\n:ARG0 (g / girl)\n:ARG1 (o / song)\n:ARG2 (d / dog)",
        "(s / sing-01\n:ARG0 (g / girl)\n:ARG1 (o / song)\n:ARG2 (d / dog))",
        "closed one_line",
    ),
    ("(s / sing-01\n  :polarity -\n    :ARG0 (g / girl)\n  :ARG1 (o / song)", None, ""),
    ("(s / sing-01\n    :ARG0 (g / girl)\n  :ARG1 (o / song)", None, ""),
    # Of the nodes of a line, the parentheses show which one goes on.
    (
        "(s / sing-01\n  :ARG0 (g / girl :mod (t / tall)\n    :poss (d / dog))\n  :ARG1 (o / old)",
        "(s / sing-01\n  :ARG0 (g / girl :mod (t / tall)\n    :poss (d / dog))\n  :ARG1 (o / old))",
        "indented",
    ),
]

VARIABLES = [
    (
        "(s / see-01 :ARG0 (d / dog) :ARG1 (d / dog))",
        "(s / see-01 :ARG0 (d / dog) :ARG1 d)",
        "merged",
    ),
    (
        "(s / see-01 :ARG0 (d / dog :mod (b / big)):ARG1(d / dog):ARG2 b)",
        "(s / see-01 :ARG0 (d / dog :mod (b / big)) :ARG1 d :ARG2 b)",
        "merged",
    ),
    (
        "(s / see-01 :ARG0 (d / dog) :ARG1 (d / duck :mod (d2 / dark)))",
        "(s / see-01 :ARG0 (d / dog) :ARG1 (d3 / duck :mod (d2 / dark)))",
        "renamed",
    ),
    (
        "(s / see-01 :ARG0 (d / dog :mod (o / old)) :ARG1 (d / dog :mod (n / new)))",
        "(s / see-01 :ARG0 (d / dog :mod (o / old)) :ARG1 (d2 / dog :mod (n / new)))",
        "renamed",
    ),
    (
        "(s / see-01 :op1 (d / dog) :op2 (d / cat) :op3 (d / cow :op1 (o / old :op2 (o / ox))))",
        "(s / see-01 :op1 (d / dog) :op2 (d2 / cat) :op3 (d3 / cow :op1 (o / old :op2 (o2 / ox))))",
        "renamed",
    ),
    (
        '(n / name :op1 "d" :mod (n / new :mode imperative :op2 "(n / name)"))',
        '(n / name :op1 "d" :mod (n2 / new :mode imperative :op2 "(n / name)"))',
        "renamed",
    ),
    # A reference, a node that has become one, or an unknown variable may be one to either node.
    ("(s / see-01 :ARG0 (d / dog) :ARG1 (d / duck) :ARG2 d)", None, ""),
    ("(s / see-01 :ARG0 (d / dog) :ARG1 (d / duck) :ARG2 (d))", None, ""),
    ("(s / see-01 :ARG0 (d / dog) :ARG1 (d / dog) :ARG2 (d / duck))", None, ""),
    ("(s / see-01 :ARG0 (d / dog) :ARG1 (d / duck) :ARG2 d2)", None, ""),
    # The first may be the mention.
    ("(s / see-01 :ARG0 (d / dog) :ARG1 (d / dog :mod (o / old)))", None, ""),
]


def names_of(numbers):
    return {name for name, count in numbers._asdict().items() if count}


@pytest.mark.parametrize(("text", "graph", "done"), BRACKETS)
def test_brackets(text, graph, done):
    repair = repair_text(text, ["brackets"])
    assert (repair and repair.text.rstrip(" ")) == graph
    assert " ".join(repair.done if repair else ()) == done
    with pytest.raises(GraphError):
        parse_graph(text)
    if repair is not None:
        parse_graph(repair.text)


@pytest.mark.parametrize(("text", "graph", "done"), VARIABLES)
def test_variables(text, graph, done):
    repair = repair_text(text, ["variables"])
    assert " ".join(repair.done if repair else ()) == done
    if repair is not None:
        assert parse_graph(repair.text) == parse_graph(graph)


def test_a_rule_does_only_what_it_is_for():
    both = "(s / see-01 :ARG0 (d / dog) :ARG1 (d / duck)"
    assert repair_text(both, RULES).text == "(s / see-01 :ARG0 (d / dog) :ARG1 (d2 / duck))"
    assert repair_text(both, RULES).done == ("closed", "one_line", "renamed")
    assert repair_text(both, ["brackets"]).text == f"{both})"
    assert repair_text(both, ["variables"]).text.count(")") == both.count(")")
    assert repair_text(SING, RULES) is None
    assert repair_text("", RULES) is None


def test_large_texts():
    assert repair_text("(" * 30_000, RULES) is None
    assert repair_text("(a / b :x " * 30_000 + ")", ["brackets"]).text.count(")") == 30_000
    assert repair_text(f"{SING}{')' * 30_000}", ["brackets"]).text == SING
    for text in (":", ":a ", "( ", "(a ", "(a /", "\n ", '"', ")"):
        repair_text(text * 30_000 + ")", RULES)
    deep = "\n".join(f"{' ' * k}:x (a{k} / b" for k in range(1, 1_000))
    assert repair_text(f"(a0 / b\n{deep})", ["brackets"]).done == ("indented",)
    nodes = "".join(f" :op{k} (a / c{k})" for k in range(10_000))
    repaired = repair_text(f"(a / and{nodes})", ["variables"])
    assert len({*parse_graph(repaired.text).concepts}) == 10_001


@st.composite
def graphs(draw):
    """Draw a graph as lines, each with the number of parentheses that it opens."""
    depths = [0]
    for _ in range(draw(st.integers(2, 12))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    lines = [f"{'  ' * d}{':r ' if d else ''}(v{k} / c{k}" for k, d in enumerate(depths)]
    closed = [a - b + 1 for a, b in zip(depths, [*depths[1:], 0], strict=True)]
    closed[-1] = depths[-1] + 1
    return [line + ")" * count for line, count in zip(lines, closed, strict=True)]


@given(graphs(), st.integers(0, 100), st.booleans())
def test_one_bracket_of_an_indented_graph(lines, k, is_missing):
    whole, k = "\n".join(lines), k % len(lines)
    if is_missing and not lines[k].endswith(")"):
        return
    changed = [*lines]
    changed[k] = changed[k][:-1] if is_missing else f"{changed[k]})"
    text = "\n".join(changed)
    repair = repair_text(text, ["brackets"])
    if not text.endswith(")"):
        assert repair is None
    else:
        assert repair.text == whole
        assert bool({"indented"} & {*repair.done}) or k == len(lines) - 1


@given(graphs(), st.integers(1, 3))
def test_the_end_of_a_graph_in_one_line(lines, count):
    graph = " ".join(line.strip() for line in lines)
    assert repair_text(graph + ")" * count, ["brackets"]).text == graph
    cut = graph[:-count]
    if cut.endswith(")"):
        assert repair_text(cut, ["brackets"]).text == graph
    else:
        assert repair_text(cut, ["brackets"]) is None


@given(st.text('()/: \n"#ab1', max_size=60))
def test_any_text(text):
    for rules in (["brackets"], ["variables"], RULES):
        repair = repair_text(text, rules)
        assert repair is None or repair.done


ANSWERS = [
    {"id": "a", "answer": SING},
    {"id": "b", "answer": SING[:-1]},
    {"id": "c", "answer": LINES.replace("tall))", "tall)")},
    {"id": "d", "answer": SING.replace("(o / ", "(g / ")},
    {"id": "e", "answer": "(s / sing-01 :ARG0 (g / girl :mod (t / "},
]
GOLD = [f"# ::id {name}\n{SING}" for name in "abcde"]


@quiet
class TestScore:
    def test_off_by_default(self):
        report = bamboo.score(ANSWERS, GOLD, field="answer", on_error="zero")
        assert report.scores.tolist() == [1, 0, 0, 0, 0]
        assert "repaired" not in report.to_json()
        assert "repair" not in report.signature

    @pytest.mark.parametrize("extract", [None, "last"])
    def test_counts_and_the_score_without(self, extract):
        options = {"field": "answer", "on_error": "zero", "extract": extract}
        plain = bamboo.score(ANSWERS, GOLD, **options)
        report = bamboo.score(ANSWERS, GOLD, repair="variables,brackets", **options)
        assert report.scores.tolist() == [1, 1, 1, 1, 0]
        assert "|repair=brackets,variables|" in report.signature
        counts = report.to_json()["repaired"]
        assert counts.pop("without") == plain.corpus
        assert {k: n for k, n in counts.items() if n} == {
            "texts": 5,
            "graphs": 3,
            "closed": 1,
            "indented": 1,
            "renamed": 1,
            "one_line": 1,
        }
        [note] = [text for text in str(report).splitlines() if text.startswith("repair=")]
        assert note == (
            "repair=brackets,variables: src: 3 of 5 graphs were repaired (1 by indentation; 1 "
            "closed at the end; 1 with a variable renamed); 1 of them has no indentation, such as "
            "in one line, where a bracket missing inside looks the same; without repairs F1 is "
            f"{100 * plain.score:.1f}"
        )

    @pytest.mark.parametrize("rule", RULES)
    def test_other_faults_stay(self, rule):
        repaired = {"brackets": [1, 1, 1, 0, 0], "variables": [1, 0, 0, 1, 0]}[rule]
        report = bamboo.score(ANSWERS, GOLD, field="answer", on_error="zero", repair=[rule])
        assert report.scores.tolist() == repaired
        with pytest.raises(GraphError):
            bamboo.score(ANSWERS, GOLD, field="answer", repair=rule)

    @pytest.mark.parametrize("metric", ["smatch_1.0", "sembleu", "wlk"])
    @pytest.mark.parametrize("on_error", ["nan", "zero"])
    def test_without_repairs_is_the_score_of_a_run_without(self, metric, on_error):
        options = {"metric": metric, "on_error": on_error, "field": "answer"}
        report = bamboo.score(ANSWERS, GOLD, repair=RULES, **options)
        without = report.repaired["src"].without[metric]
        assert without == bamboo.score(ANSWERS, GOLD, **options).corpus

    def test_every_graph_is_repaired(self):
        report = bamboo.score([SING[:-1]], [SING], repair="brackets")
        assert (report.score, report.repaired["src"].without["smatch_1.0"]["f1"]) == (1, 0)
        missing = bamboo.score([SING[:-1]], [SING], repair="brackets", on_error="nan")
        assert (missing.score, missing.repaired["src"].without) == (1, {"smatch_1.0": {}})

    @pytest.mark.parametrize("ending", ["amr", "jsonl"])
    def test_files(self, tmp_path, ending):
        texts = [row["answer"] for row in ANSWERS[:4]]
        path, gold = tmp_path / f"parse.{ending}", tmp_path / "gold.amr"
        gold.write_text("\n\n".join([*GOLD[:4], *GOLD[:4]]).replace("::id", "::n"))
        rows = [json.dumps({"answer": text}) for text in texts * 2]
        content = "\n\n".join(texts * 2) if ending == "amr" else "\n".join(rows)
        path.write_text(content)
        options = {"field": "answer"} if ending == "jsonl" else {}
        for extract in (None, "last"):
            report = bamboo.score(str(path), str(gold), repair=RULES, extract=extract, **options)
            assert report.score == 1
            assert report.repaired["parse"].counts[:2] == (8, 6)
        assert bamboo.explain(str(path), str(gold), pair=1, repair=RULES, **options)

    def test_a_valid_file_is_read_as_without_repairs(self, tmp_path):
        path = tmp_path / "parse.amr"
        path.write_text(f"{SING}\n{SING}\n")  # without a blank line
        report = bamboo.score(str(path), [SING, SING], repair="brackets")
        assert report.repaired["parse"].counts == Repaired(2)

    def test_pairs_of_all_and_by_id(self):
        texts = [f"# ::id {k}\n{text}" for k, text in enumerate((SING[:-1], SING))]
        gold = [f"# ::id {k}\n{SING}" for k in (1, 0)]
        for options in ({"pairs": "all"}, {"ids": "match"}):
            report = bamboo.score(texts, gold, repair="brackets", **options)
            without = bamboo.score(texts, gold, on_error="zero", **options)
            assert report.repaired["src"].without["smatch_1.0"] == without.corpus

    def test_annotators(self):
        files = {"a": [SING, SING], "b": [SING[:-1], SING]}
        with pytest.warns(FileNote, match="repair=brackets: b: 1 of 2 graphs was repaired"):
            assert bamboo.agree(files, repair="brackets").macro == 1


@quiet
class TestBadInput:
    def test_gold_is_not_repaired(self):
        with pytest.raises(GraphError, match="tgt, graph 0"):
            bamboo.score([SING], [SING[:-1]], repair="brackets")

    def test_other_notations(self):
        with pytest.raises(ConfigError, match="repair=brackets is for AMR: leave out format=umr"):
            bamboo.score([SING], [SING], repair="brackets", format="umr")
        with pytest.raises(ConfigError, match="repair=variables is for AMR: leave out format=camr"):
            bamboo.score([SING], [SING], repair="variables", format="camr")

    def test_an_unknown_rule(self):
        with pytest.raises(ConfigError, match="unknown repair 'bracket': did you mean 'brackets'"):
            split_rules("bracket")

    def test_json_and_reasoning_are_not_repaired(self):
        cut = SING[:-1]
        texts = [json.dumps({"amr": cut}), f"<think>\n{cut}", f"{cut}\n\nNo!"]
        report = bamboo.score(texts, [SING] * 3, repair="brackets", extract="last", on_error="zero")
        assert report.scores.tolist() == [0, 0, 1]


CUT = [
    ("answer", {"finish_reason": "length"}),
    ("answer", {"finishReason": "MAX_TOKENS"}),
    ("choices[0].answer", {"choices": [{"finish_reason": "length"}, {"finish_reason": "stop"}]}),
    ("message.answer", {"message": {"stop_reason": "max_tokens"}}),
    ("output[0].answer", {"status": "incomplete", "output": [{}]}),
]


def put(row, path, text):
    """Return a row with a text at the end of a path."""
    row = json.loads(json.dumps(row))
    holder = row
    if path != "answer":
        name, index, _ = path.replace(".answer", "").replace("]", "").partition("[")
        holder = row[name] if not index else row[name][int(path[path.index("[") + 1])]
    holder["answer"] = text
    return row


@quiet
class TestCutOff:
    @pytest.mark.parametrize(("path", "row"), CUT)
    def test_rows_that_were_cut_are_not_repaired(self, path, row):
        rows = [put(row, path, SING[:-1]), put(row, path, SING)]
        report = bamboo.score(
            rows, [SING] * 2, field=path, repair="brackets", on_error="zero", ids="ignore"
        )
        assert report.scores.tolist() == [0, 1]
        assert names_of(report.repaired["src"].counts) == {"texts", "cut"}
        assert "1 cut off by the length cannot be read and is not repaired" in str(report)

    def test_the_reason_of_another_choice(self):
        path, row = CUT[2]
        row = put({"choices": row["choices"][::-1]}, path, SING[:-1])
        [answer] = read_row_answers([("a", [Row(row, 1)])], Answers(field=path))
        assert not answer.is_cut

    def test_rows_that_are_stored_and_paired_by_id(self, tmp_path):
        reasons = {"y": "length", "x": "stop"}
        rows = [{"id": k, "answer": SING[:-1], "finish_reason": r} for k, r in reasons.items()]
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        gold = [f"# ::id {name}\n{SING}" for name in "xy"]
        report = bamboo.score(str(path), gold, field="answer", repair="brackets", on_error="zero")
        assert report.scores.tolist() == [1, 0]
