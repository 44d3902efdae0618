"""Which results a site shows: the version of the data and the date.

Neither depends on the clock, so that the same command writes the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from bamboo.errors import ConfigError


@dataclass(frozen=True)
class Edition:
    """The date and the version of the data that every page states.

    Attributes:
        date: a day, such as ``2026-01-31``; None if none was given.
        digests: SHA-256 of the data of each cell, by ``data set partition split``.

    >>> Edition("2026-01-31", {"sts main test": "ab", "sts arg test": "cd"}).data
    '817408cd0944'
    """

    date: str | None
    digests: Mapping[str, str]

    @property
    def data(self) -> str:
        """The version of the data: the first 12 digits of the SHA-256 of the digests."""
        lines = "".join(f"{name} {digest}\n" for name, digest in sorted(self.digests.items()))
        return hashlib.sha256(lines.encode()).hexdigest()[:12]


def day(value: str | int | None) -> str | None:
    """A day as text, from the option ``date``; None if there is none.

    Args:
        value: a day such as ``2026-01-31``, or seconds since 1970 (as in ``SOURCE_DATE_EPOCH``).

    Raises:
        ConfigError: neither of them.

    >>> day("2026-01-31"), day("1769860800"), day(None)
    ('2026-01-31', '2026-01-31', None)
    """
    text = str(value or "").strip()
    if not text:
        return None
    try:
        if text.isascii() and text.isdigit() and len(text) != 8:  # 20260131 is a day
            return datetime.fromtimestamp(int(text), UTC).date().isoformat()
        return date.fromisoformat(text).isoformat()
    except (ValueError, OverflowError, OSError):
        raise ConfigError(
            f"date={text}: expected a day such as 2026-01-31, or seconds since 1970"
        ) from None
