"""Recognise the format of a text that cannot be read as another one: AMR, UMR or Chinese AMR."""

from __future__ import annotations

import re
from typing import Literal

from amr_metrics.errors import GraphError

Format = Literal["penman", "umr", "camr"]

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


def find_other_format(text: str, source: str, format: Format) -> GraphError | None:
    """Return the error for a text in another format than the one it was read as; None if it is not.

    Args:
        text: with something that cannot be read as `format`.
        source: its name in error messages.

    >>> str(find_other_format("(x7 / 走-01 :arg0() (x1 / 他))", "a.txt", "penman"))[:38]
    'a.txt: is Chinese AMR: use format=camr'
    """
    found = _recognize(text)
    if found is None or found == format:
        return None
    return GraphError(f"is {NAMES[found]}", source=source)


def _recognize(text: str) -> Format | None:
    if UMR_HEADING.search(text):
        return "umr"
    has_amr_node = AMR_NODE.search(text) is not None
    if TUPLES.search(text) or (not has_amr_node and FUNCTION_WORDS.search(text)):
        return "camr"
    return "penman" if has_amr_node and not CAMR_NODE.search(text) else None
