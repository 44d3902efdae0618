"""Read `Graph` values from files and strings: Penman notation (with penman) and TSV triples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from sys import intern
from typing import Any, TypeVar

import penman
from penman.models.amr import model as amr_model

from metrics.errors import GraphError
from metrics.graph import Attribute, Graph, Relation
from metrics.lines import split_lines
from metrics.nesting import LEVELS, NestingError, is_too_deep, with_deep_stack

__all__ = ["parse_amr", "parse_graph", "parse_trees", "parse_tsv", "read_graphs", "read_text"]

# A graph appended to the input: penman needs a graph after comments at the end of the text.
LAST = "(last / last)"

Result = TypeVar("Result")


def read_graphs(path: str | Path, format: str = "penman") -> list[Graph]:
    """Read every graph of a file.

    Args:
        path: a UTF-8 file.
        format: ``"penman"`` (AMR's usual notation) or ``"tsv"`` (see `parse_tsv`).

    Raises:
        GraphError: if the file cannot be read, is not valid UTF-8, starts with a byte order mark,
            contains no graph, or contains a malformed graph. The message names the file, the
            graph's position and the line.
    """
    text, source = read_text(path), str(path)
    parsers = {"penman": parse_amr, "tsv": parse_tsv}
    if format not in parsers:
        raise GraphError(f"unknown graph format {format!r}: use one of {', '.join(parsers)}")
    return parsers[format](text, source)


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file.

    Raises:
        GraphError: if the file cannot be read, is not valid UTF-8, or starts with a byte order
            mark. The message names the file and the line.
    """
    source = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise GraphError(
            f"cannot be read: {error.strerror}. Check the path", source=source
        ) from None
    if data.startswith(b"\xef\xbb\xbf"):
        raise GraphError(
            "starts with a byte order mark (BOM): save it as UTF-8 without one",
            source=source,
            line=1,
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line = len(split_lines(before + "."))
        raise GraphError(
            f"byte 0x{data[error.start]:02x} is not UTF-8: convert the file first "
            "(iconv -f LATIN1 -t UTF-8)",
            source=source,
            line=line,
        ) from None
    return text


def parse_graph(text: str) -> Graph:
    """Read one graph in Penman notation.

    Raises:
        GraphError: if the text is malformed or does not contain exactly one graph.

    >>> parse_graph("(s / sleep-01 :ARG0 (c / cat) :polarity -)").concepts
    ('sleep-01', 'cat')
    """
    graphs = parse_amr(text)
    if len(graphs) != 1:
        raise GraphError(f"expected one graph, found {len(graphs)}")
    return graphs[0]


def parse_amr(text: str, source: str = "<text>") -> list[Graph]:
    """Read all graphs in a string in Penman notation, in order.

    Inverse roles (``:ARG0-of``) are normalised according to penman's AMR model and recorded in
    `Graph.inverted`. Surface alignments (``~e.3``) are removed; everything else is kept as written.
    Line endings are those of files that penman opens, see `metrics.lines.split_lines`.

    Raises:
        GraphError: if the text is malformed. The message names `source`, the graph's position and
            the line.
    """
    return parse_trees(text, lambda tree: _interpret(tree.node, tree.metadata), source)


def parse_trees(
    text: str, interpret: Callable[[penman.Tree], Result], source: str = "<text>"
) -> list[Result]:
    """Read all graphs in a string in Penman notation as penman trees, and interpret each.

    Args:
        interpret: converts a tree to a result; may raise a `GraphError`.
        source: the name of the text in error messages.

    Raises:
        GraphError: if the text is malformed, or a graph has more than 1,000 levels of parentheses.
            The message names `source`, the graph's position and the line.
    """
    lines = split_lines(text)
    return with_deep_stack(lambda: _parse_trees(lines, interpret, source))


def _parse_trees(
    lines: Sequence[str], interpret: Callable[[penman.Tree], Result], source: str
) -> list[Result]:
    reached, finished = 0, False

    def feed() -> Iterator[str]:
        nonlocal reached, finished
        for line in (*lines, LAST):
            reached += 1
            yield line
        finished = True

    results: list[Result] = []
    trees = penman.iterparse(feed())
    start = 1
    while True:
        try:
            tree = next(trees, None)
            # penman looks one token ahead: it reports the end of the input only after `LAST`.
            if finished:
                break
            if tree is not None:
                if is_too_deep(tree.node):
                    raise RecursionError
                results.append(interpret(tree))
        except RecursionError:
            raise NestingError(
                f"nested more than {LEVELS:,} levels deep: check its parentheses",
                source=source,
                graph=len(results),
                line=start,
            ) from None
        except penman.DecodeError as error:
            at, message = error.lineno or reached, str(error.message)
            if at > len(lines):
                at, message = start, "unbalanced parentheses: the graph that starts here never ends"
            raise GraphError(
                f"{message[0].lower()}{message[1:]}: check parentheses, quotes and roles",
                source=source,
                graph=len(results),
                line=at,
                text=lines[at - 1],
                offset=error.offset if at == error.lineno else None,
            ) from None
        except GraphError as error:
            raise GraphError(error.problem, source=source, graph=len(results), line=start) from None
        if tree is None:
            # penman stops without an error at the first token that does not start a graph.
            raise GraphError(
                "text outside of any graph (an extra closing parenthesis, or words between graphs)",
                source=source,
                graph=max(len(results) - 1, 0),
                line=min(reached, len(lines)),
                text=lines[min(reached, len(lines)) - 1],
            )
        # The lexer looks one token ahead: that token is on the first line of the next graph.
        start = reached
    if not results:
        raise GraphError("contains no graph: is it the right file?", source=source)
    return results


def parse_tsv(text: str, source: str = "<text>") -> list[Graph]:
    r"""Read graphs given as triples, one per line: ``source target :role``.

    Columns are separated by tabs (or, in a line without tabs, by spaces). The role ``:instance``
    gives the concept of a node; the target of ``:top`` (or ``:root``) is the root, by default the
    first triple's source. ``# ::key value`` lines are metadata; a blank line ends a graph.

    Raises:
        GraphError: if the text is malformed. The message names `source`, the graph's position and
            the line.

    >>> graph, = parse_tsv("b bark-01 :instance\nd dog :instance\nb d :ARG0\n")
    >>> graph.relations
    (Relation(source='b', role=':ARG0', target='d'),)
    """
    graphs: list[Graph] = []
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*split_lines(text), ""], 1):
        if line.strip():
            block.append((number, line))
        elif block:
            graphs.append(_tsv_graph(block, source, len(graphs)))
            block = []
    if not graphs:
        raise GraphError("contains no graph: is it the right file?", source=source)
    return graphs


def _tsv_graph(block: Sequence[tuple[int, str]], source: str, position: int) -> Graph:
    triples, metadata, top = [], {}, None
    for number, line in block:
        if line.startswith("#"):
            key, _, value = line.lstrip("# ").removeprefix("::").partition(" ")
            metadata[key] = value
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) != 3 or not cells[2].startswith(":") or not all(cells):
            raise GraphError(
                "expected three columns: source, target, :role",
                source=source,
                graph=position,
                line=number,
                text=line,
            )
        if cells[2] in (":top", ":root"):
            top = cells[1]
        else:
            triples.append((cells[0], cells[2], cells[1]))
    try:
        return Graph.from_triples(triples, top, metadata)
    except GraphError as error:
        raise GraphError(error.problem, source=source, graph=position, line=block[0][0]) from None


@cache
def deinverted(role: str) -> str | None:
    """The role that a role is the inverse of in penman's AMR model, or None if it is not inverse.

    >>> deinverted(":ARG0-of"), deinverted(":consist-of")
    (':ARG0', None)
    """
    return amr_model.invert_role(role) if amr_model.is_role_inverted(role) else None


def _interpret(root: Any, metadata: Mapping[str, str]) -> Graph:
    """Convert a penman tree to a graph, with the triples in the order of the text."""
    concepts: dict[str, str] = {}
    edges: list[tuple[str, str, str, bool, bool]] = []  # source, role, target, sub-tree, known

    def visit(node: Any) -> str:
        variable, branches = node
        if variable is None:
            raise GraphError("a node without a variable: write (x / concept)")
        if variable in concepts:
            raise GraphError(f"variable {variable!r} is defined twice: rename one of the two nodes")
        if not branches or branches[0][0] != "/" or branches[0][1] is None:
            raise GraphError(
                f"variable {variable!r} has no concept: write ({variable} / concept ...)"
            )
        concepts[variable] = _bare(branches[0][1])
        for role, target in branches[1:]:
            role = _bare(role)
            if role == "/":
                raise GraphError(f"variable {variable!r} has two concepts")
            if target is None:
                raise GraphError(f"role {role} of {variable!r} has no target")
            if isinstance(target, tuple):
                edges.append((variable, role, target[0], True, True))
                visit(target)
            else:
                name = _bare(target)
                edges.append((variable, role, name, False, name in concepts))
        return str(variable)

    top = visit(root)
    attributes: list[Attribute] = []
    relations: list[Relation] = []
    inverted, forward = [], []
    for source, role, target, is_tree, known in edges:
        if not is_tree and target not in concepts:
            attributes.append(Attribute(source, role, target))
            continue
        if not known:
            forward.append(len(relations))
        if (plain := deinverted(role)) is not None:
            inverted.append(len(relations))
            relations.append(Relation(target, plain, source))
        else:
            relations.append(Relation(source, role, target))
    return Graph(
        tuple(concepts),
        tuple(concepts.values()),
        tuple(attributes),
        tuple(relations),
        top,
        metadata,
        tuple(inverted),
        tuple(forward),
    )


def _bare(token: str) -> str:
    """A token without its surface alignment (``dog~e.3``); equal tokens share one string object."""
    if "~" not in token or token.endswith('"'):
        return intern(token)
    return intern(token[: token.rindex("~")])
