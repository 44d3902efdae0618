"""Text for a terminal."""

from __future__ import annotations

import re

# Control characters except tab and line feed; line separators; characters that change the
# direction of the text around them; halves of surrogate pairs.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return the text with control characters as escapes, as in JSON.

    A terminal obeys control characters, and they may come from any file: the id of a graph could
    clear the screen or hide the rest of a message.

    >>> print(visible("id \x1b[2J"))
    id \u001b[2J
    """
    return HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
