"""Take the graph out of a text."""

from __future__ import annotations

from bamboo.api.call import check_call
from bamboo.scoring.extracted import Extract


@check_call
def extract(text: str, how: Extract = "last") -> str | None:
    r"""Take the graph out of a text, such as the answer of a language model.

    `score` uses the same rules for its option ``extract``.

    Args:
        text: what has other text around the graph.
        how: first | last: which of several graphs.

    Returns:
        the graph; None if there is none, or if the chosen one is cut off or has a parenthesis too
        many inside. Whether its roles and labels are valid is not checked.

    Raises:
        BambooError: an argument of another type.

    >>> extract("Here it is:\n```\n(c / cat)\n```\nAnything else (or more)?")
    '(c / cat)'
    """
    from bamboo.scoring.extraction import extract_graph

    return extract_graph(text, how).graph
