"""The formats of graph files: the functions of each, and which format a text is in.

Functions are named as ``module:function``, for `pkgutil.resolve_name` when they are used: most
programs need neither Chinese AMR nor documents, whose packages are imported in no other way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from amr_metrics.errors import GraphError
from amr_metrics.graphs.graph import Graph

GraphFormat = Literal["penman", "camr", "umr"]


class FileGraphs(NamedTuple):
    """The graphs of a file.

    Attributes:
        graphs: in order; the empty graph where one cannot be read.
        errors: why graphs cannot be read, by position.
        notes: on the file, for readers of the scores.
    """

    graphs: Sequence[Graph]
    errors: Mapping[int, GraphError] = {}
    notes: tuple[str, ...] = ()


# Each reads the content of a file, as ``read(data, source, on_error, **options)``, and returns
# `FileGraphs`. `on_error` is ``stop``, or ``nan`` or ``zero`` to list graphs that cannot be read.
READERS = {
    "penman": "amr_metrics.reading.scanner:load_amr",
    "umr": "amr_metrics.reading.umr:load_umr",
    "documents": "amr_metrics.documents.umr_document:load_umr_documents",
    "camr": "amr_metrics.camr.reading:load_camr",
}
# Each returns a plain graph as a graph of the format.
CONVERTERS = {
    "documents": "amr_metrics.documents.umr_document:make_document",
    "camr": "amr_metrics.camr.graph:make_camr_graph",
}
# Returns the mentions of each chain of coreference of a document.
CHAINS = "amr_metrics.documents.representations:collect_chains"

UMR_HEADING = re.compile(
    r"^#[ \t]*sentence level graph[ \t]*:?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
# Chinese AMR in tuple form: the first column of the header, or ten columns with a role.
TUPLES = re.compile(
    r"^(?:句子编号|sid)\t|^[^\t\n]+(?:\t[^\t\n]+){3}\t:[^\t\n]+(?:\t[^\t\n]+){5}$", re.MULTILINE
)
# In text form: behind a role, function words or nothing in parentheses, before a node.
FUNCTION_WORDS = re.compile(
    r"^[^#\n]*[\s)]:[A-Za-z][A-Za-z0-9-]*\((?:x[0-9][0-9_x]*/[^()\s]*)?\)\s*[(x]", re.MULTILINE
)
CAMR_NODE = re.compile(r"[(\uff08]\s*x[0-9]")
AMR_NODE = re.compile(r"\(\s*(?!x[0-9])[A-Za-z][A-Za-z0-9]*\s*/\s*\S")

NAMES = {
    "penman": "AMR in Penman notation: leave out format=camr, in Python use read_graphs",
    "umr": "a UMR file: use format=umr (score and explain), in Python read_graphs(path, 'umr')",
    "camr": "Chinese AMR: use format=camr (score and explain), in Python read_camr(path) of "
    "amr_metrics.camr",
}


def find_other_format(text: str, source: str, format: GraphFormat) -> GraphError | None:
    """Return the error for a text in another format than the one it was read as; None if it is not.

    Args:
        text: with something that cannot be read as `format`.
        source: its name in error messages.

    >>> str(find_other_format("(x7 / 走-01 :arg0() (x1 / 他))", "a.txt", "penman"))[:38]
    'a.txt: is Chinese AMR: use format=camr'
    """
    recognized = _recognize(text)
    if recognized is None or recognized == format:
        return None
    return GraphError(f"is {NAMES[recognized]}", source=source)


def _recognize(text: str) -> GraphFormat | None:
    if UMR_HEADING.search(text):
        return "umr"
    has_amr_node = AMR_NODE.search(text) is not None
    if TUPLES.search(text) or (not has_amr_node and FUNCTION_WORDS.search(text)):
        return "camr"
    return "penman" if has_amr_node and not CAMR_NODE.search(text) else None
