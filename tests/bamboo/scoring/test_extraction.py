"""Which text of an answer is its graph, rule by rule."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import graphs

from amr_metrics import parse_graph
from amr_metrics.reading.writing import format_graph
from bamboo.scoring import extraction, graph_text
from bamboo.scoring.extraction import extract_graph

CAT = "(s / sleep-01 :ARG0 (c / cat))"
DOG = "(b / bark-01 :ARG0 (d / dog))"
DEEP = """(w / want-01
   :ARG0 (b / boy
      :mod (l / little))
   :ARG1 (g / go-02
      :ARG0 b))"""


def check(text, graph, how="last"):
    """Check the graph of a text; None: it cannot be read."""
    extraction = extract_graph(text, how)
    assert extraction.graph == graph, extraction
    assert (extraction.problem is None) == (graph is not None)


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        (f"<think>Maybe {DOG}.</think>\n{CAT}", CAT),
        (f"<THINK>{DOG}</THINK>{CAT}", CAT),
        (f"<think>{DOG} <reasoning>{DOG}</reasoning> {DOG}</think>{CAT}", CAT),
        (f"{CAT}\n<scratchpad>{DOG}</scratchpad>", CAT),
        (f"Maybe {DOG}.\n</think>\n{CAT}", CAT),
        (f"<think>First {CAT}, then I need", None),
        (f"<think>Maybe <reasoning>{DOG}</reasoning> {CAT}", None),
        (f"{CAT}</think>", None),
        (f"<think>I answer without `<think>`.</think>\n{CAT}", CAT),
        (f"I answer without `<think>`.\n{CAT}", CAT),
        ('(n / name :op1 "a <think> b" :op2 "c")', '(n / name :op1 "a <think> b" :op2 "c")'),
        ('(n / name :op1 "a </think> b")', '(n / name :op1 "a </think> b")'),
        (f"It is<think>{DOG}</think>{CAT}", CAT),
        (
            f"<|channel|>analysis<|message|>{DOG}<|end|>"
            f"<|start|>assistant<|channel|>final<|message|>{CAT}<|return|>",
            CAT,
        ),
        (f"<|channel|>analysis<|message|>{DOG}", None),
    ],
)
def test_reasoning_is_never_the_answer(text, graph):
    check(text, graph)


@pytest.mark.parametrize(
    ("text", "last", "first"),
    [
        (f"<amr>{DOG}</amr> or <amr>{CAT}</amr>, not {DOG}", CAT, DOG),
        (f"{DOG}\n\n<answer>{CAT}</answer>\n\n{DOG}", CAT, CAT),
        (f"{DOG}\n\n<answer>\n{CAT}", CAT, CAT),
        (f"<answer>Draft: {DOG}\n```\n{CAT}\n```\n</answer>", CAT, CAT),
        (f"<answer>\n{DOG}\nis wrong, it is {CAT} now.</answer>", CAT, DOG),
        (f"<amr>```\n{DOG}\n```</amr><amr>{CAT}</amr>", CAT, DOG),
        (f"<amr>{DOG}</amr><amr>```\n{CAT}\n```</amr>", CAT, DOG),
        (f"<output><amr>{CAT}</amr></output>\n{DOG}", CAT, CAT),
        (f"<answer>{DOG} <amr>none</amr>\n{CAT}</answer>\n{DOG}", CAT, DOG),
        (f"<answer>{CAT}</answer> where <answer>(c / cat)</answer> is it", CAT, CAT),
        (f"{CAT}\n\n<answer>(c / cat)</answer>", "(c / cat)", "(c / cat)"),
        (f"I use `<answer>`.\n{CAT}", CAT, CAT),
        (f"```\n{DOG}\n```\n{DOG}\n~~~\n{CAT}\n~~~\n{DOG}", CAT, DOG),
        (f"{DOG}\n```amr\n{CAT}", CAT, CAT),
        (f"```\n~~~\n{CAT}\n```\n{DOG}", CAT, CAT),
        ('```\n(n / name :op1 "a ``` b")\n```', *['(n / name :op1 "a ``` b")'] * 2),
        (f"```xml\n<amr>{CAT}</amr>\n```\nThis is {DOG}", CAT, CAT),
        (f"```\n{CAT}\n```\nwith\n```\n(c / cat)\n```", CAT, CAT),
        (f"{CAT}\n\nwith\n```\n(c / cat)\n```", CAT, CAT),
        (f"It is {CAT} with\n```\n(c / cat)\n```", "(c / cat)", "(c / cat)"),
        (f"```amr\n{DOG}\n```\nCorrected:\n```amr\n", None, DOG),
        (f"<amr>{DOG}</amr>\nCorrected: <amr>", None, DOG),
        (f"{CAT}\n```\n", CAT, CAT),  # the prompt opened the fence
    ],
)
def test_tags_and_fences(text, last, first):
    check(text, last)
    check(text, first, "first")


QUOTED = '(n / name :op1 "Ada")'


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        (json.dumps({"amr": CAT}), None),
        (json.dumps([CAT]), None),
        (json.dumps({"amr": DOG}) + "\n" + json.dumps({"amr": CAT}), None),
        (f"```json\n{json.dumps({'amr': CAT})}\n```", None),
        (f"<answer>{json.dumps({'amr': CAT})}</answer>", None),
        (json.dumps(QUOTED), None),
        (json.dumps(f"So: {DEEP}"), None),
        (json.dumps(CAT), CAT),
        (f'The graph is {{"amr": {json.dumps(QUOTED)}}}.', None),
        (f"The graph is {DEEP!r}.", None),
        (f'The graph is {{"amr": "{CAT}", "is_sure": true}}.', CAT),
        (f"[1] {CAT}", CAT),
    ],
)
def test_json(text, graph):
    check(text, graph)
    assert bool(extract_graph(text, "last").counts.json) == (graph is None)


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        ("", None),
        ("I cannot parse (this).", None),
        ("(in (English) only)", None),
        ("s / sleep-01", None),
        ("( s\n/ sleep-01 :ARG0(c/cat))", "( s\n/ sleep-01 :ARG0(c/cat))"),
        ("The agent (he / she) is the boy (and / or the goer).", None),
        (f"See {CAT} or print(a / b :c d).", CAT),
        (f"# {DOG}\n{CAT}", CAT),
        ('So: (n / name :op1 ")" :op2 "\\")")', '(n / name :op1 ")" :op2 "\\")")'),
        (f"{CAT})))", CAT),
        (f"({CAT})", CAT),
        (DEEP.replace("\n", "\n\n"), DEEP.replace("\n", "\n\n")),  # indented or with a role
        ("(s / sleep-01\n\n:ARG0\n(c / cat))", "(s / sleep-01\n\n:ARG0\n(c / cat))"),
        ("(a / b\n  :c d\n   :e f)", "(a / b\n  :c d\n   :e f)"),  # the indentation does not count
        ("(a / b\n:c (d / e\n:f g)))", "(a / b\n:c (d / e\n:f g))"),
        (CAT[:-1], None),
        (f"{DOG}\n\nFinal: {CAT[:-1]}", None),
        (f"{DOG[:-1]}\n\n{CAT}", CAT),
        (f"{DOG[:-1]}\n{CAT}", CAT),
        (f"Draft: {DOG[:-1]}\nFinal: {CAT}", CAT),
        (f"{DOG[:-1]} {CAT}", None),
        (f"{DOG}\n\nFinal: (", None),
        (f"{DOG}\n\nFinal: (s", None),
        (f"{DOG}\n\nFinal: (s /", None),
        (f"{DOG}\n\nas above (s", DOG),
        (f"{DOG}\n(s / sleep-01\n:ARG1 x\n(c / cat))", None),  # a role is missing
    ],
)
def test_where_a_graph_begins_and_ends(text, graph):
    check(text, graph)


@pytest.mark.parametrize(
    "text",
    [
        CAT.replace(":ARG0", "):ARG0"),
        "(s / sleep-01 :ARG0 (c / cat)) :location (t / town))",
        "(s / sleep-01 :ARG0 (c / cat)))\n   :location (t / town)",
        DEEP.replace("boy\n", "boy)\n"),
        DEEP.replace("little)", "little))"),
        DEEP.replace("go-02\n", "go-02)\n"),
        f"(w / want-01\n :ARG1 (g / go-02\n  :ARG0 b{')' * 3}\n  :mod (l / little)))",
        "(want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
        f"{DOG}\n\nFinal: (want-01 :ARG0 (b / boy))",
    ],
)
@pytest.mark.parametrize("form", ["{}", "So:\n\n{}\n\nIs it right?", "Draft:\n" + DOG + "\n\n{}"])
def test_malformed_graphs_are_unreadable(text, form):
    assert extract_graph(form.format(text), "last").graph is None


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        (f"{CAT}\n\nNot {DOG}, of course.", CAT),
        (f"> {CAT}\n\nNot {DOG}.", CAT),
        (f"2. {CAT}\n\nNot {DOG}.", CAT),
        (f"**AMR:** {CAT}\n\nNot {DOG}.", CAT),
        (f"AMR： `{CAT}`, not {DOG}.", CAT),
        (f"| s1 | {CAT} |\n\nNot {DOG}.", CAT),
        (f"It is <code>{CAT}</code>, not {DOG}.", CAT),
        (f"Draft: {DOG}\nFinal: {CAT}, as said :)", CAT),
        (f"{CAT}\n- (b / bark-01 :mod (o / old)): the barking", CAT),
        (f"{CAT}\n- (b / bark-01 :mod (o / old)) -> the barking", CAT),
        (f"The graph {DOG} became {CAT} now.", CAT),
        (f"It is {CAT} where :ARG0 (d / dog :mod (b / big)) sleeps.", CAT),
        (f"{CAT}\n\n(here :ARG0 (c / cat) is the agent, as said)", None),
        (f"See {CAT} (here :ARG0 (c / cat) is the agent).", CAT),
        (f"It is {CAT}, sort of :(\n\nwhere :ARG0 (d / dog) sleeps", CAT),
        ("The AMR is:\n\n(m / moon)\n", "(m / moon)"),
        ("(m / moon)\n\n(m / moon)", "(m / moon)"),
        ("AMR: `(m / moon)`.", "(m / moon)"),
        ("It is the (m / moon).", None),
        ("(he / she) is the agent", None),
        (f"{DOG}\n\nFinal:\n(m / moon)", "(m / moon)"),
        (f"Draft: {DOG}\nFinal: (m / moon)", "(m / moon)"),
        (f"It is {DOG}.\n(m / moon)", DOG),
        (f"<answer>\n{DOG}\n(m / moon)\n</answer>", DOG),
    ],
)
def test_graphs_that_stand_by_themselves(text, graph):
    check(text, graph)


@pytest.mark.parametrize(
    ("text", "graph", "mentions"),
    [
        (f"{DOG}\n\n{CAT}", CAT, False),
        (f"{DEEP}\n\n(b / boy :mod (l / little))", DEEP, True),
        (f"{DEEP}\n\n- (b / boy)", DEEP, True),
        (f"{DEEP}\n\n(w / want-01)", DEEP, True),
        (f"{DEEP}\n\n(b / boy :mod (l / lit", "(b / boy :mod (l / lit", False),
        # Another edge, concept, node or the same root: a correction
        (f"{DEEP}\n\n(b / boy :poss (l / little))", "(b / boy :poss (l / little))", False),
        (f"{DEEP}\n\n(b / boy :mod (l / large))", "(b / boy :mod (l / large))", False),
        (f"{DEEP}\n\n(w / want-01 :ARG0 (b / boy))", "(w / want-01 :ARG0 (b / boy))", False),
        (f"(b / boy :mod (l / little))\n\nThus it is {DEEP} here.", DEEP, True),
    ],
)
def test_parts_of_other_graphs(text, graph, mentions):
    extracted = extract_graph(text, "last")
    assert extracted.chosen == graph
    assert bool(extracted.counts.mentions) == mentions


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        (f"Draft: {CAT}\nFinal: {DOG}", CAT),
        (f"(m / moon)\n\n{CAT}", CAT),
        (f"Draft: {CAT[:-1]}\n\nFinal: {DOG}", None),
        (f"<think>{DOG}</think>\n{CAT}\n{DOG}", CAT),
    ],
)
def test_the_first_graph(text, graph):
    check(text, graph, "first")


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        ("(c / cat\n# (a comment\n :mod (b / big))", "(c / cat\n \n :mod (b / big))"),
        ('(c\u00a0/ cat :li "a\u00a0b")', '(c / cat :li "a\u00a0b")'),
        ("> (c / cat\n>  :mod (b / big))", "(c / cat\n  :mod (b / big))"),
    ],
)
def test_what_is_left_out_of_a_graph(text, graph):
    check(text, graph)
    assert extract_graph(text, "last").counts.cleaned
    assert parse_graph(graph).concepts[0] == "cat"


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        (f"So:\n{CAT[:-2]}", "the graph has no end: 2 parentheses are not closed", 2),
        ("So:\n\n(x :mod (b / big))", "the graph has no root", 3),
        (
            f"<think>\n</think>\n{DEEP.replace('boy', 'boy)', 1)}",
            "there is a closing parenthesis",
            3,
        ),
        (
            "(s / see-01\n   :ARG0 (b / boy\n   :ARG1 (c / cat\n      :mod (d / big)))))",
            "there is a closing parenthesis",
            1,
        ),
        (f"<think>\n{CAT}", "the answer ends inside <think>", None),
        ("I cannot.", "there is no graph in 'I cannot.'", None),
        (json.dumps({"amr": CAT}), "the text is JSON", None),
    ],
)
def test_problems_and_their_lines(text, problem, line):
    extracted = extract_graph(text, "last")
    assert extracted.problem.startswith(problem)
    assert extracted.line == line


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (CAT, ""),
        (f"# ::id 1\n{CAT}\n\n# {DOG}\n", ""),
        (f"So: {CAT}", "surrounded"),
        (f"{DOG}\n{CAT}", "surrounded several"),
        (f"<think>{DOG}</think>{CAT}", "surrounded reasoning"),
        (f"<think>{DOG}", "reasoning unfinished"),
        (f"{CAT})", "surrounded extra"),
        (f"See ({CAT})", "surrounded"),
        ("(c / cat :li &quot;a&quot;)", "escaped"),
        ("(c / cat :li “a”)", "escaped"),
    ],
)
def test_what_is_counted(text, names):
    counts = extract_graph(text, "last").counts
    assert {name for name, count in counts._asdict().items() if count} == {"texts", *names.split()}


def test_comments_before_a_graph_are_kept():
    extracted = extract_graph(f"# ::id 1\nHere:\n\n```\n{CAT}\n```", "last")
    graph = extracted.comments + extracted.graph
    assert graph.splitlines()[4] == CAT
    assert parse_graph(graph).metadata == {"id": "1"}


BEFORE = st.text(alphabet="ab (\n.,?'", max_size=30)  # without a slash there is no graph
AFTER = st.text(alphabet="ab )\n.,?'", max_size=30)
FORMS = ["{}", "\n\n{}\n\n", "```amr\n{}\n```", "<amr>{}</amr>", "<think>(a / b :c d)</think>\n{}"]


@given(graphs(), BEFORE, AFTER, st.sampled_from(FORMS), st.sampled_from(["first", "last"]))
def test_a_graph_in_other_text(graph, before, after, form, how):
    text = format_graph(graph)
    check(f"{before}\n\n{form.format(text)}\n\n{after}", text, how)


@example(["((:x (a / b)) y :x (a / b))"])
@given(
    st.lists(st.sampled_from(["(a / b", "(a / b :c d)", "(", ")", "\n", " :x ", "<amr>", "```"]))
)
def test_no_text_is_read_twice(pieces):
    text = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        read, compared = [], []
        read_graph, is_part_of = graph_text.read_graph, graph_text.GraphText.is_part_of

        def count_read(*arguments):
            graph = read_graph(*arguments)
            read.append(len(graph.text))
            return graph

        def count_compared(part, whole):
            compared.append(part)
            return is_part_of(part, whole)

        patch.setattr(graph_text, "read_graph", count_read)
        patch.setattr(graph_text.GraphText, "is_part_of", count_compared)
        extract_graph(text, "last")
        assert sum(read) <= len(text)
        assert len(compared) <= 2 * extraction.COMPARED * len(read)


PIECES = (
    *"()\"'`:#<a\n[{\\",
    *("( ", ":a ", ":a\n", ":a(", "\n ", "\n\n", "```", "<amr>", "</amr>", "<think>", "</think>"),
    *("(a / b ", "(a / b\n", "(a / b)", "(a / b :c d)", "(:a (b / c) "),
)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("head", ["", "(a / b "])
def test_long_texts(piece, head):
    extract_graph(head + piece * (10_000 // len(piece)), "last")
