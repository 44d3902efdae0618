"""The compiled scanner reads the same graphs as penman, and refuses the same texts."""

import io
import random
import string
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import penman
import pytest
from hypothesis import given
from hypothesis import strategies as st
from penman.models.amr import model as amr_model

from amr_metrics import parse_amr, parse_graph
from amr_metrics.errors import LONGEST, GraphError
from amr_metrics.graphs.comments import Comments
from amr_metrics.graphs.graph import Relation
from amr_metrics.reading import penman_reading, scanner_kernels
from amr_metrics.reading.decoding import GraphStream
from amr_metrics.reading.scanner import (
    Text,
    scan_amr,
    scan_amr_with_errors,
    scan_regions,
    scan_stream,
)
from bamboo.installation import resource
from tests.mutated_graphs import blocks_of, fuzzed
from tests.reading_twin import NAME, both, both_listed, outcome, with_penman

SAMPLE = Path(str(resource("data"))) / "sample"


def check(data):
    """Compare the scanner with penman; returns whether the text is valid."""
    ours, expected = both(data)
    assert ours == expected, data
    return isinstance(expected, list)


# Files


def test_the_sample():
    assert all(check(path.read_bytes()) for path in SAMPLE.rglob("*.test.amr"))


@pytest.mark.parametrize("step", [100, pytest.param(1, marks=pytest.mark.slow)])
def test_the_released_files(shared, step):
    """In the plain run, every 100th graph of each file."""
    paths = sorted((shared / "bamboo-amr-benchmark").rglob("*.amr"))
    assert len(paths) == 70
    for path in paths:
        assert check(b"\n\n".join(path.read_bytes().split(b"\n\n")[::step]))


def test_the_released_files_are_read_without_penman(shared, monkeypatch):
    monkeypatch.setattr(penman_reading, "parse_lines", None)
    paths = sorted((shared / "bamboo-amr-benchmark").rglob("*.test.amr"))
    assert len(paths) == 24
    assert sum(len(scan_amr(path.read_bytes())) for path in paths) > 50_000


# Texts


@pytest.mark.parametrize(
    "text",
    [
        "(a / b)(c / d) (e / f)",
        "(a / b)# ::id 2\n(c / d)",
        "# no key\n# ::id 1 ::date ::empty\n#::snt a::b\n \t# ::id 2 ::id 3\n(a / b)\n# ::id 4",
        "(a/b:c d:e f)",
        "(a / b : c :-of (d / e) :of-of a)",
        '(a / "b c" :op1 "(d # ::id" :op2 "\\"" :op3 "\\\\" :op4 "" :op5 "é\\走")',
        '(a / b~e.1 :c~e.2,3 d ~4 :e "f~g"~e.5 :h~i6 (j / "k~1" ~l7,8))',
        "(a / b :ARG0 c :ARG1 (c / d :ARG0-of a) :ARG2 c :ARG3-of c :ARG4-of x)",
        "(a / b :ARG0 a :ARG0-of a)",
        "(a\v/\fb :c\rd\r\n:e\tf)",
        "(é / 走-01 :mod (\u3000 / \x85\xa0) :op1 \ufeff\x00)",
        "(a / b :consist-of (c / d) :consist-of-of (e / f) :prep-out-of a)",
        "(a#b / c#d :e#f g#h)",
        "(a / b#c\n# ::id 1\n)",
        "(a / b #\n)",
        "\n \n(a / b)\n\n# ::id 2",
        "(a / b :c 1,2 :d 'e' :f [g] :h {i} :j k|l :m n\\o)",
    ],
)
def test_unusual_texts(text):
    check(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "(a~e.1 / b)",
        "(a / b)~e.1",
        "(a / b~e.1~e.2)",
        "(a / b~e.)",
        "(a / b~ab)",
        "(a / b :c ~)",
        '(a / b :c "d)\n(e / f :g "h")',
        '(a / b :c "d\\")',
        '(a / b :c "d\\',
        "(a / b :c 3:30)",
        "(a / b :c http://d)",
        "(a / b) c",
        "a (b / c)",
        "(a / b))(c / d)",
        "(a b / c)",
        "(a :b c / d)",
        "((a / b))",
        "(a / b :c (d / e) f)",
        "(a / (b / c))",
        "(a / :b c)",
        "(a / b :c / d)",
        "(",
        ")",
        '"',
        "~",
        "/",
        ":a",
        "(a / b",
        "(a / b :c",
        "(a / b :c (d / e)",
        "(a / b)\n\n\n\n(c / d :e (f)\n\n(g / h)",
        "(a / b) (c / d :e (f)) (g / h)\n",
        "\n\n(a)\n",
        "(a / b)\n\n(a)\n",
        "(a / b) # ::id 1\n# ::id 2\n(c)",
    ],
)
@pytest.mark.parametrize("before", ["", "(x / y)\n\n", "\n# ::id 0\n(x / y) "])
def test_errors(before, text):
    assert not check((before + text).encode())
    assert not check((before + text).replace("\n", "\r\n").encode())


def test_texts_of_a_few_tokens():
    tokens = [" / b", " :c", " a", " :d-of", " (a", ")", " (d / e)", " (a)", "\n", ' "f"', "~1"]
    rng = random.Random(3)
    texts = {"(a / b" + "".join(rng.choices(tokens, k=rng.randint(1, 6))) for _ in range(300)}
    valid = [check(f"{text})".encode()) for text in sorted(texts)]
    assert 5 < sum(valid) < len(valid) - 5


def test_metadata_is_that_of_penman():
    text = "# ::id 1 ::b\n# ::n A ::id 2 \t\n#x\n(a / b)\r# ::save-date Mon ::id\r(c / d)(e / f)"
    corpus = scan_amr(text.encode())
    assert isinstance(corpus.metadata, Comments)
    trees = [*penman.iterparse(text.replace("\r", "\n"))]
    assert [dict(entry) for entry in corpus.metadata] == [tree.metadata for tree in trees]
    assert [*corpus.metadata[1:]] == [tree.metadata for tree in trees[1:]]
    assert corpus.metadata[-1] == {}


@pytest.mark.parametrize("concept", ["b", "b :mod (c)"])  # read by the scanner, or by penman
def test_sentences_take_the_rest_of_their_line(concept):
    text = (
        f"# ::id 1 ::snt Use std::sort ::id 2 \t\n# ::snt-type x\n(a / {concept} :mod (c / c))\n\n"
        f'(a / {concept} :op "# ::snt d ::e" :mod (c / c)) # ::tok # a ::snt b\n# ::id 3\n'
        f"(a / {concept} :mod (c / c))\n\n# ::snt\n(a / {concept} :mod (c / c))"
    )
    assert check(text.encode())
    assert [dict(graph.metadata) for graph in parse_amr(text)] == [
        {"snt": "Use std::sort ::id 2", "id": "1", "snt-type": "x"},
        {},
        {"tok": "# a ::snt b", "id": "3"},
        {"snt": ""},
    ]
    (_, broken), errors = scan_amr_with_errors(b"(a / b)\n\n# ::id 1 ::snt a ::b\n(c / d")
    assert (broken.metadata, [*errors]) == ({"id": "1", "snt": "a ::b"}, [1])


def test_the_text_of_graphs_with_surface_alignments():
    text = b"(a / a)\n# ::snt ~\n(b / b~e.1) (c / c)\n\n# ~\n(d / d :x~2 (e :y (e / e)))\n"
    aligned = ["", "(b / b~e.1)", "", "(d / d :x~2 (e :y (e / e)))"]
    assert [graph.aligned for graph in scan_amr(text)] == aligned
    assert [graph.aligned for graph in scan_amr_with_errors(text)[0]] == aligned
    assert [graph.aligned for graph in parse_amr(text.decode())] == aligned
    # Words and other graphs may follow in a text that is read in part.
    corpus, *_ = scan_regions(Text(data=text, source=""), np.array([[18, 29], [30, 37]]))
    assert [graph.aligned for graph in corpus] == ["(b / b~e.1)", ""]
    corpus, *_ = scan_regions(Text(data=b"(a / a)~", source=""), np.array([[0, 7]]))
    assert corpus[0].aligned == ""


def test_strings_with_the_same_hash_are_different_symbols():
    """Both have the FNV-1a hash e20e47d2."""
    check(b"(a / declinate :mod macallums :mod (b / macallums)) (macallums / declinate)")


def make_colliding_names():
    """Nearly 900 names that FNV-1a puts into the first 4 slots of a table of 2048."""
    letters = np.frombuffer(string.ascii_lowercase.encode(), np.uint8).astype(np.uint64)
    codes = np.array([0x811C9DC5], np.uint64)
    for _ in range(4):
        codes = ((codes[:, np.newaxis] ^ letters) * 0x01000193 % 2**32).ravel()
    places = np.unravel_index(np.flatnonzero((codes ^ codes >> 15) % 2048 < 4), (26,) * 4)
    return [
        "".join(string.ascii_lowercase[k] for k in place) for place in zip(*places, strict=True)
    ]


def test_symbols_made_to_collide_are_spread(monkeypatch):
    tables = []
    read_graphs = scanner_kernels._read_graphs

    def note_table(*arguments):
        read_graphs(*arguments)
        tables.append([arguments[k] for k in (-7, -3, -2)])

    monkeypatch.setattr(scanner_kernels, "_read_graphs", note_table)
    names = make_colliding_names()
    nodes = "".join(f" :m ({name} / c) :n {name}" for name in names)
    graph = scan_amr(f"({names[0]}0 / root{nodes})")[0]
    assert graph.variables[1:] == tuple(names)
    assert [target for *_, target in graph.relations[1::2]] == names
    state, symbols, slots = tables[-1]
    assert state[7] == 1  # the hash function was replaced once
    used, last = np.flatnonzero(slots >= 0), len(slots) - 1
    codes = symbols[slots[used], 0]
    assert len(slots) == 2048
    assert ((used - (codes ^ codes >> 15)) & last).max() < 100  # from the first slot of each


# Nodes without a concept


@pytest.mark.parametrize(
    "text",
    [
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 (b)))",
        "(w / want-01 :ARG0 (b) :ARG1 (g / go-01 :ARG0 (b / boy :mod (n / nice))))",
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-01 :ARG0 (b :mod (n / nice) :polarity -)))",
        "(b :ARG0-of (w / want-01 :ARG1 (g / go-01 :ARG0 (b / boy))))",
        "(w / want-01 :ARG0-of (w :ARG1 (b / boy :ARG0-of (w :ARG2-of (b)))))",
    ],
)
def test_a_node_without_concept_is_a_mention(text):
    assert check(text.encode())
    graph, theirs = parse_graph(text), penman.decode(text, model=amr_model)
    triples = [(v, ":instance", c) for v, c in zip(graph.variables, graph.concepts, strict=True)]
    triples += [*map(tuple, graph.attributes), *map(tuple, graph.relations)]
    # penman adds an empty concept for each mention.
    assert sorted(triples) == sorted(triple for triple in theirs.triples if triple[2] is not None)
    assert graph.top == theirs.top


def test_mentions_before_the_concept_are_forward():
    graph = parse_graph("(w / want-01 :ARG0 (b :mod (n / new)) :ARG1 (g / go :ARG0 (b / boy)))")
    assert graph.variables == ("w", "n", "g", "b")
    assert graph.relations[0] == Relation("w", ":ARG0", "b")
    assert graph.forward == (0,)
    bare = parse_graph("(w / want-01 :ARG0 b :ARG1 (g / go :ARG0 (b / boy :mod (n / new))))")
    assert bare.forward == (0,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(a / b :c (d))", "'d' has no concept"),
        ("(a / b :c (d) :e (d :f g))", "'d' has no concept"),
        ("(a / b :c (a /))", "'a' is defined twice"),
        ("(a / b :c (d /) :e (d / f))", "'d' has no concept"),
        ("(a :b (c / d))", "'a' has no concept"),
        ("(a / b :c ())", "without a variable"),
    ],
)
def test_nodes_that_have_no_concept_anywhere(text, problem):
    assert not check(text.encode())
    with pytest.raises(GraphError, match=problem) as caught:
        parse_amr(text)
    assert "\n" not in str(caught.value)  # the problem is not one of a place in a line


# Large and deep


def test_a_graph_of_20_000_nodes():
    nodes = "".join(f" :op{k} (x{k} / c{k % 97} :mod (y{k} / d) :ARG1-of r)" for k in range(10_000))
    graphs = outcome(scan_amr, f"(r / root{nodes})".encode(), NAME)
    assert len(graphs[0][0]) == 20_001
    assert len(graphs[0][3]) == 30_000


@pytest.mark.parametrize(
    ("levels", "end"), [(1_000, ""), (1_000, ")"), (1_001, ""), (1_001, ")"), (10_000, ")")]
)
def test_deep_graphs(levels, end):
    nested = " :a ".join(f"(x{k} / y" for k in range(levels)) + ")" * levels
    check(f"(a / b)\n\n{nested}{end}\n\n(c / d)".encode())


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'(a / "%s")', None),
        (b"# ::snt %s\n(a / b)", None),
        (b"(a / %s :c d)", None),
        (b"(a / b :c (%s)", "unbalanced"),
        (b"(a / b) %s", "outside of any graph"),
        (b'(a / b :c "%s)', "quotation mark has no partner"),
        (b"%s", "outside of any graph"),
    ],
)
@pytest.mark.parametrize("size", [100_000, pytest.param(30_000_000, marks=pytest.mark.slow)])
def test_lines_of_many_megabytes(line, problem, size):
    data = line % (b"x" * size)
    for read in (lambda: scan_amr(data, NAME), lambda: chunked(io.BytesIO(data), 10)):
        result = outcome(read)
        assert isinstance(result, list) if problem is None else problem in result[1]
        assert len(str(result[1:])) < 5_000


def test_many_nodes_without_concept():
    text = b"(a / b :c (d / e :f (a)))" * 200
    assert outcome(scan_amr, text, NAME) == outcome(with_penman, text)


def test_time_does_not_grow_with_the_square_of_the_text():
    """Every quote that is escaped starts an unfinished string, up to the end of the line.

    With the square of the text this would take minutes.
    """
    for line in (b'"' + b'\\"' * 100_000, b"(" * 200_000, b":a" * 30_000, b"~1" * 100_000):
        assert isinstance(outcome(scan_amr, b"(a / b :c " + line, NAME), tuple)


def test_long_lines_are_cut_in_messages():
    text = "(a / b :c d)" + " " * 5_000 + "(a / b) c" + " " * 5_000
    expected = outcome(with_penman, text.encode())
    message = expected[1].splitlines()
    assert len(message) == 2
    assert message[1] == "    " + text[:LONGEST] + " ..."
    with pytest.raises(GraphError) as caught:
        parse_amr("(a / b)" + " " * 5_000 + "(a / b c)" + " " * 5_000)
    _, line, caret = str(caught.value).splitlines()
    assert line[caret.index("^")] == "c"
    assert line.startswith("    ... ")
    assert line.endswith(" ...")
    assert len(line) < LONGEST + 20


# Fuzzing

SAMPLE_BLOCKS = blocks_of(sorted(SAMPLE.rglob("*.amr")))


@given(st.integers(0, 2**32 - 1))
def test_graphs_with_changes(seed):
    """Ten at a time, so that `make fuzz` reads a hundred thousand."""
    rng = random.Random(seed)
    for _ in range(10):
        check(fuzzed(SAMPLE_BLOCKS, rng))


# Graphs that cannot be read are listed


@pytest.mark.parametrize("end", [")", "", "\n  :mod (x / y)", "\n  :mod (x /", "\n  :mod"])
def test_a_graph_that_never_ends_is_the_error_and_not_the_next_graph(end):
    graph = "# ::id 1\n(a / b\n  :ARG0 (c / d)"
    text = f"{graph})\n\n" * 3 + f"{graph}{end.removesuffix(')')}\n\n" + f"{graph})\n\n" * 3
    data = text.encode()
    (listed_error,) = scan_amr_with_errors(data, NAME)[1].values()
    assert (listed_error.graph, listed_error.line) == (3, 13)
    for size in (1, 3, 100):
        error = outcome(chunked, io.BytesIO(data), size)
        assert error[1:] == (str(listed_error), NAME, 3, 13)


def check_listed(data):
    """Compare `scan_amr_with_errors` with penman; returns the number of problems."""
    ours, expected = both_listed(data)
    assert ours == expected, data
    return len(expected[1])


def test_graphs_that_cannot_be_read_are_listed():
    text = "(a / b)\n\n# ::id 2\n(c / d\n\n(e / f :g (e :h i))\n\n(j)\n\n(k / l) (m / n)\n\n# end"
    corpus, errors = scan_amr_with_errors(text.encode(), NAME)
    assert [graph.top for graph in corpus] == ["a", "", "e", "", "k", "m"]
    assert [str(error).partition(" (")[0] for error in errors.values()] == [
        "some.amr, graph 1, line 3: unbalanced parentheses: the graph that starts here never ends: "
        "check parentheses, quotes and roles\n    # ::id 2",
        "some.amr, graph 3, line 8: variable 'j' has no concept: write",
    ]
    assert list(errors) == [1, 3]
    assert corpus.tops.tolist() == [0, -1, 0, -1, 0, 0]
    assert check_listed(text.encode()) == 2


def test_metadata_before_a_line_of_other_whitespace():
    """Which is a symbol for penman, and so an error."""
    for line in ("\u2028", "  \u3000 \r  \x85"):
        assert check_listed(f"# ::id 1 ::snt a\n{line}\n(a / b)\n\n(c / d)".encode()) == 1


def test_a_block_of_indented_comments_is_no_graph():
    """As in a text that is read as a whole, so that graphs keep their numbers."""
    text = b"(a / b)\n\n  # a note\n\n(c / d\n\n(e / f)"
    corpus, errors = scan_amr_with_errors(text, NAME)
    assert ([graph.top for graph in corpus], [*errors]) == (["a", "", "e"], [1])
    assert len(scan_amr(text.replace(b"d", b"d)"))) == 3
    assert check_listed(text) == 1


def test_texts_without_graphs_are_errors_even_then():
    for data in (b"", b"# ::id 1\n", b"(a / \xff)", "(a / b)".encode("utf-16")):
        with pytest.raises(GraphError):
            scan_amr_with_errors(data, NAME)


def test_fuzzed_texts_with_errors():
    rng = random.Random(15)
    counts = []
    for _ in range(30):
        data = b"\n\n".join(fuzzed(SAMPLE_BLOCKS, rng) for _ in range(3))
        counts.append(check_listed(data))
    assert {1, 2, 3} <= set(counts)


# Streams


class Stream:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data, rng):
        self._data, self._rng = io.BytesIO(data), rng

    def read(self, size):
        return self._data.read(self._rng.randint(1, size))


def chunked(stream, size):
    """The graphs of a stream that is read some bytes at a time."""
    chunks = [chunk for chunk, _ in scan_stream(stream, NAME, read=size)]
    assert all(chunks)
    return [graph for chunk in chunks for graph in chunk]


def test_fuzzed_chunks():
    rng = random.Random(16)
    results = []
    for _ in range(100):
        data = fuzzed(SAMPLE_BLOCKS, rng)
        expected = outcome(scan_amr, data, NAME)
        result = outcome(chunked, Stream(data, rng), rng.randint(1, 500))
        # Bytes that are not UTF-8 are reported only when the graphs before them have been read.
        if "UTF-8" not in str(expected):
            assert result == expected, data
            results.append(isinstance(result, list))
    assert 0.2 < np.mean(results) < 0.8


def chunked_with_errors(stream, size):
    """The graphs of a stream and the errors by position in the stream."""
    graphs, errors = [], {}
    for chunk, chunk_errors in scan_stream(stream, NAME, by_block=True, read=size):
        assert all(chunk.tops[k] == -1 for k in chunk_errors)
        errors |= {len(graphs) + k: str(error) for k, error in chunk_errors.items()}
        graphs += chunk
    return graphs, errors


def test_fuzzed_chunks_with_errors():
    rng = random.Random(17)
    counts = []
    for _ in range(25):
        # The last block makes sure that the text has an error, and so is read block by block.
        data = b"\n\n".join([*(fuzzed(SAMPLE_BLOCKS, rng) for _ in range(3)), b"(a)"])
        try:
            corpus, errors = scan_amr_with_errors(data, NAME)
        except GraphError:
            continue
        if not errors:
            continue
        graphs, file_errors = chunked_with_errors(Stream(data, rng), rng.randint(1, 2_000))
        assert graphs == list(corpus), data
        assert [g.metadata for g in graphs] == [g.metadata for g in corpus]
        assert file_errors == {k: str(error) for k, error in errors.items()}, data
        counts.append(len(file_errors))
    assert {1, 2, 3} <= set(counts)
    assert len(counts) > 12


def test_a_stream_without_graphs():
    for read in (chunked, chunked_with_errors):
        with pytest.raises(GraphError, match="contains no graph"):
            read(io.BytesIO(b"# ::id 1\n"), 2)


def test_bytes_of_a_stream_that_are_not_utf8():
    with pytest.raises(GraphError, match=r"some\.amr, line 4: byte 0xff"):
        chunked(io.BytesIO(b"(a / b)\n\n(c / d)\n(e / \xff)"), 10)
    marked = GraphStream(io.BytesIO(b"\xef\xbb\xbf(a / b)"), "some.amr")
    assert [graph.top for graph in chunked(marked, 10)] == ["a"]
    for content, what in (("(a / b)".encode("utf-16"), "UTF-16"), (b"[[", "JSON"), (b"<p>", "XML")):
        with pytest.raises(GraphError, match=what):
            GraphStream(io.BytesIO(content), "some.amr")


def test_a_stream_may_return_fewer_bytes_than_it_is_asked_for():
    pieces = [b"x", b"yyyy", b"z", b""]
    text = Text(data=b"(", source="", ended=False)
    reads = SimpleNamespace(read=lambda size: pieces.pop(0)[:size])
    assert text.filled(reads, 7).data == b"(xyyyyz"


def test_errors_of_a_stream_are_raised_without_reading_on():
    for broken in (b"(x / y :z\n\n", b'(x / y :z "a)\n\n', b"words\n"):
        data = b"# ::id 1\n(a / b)\n\n" * 1_000 + broken + b"(a / b)\n\n" * 100_000
        stream = io.BytesIO(data)
        with pytest.raises(GraphError, match=r"graph (999|1000), line 300\d: "):
            chunked(stream, 1_000)
        assert stream.tell() < 30_000


class Repeated:
    """A stream of many times the same bytes."""

    def __init__(self, data, times):
        self._data, self._left = data, times * len(data)
        self._size = len(data)

    def read(self, size):
        size = min(size, self._left)
        start = -self._left % self._size
        self._left -= size
        copies = (start + size) // self._size + 1
        return (self._data * copies)[start : start + size]


def test_memory_does_not_grow_with_the_stream():
    data = (SAMPLE / "main" / "src.test.amr").read_bytes() + b"\n\n"
    count = len(scan_amr(data))

    def peak(times):
        tracemalloc.start()
        total = sum(len(chunk) for chunk, _ in scan_stream(Repeated(data, times), NAME))
        largest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert total == times * count
        return largest

    few, many = peak(4_000_000 // len(data)), peak(16_000_000 // len(data))
    assert many < 1.2 * few + 1_000_000


@pytest.mark.parametrize("by_block", [False, True])
@pytest.mark.parametrize("filler", [b" ", b"\n", b"(a "])
def test_text_without_the_end_of_a_graph_is_limited(monkeypatch, filler, by_block):
    monkeypatch.setattr("amr_metrics.limits.TEXT", 1000)
    stream = io.BytesIO(b"(c / cat)\n\n" + filler * 100_000)
    with pytest.raises(
        GraphError, match=r"a\.amr, line \d: .* MB of text contain no complete graph"
    ):
        list(scan_stream(stream, "a.amr", by_block=by_block, read=100))
    assert stream.tell() < 3000
