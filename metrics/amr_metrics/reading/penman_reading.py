"""Read Penman notation with penman, which defines what is valid and what an error is.

`amr_metrics.reading.scanner` reads the same graphs faster, and leaves to this module whatever is
unusual.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

import penman
from penman._lexer import PENMAN_RE
from penman.models.amr import model as amr_model

from amr_metrics.errors import GraphError
from amr_metrics.graphs.comments import SENTENCE, SENTENCE_KEYS
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.graphs.notation import LEVELS, allow_levels, is_too_deep
from amr_metrics.reading.labels import deinverted, remove_alignment
from amr_metrics.utils.text import split_lines

# A graph appended to the input: penman needs a graph after comments at the end of the text.
LAST = "(last / last)"

HASH_CONCEPT = re.compile(r"[^#]*/[ \t]*#\S")  # a line with one

WORD = re.compile(r'[^ \t\v\f"()]+')
BLANKS = " \t\v\f"  # within a line; penman takes other whitespace for parts of symbols
LONGEST = 10_000  # characters of a line in which a colon is searched, to explain an error

NO_END = (
    "unbalanced parentheses: the graph that starts here never ends: "
    "check parentheses, quotes and roles"
)
NO_END_OF_STRING = "this quotation mark has no partner in its line"
# In place of the kinds of tokens that penman names.
EXPECTED = {
    "Expected: LPAREN": "expected here: an opening parenthesis",
    "Expected: SYMBOL": "expected here: a variable, as in (x / concept)",
    "Expected: ROLE": "expected here: a role, such as :ARG0, or a closing parenthesis",
    "Expected: SYMBOL, STRING, LPAREN": "expected here: a variable, a constant or a node",
}

Result = TypeVar("Result")

# It logs whole graphs, duplicate edges, which BAMBOO's files contain, and the line of each role
# without a target, which is an error here.
logging.getLogger("penman").setLevel(logging.ERROR)


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
    results = parse_lines(split_lines(text), interpret, source=source)
    if not results:
        raise GraphError("contains no graph: is it the right file?", source=source)
    return results


def parse_lines(
    lines: Sequence[str],
    interpret: Callable[[penman.Tree], Result],
    *,
    source: str | None = None,
    message_lines: Sequence[str] | None = None,
    graph: int = 0,
    first_line: int = 1,
    ended: bool = True,
) -> list[Result]:
    """Read all graphs of a part of a text, as `parse_trees` does for the whole text.

    Args:
        lines: what penman reads.
        message_lines: the same lines for error messages, the first and last of them complete.
        graph: the number of graphs before the part.
        first_line: the number of its first line, counted from 1.
        ended: whether the text ends with it; if not, it is no error that a graph has no end.

    Raises:
        GraphError: as `parse_trees`; graphs and lines are counted from the start of the text.
    """
    allow_levels()
    message_lines = message_lines or lines
    # The line of the first token, counted from 1.
    start = next((k for k, line in enumerate(lines, 1) if line.strip(BLANKS)), 1)
    reached, finished = 0, False
    sentences: list[str] = []

    def feed() -> Iterator[str]:
        nonlocal reached, finished
        for line in (*lines, LAST):
            reached += 1
            yield _replace_sentence(line, sentences)
        finished = True

    def failure(
        problem: str, position: int, line: int, *, show: bool = True, offset: int | None = None
    ) -> GraphError:
        colon = None if problem == NO_END else _find_colon(lines[start - 1 : reached])
        if colon is not None:
            row, offset, word = colon
            line, show = start + row, True
            problem = f'a colon begins a role: {word} needs quotes, "{word}"'
        elif any(map(HASH_CONCEPT.match, message_lines[start - 1 : reached])):
            problem += '. A # begins a comment: a concept with it needs quotes, (x / "#...")'
        text = message_lines[line - 1]
        if colon is None and show and (letter := _find_invisible(text, offset)):
            problem += f". {letter} is no blank in a graph: replace it"
        return GraphError(
            problem,
            source=source,
            graph=graph + position,
            line=first_line + line - 1,
            text=text if show else None,
            offset=offset,
        )

    count = len(lines)
    results: list[Result] = []
    trees = penman.iterparse(feed())
    while True:
        try:
            tree = next(trees, None)
            # penman looks one token ahead: it reports the end of the input only after `LAST`.
            if finished:
                break
            if tree is not None:
                if is_too_deep(tree.node):
                    raise RecursionError
                for key in tree.metadata.keys() & {*SENTENCE_KEYS}:
                    tree.metadata[key] = sentences[int(tree.metadata[key])]
                results.append(interpret(tree))
        except RecursionError:
            raise GraphError(
                f"nested more than {LEVELS:,} levels deep: check its parentheses",
                source=source,
                graph=graph + len(results),
                line=first_line + start - 1,
            ) from None
        except penman.DecodeError as error:
            at = error.lineno or reached
            if at > count and not ended:
                break
            if at > count or _is_block_end(lines[start - 1 : at]):
                raise failure(NO_END, len(results), start) from None
            raise failure(
                _describe_expected(error),
                len(results),
                at,
                offset=error.offset if at == error.lineno else None,
            ) from None
        except GraphError as error:
            if _is_block_end(lines[start - 1 : reached - 1]):
                raise failure(NO_END, len(results), start) from None
            raise failure(error.problem, len(results), start, show=False) from None
        if tree is None:
            # penman stops without an error at the first token that does not start a graph.
            raise failure(
                "text outside of any graph (an extra closing parenthesis, or words between graphs)",
                max(len(results) - 1, -graph),
                min(reached, count),
            )
        # The lexer looks one token ahead: that token is on the first line of the next graph.
        start = reached
    return results


def _replace_sentence(line: str, sentences: list[str]) -> str:
    """Replace a sentence in a comment by its number, since penman would end it at ``::``.

    Args:
        sentences: those of the lines before; the sentence is appended to them.
    """
    if SENTENCE.search(line) is None:
        return line
    begins = [m.start() for m in PENMAN_RE.finditer(line) if m.lastgroup == "COMMENT"]
    match = SENTENCE.search(line, begins[0]) if begins else None
    if match is None:
        return line
    sentences.append((match[2] or "").rstrip())
    return f"{line[: match.start()]}::{match[1]} {len(sentences) - 1}"


def _describe_expected(error: penman.DecodeError) -> str:
    r"""Say what is expected where penman stops, and how quotation marks are written.

    >>> line = '(n / name :op1 "An"n)'
    >>> print(_describe_expected(penman.DecodeError("Expected: ROLE", text=line, offset=19)))
    expected here: a role, such as :ARG0, or a closing parenthesis (in a string, " is written \")
    """
    line, offset = str(error.text or ""), error.offset or 0
    token = PENMAN_RE.match(line, offset)
    if token is not None and token.lastgroup == "UNEXPECTED" and token[0] == '"':
        return NO_END_OF_STRING
    expected = EXPECTED.get(str(error.message), str(error.message))
    return expected + (r' (in a string, " is written \")' if '"' in line[:offset] else "")


def _find_colon(lines: Sequence[str]) -> tuple[int, int, str] | None:
    """Find the first colon inside a word that was taken for a role without a target.

    Lines of more than `LONGEST` characters are not searched.

    Returns:
        the line, from 0, the offset of the colon, and the word; None without one.

    >>> _find_colon(["(m / meet-03", "   :time 16:30)"])
    (1, 11, '16:30')
    """
    # Quotes without an end take time with the square of a line's length.
    short = ((row, line) for row, line in enumerate(lines) if len(line) <= LONGEST)
    tokens = [(row, m) for row, line in short for m in PENMAN_RE.finditer(line)]
    following = [m.lastgroup for _, m in tokens[1:]] + [None]
    for (before, symbol), (row, role), after in zip(
        tokens, tokens[1:], following[1:], strict=False
    ):
        is_inside = row == before and symbol.end() == role.start()
        is_role = is_inside and (symbol.lastgroup, role.lastgroup) == ("SYMBOL", "ROLE")
        if is_role and after not in ("SYMBOL", "STRING", "LPAREN"):
            word = WORD.search(lines[row], symbol.start())
            assert word is not None  # it begins with the symbol
            return row, role.start(), word[0].partition("~")[0]
    return None


def _find_invisible(line: str, offset: int | None) -> str:
    r"""Name the first character that cannot be seen in the word at an offset; "" without one.

    Args:
        offset: None for the first word of the line.

    >>> _find_invisible("(s / sleep-01", 5), _find_invisible("\u00a0 :ARG0 (c / cat))", 0)
    ('', 'U+00A0 (no-break space)')
    """
    word = WORD.search(line, offset or 0)
    letter = next((c for c in word[0] if not c.isprintable()), "") if word else ""
    name = unicodedata.name(letter, "a control character").lower() if letter else ""
    return f"U+{ord(letter):04X} ({name})" if letter else ""


def _is_block_end(lines: Sequence[str]) -> bool:
    """Check whether an unindented line follows a blank one, after a line that is not a comment.

    If an error is found there, the graph before it lacks a parenthesis: penman reads on.
    """
    has_graph = is_blank = False
    for line in lines:
        if has_graph and is_blank and line[:1].strip():
            return True
        is_blank = not line.strip()
        has_graph = has_graph or not (is_blank or line.startswith("#"))
    return False


def interpret(tree: penman.Tree, label: Callable[[str], str] = remove_alignment) -> Graph:
    """Convert a penman tree to a graph, with the triples in the order of the text.

    A node without a concept, ``(b)`` or ``(b :mod ...)``, is a mention of a variable that has its
    concept elsewhere.

    Args:
        label: the label of a token.

    Raises:
        GraphError: a node without a variable or concept or with two concepts, or a role without
            target.
    """
    concepts: dict[str, str] = {}
    mentions: list[str] = []  # variables of nodes without concept
    # Source, role, target, whether the target is a sub-tree, and whether it is defined before.
    edges: list[tuple[str, str, str, bool, bool]] = []

    def visit(node: Any) -> str:
        variable, branches = node
        if variable is None:
            raise GraphError("a node without a variable: write (x / concept)")
        if branches and branches[0][0] == "/":
            if variable in concepts:
                raise GraphError(
                    f"variable {variable!r} is defined twice: each node needs a variable of its "
                    f"own, and a further mention of the same node is written without its concept"
                )
            if branches[0][1] is None:
                raise _report_no_concept(variable)
            concepts[variable] = label(branches[0][1])
            branches = branches[1:]
        else:
            mentions.append(variable)
        for role, target in branches:
            role = label(role)
            if role == "/":
                raise GraphError(f"variable {variable!r} has two concepts")
            if target is None:
                raise GraphError(f"role {role} of {variable!r} has no target")
            if isinstance(target, tuple):
                is_mention = not target[1] or target[1][0][0] != "/"
                is_defined = not is_mention or target[0] in concepts
                edges.append((variable, role, target[0], True, is_defined))
                visit(target)
            else:
                name = label(target)
                edges.append((variable, role, name, False, name in concepts))
        return str(variable)

    top = visit(tree.node)
    for variable in mentions:
        if variable not in concepts:
            raise _report_no_concept(variable)
    attributes: list[Attribute] = []
    relations: list[Relation] = []
    inverted, forward = [], []
    for source, role, target, is_tree, is_defined in edges:
        if not is_tree and target not in concepts:
            attributes.append(Attribute(source, role, target))
            continue
        if not is_defined:
            forward.append(len(relations))
        if (inverse := deinverted(role)) is not None:
            inverted.append(len(relations))
            relations.append(Relation(target, inverse, source))
        else:
            relations.append(Relation(source, role, target))
    return Graph(
        tuple(concepts),
        tuple(concepts.values()),
        tuple(attributes),
        tuple(relations),
        top,
        tree.metadata,
        tuple(inverted),
        tuple(forward),
        penman.format(penman.Tree(tree.node), indent=None) if _has_tilde(tree) else "",
    )


def laid_out(triples: Sequence[tuple[str, str, str]], top: str) -> Graph:
    """Return the graph of triples in the form in which penman would write it.

    Args:
        triples: ``:instance`` triples included; penman follows their order.

    Raises:
        GraphError: if the graph is not connected.

    >>> triples = [("d", ":instance", "dog"), ("b", ":instance", "bark-01"), ("b", ":ARG0", "d")]
    >>> laid_out(triples, "d").inverted
    (0,)
    """
    allow_levels()
    try:
        return interpret(penman.configure(penman.Graph(triples, top=top), model=amr_model))
    except penman.PenmanError as error:
        raise GraphError(f"cannot be laid out: {error}") from None


def _has_tilde(tree: penman.Tree) -> bool:
    tokens = chain.from_iterable(branch for _, branch in tree.walk())
    return any("~" in token for token in tokens if isinstance(token, str))


def _report_no_concept(variable: str) -> GraphError:
    return GraphError(f"variable {variable!r} has no concept: write ({variable} / concept ...)")
