"""What defines a metric: its publication, and the address and commit of its code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from bamboo.errors import ConfigError, describe_unknown

URL = re.compile(r"https?://[^\s)>\]]+")
CODE = re.compile(r"(.*?)\s*\(code: ([^\s,)]+)(?:, commit ([^\s)]+))?\)\s*", re.DOTALL)


class Reference(NamedTuple):
    """The source of a metric; fields that are not known are empty.

    Attributes:
        paper: the publication, with its address.
        code: the address of the code.
        commit: the commit of the code.
    """

    paper: str = ""
    code: str = ""
    commit: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the reference that a text contains.

        >>> Reference.parse("Song (2019), https://a.org/p (code: https://b.org/c, commit 53)")
        Reference(paper='Song (2019), https://a.org/p', code='https://b.org/c', commit='53')
        """
        match = CODE.fullmatch(text)
        return cls(text.strip()) if match is None else cls(match[1], match[2], match[3] or "")

    @classmethod
    def of(cls, value: Any, where: str) -> Self:
        """Return the reference that YAML describes: a text, or a mapping of the attributes.

        Args:
            where: the metric, for messages.

        Raises:
            ConfigError: another value, an unknown attribute, or code without an address.
        """
        if isinstance(value, str) and value.strip():
            reference = cls.parse(" ".join(value.split()))
        elif isinstance(value, Mapping) and value:
            if extra := [key for key in value if key not in cls._fields]:
                raise ConfigError(
                    f"{where}: reference: {describe_unknown('key', str(extra[0]), cls._fields)}"
                )
            reference = cls(**{key: str(text).strip() for key, text in value.items()})
        else:
            raise ConfigError(
                f"{where}: reference: expected a text, or a mapping with paper, code and commit"
            )
        if reference.code and not URL.fullmatch(reference.code):
            raise ConfigError(
                f"{where}: reference: code: {reference.code!r} is no address: give one that begins "
                "with https://"
            )
        return reference

    @property
    def text(self) -> str:
        """The reference in one line, as `parse` reads it."""
        commit = f", commit {self.commit}" if self.commit else ""
        code = f"(code: {self.code}{commit})" if self.code else ""
        return f"{self.paper} {code}".strip()

    @property
    def links(self) -> list[tuple[str, str]]:
        """The addresses in it, each with its kind.

        >>> Reference("Song and Gildea (2019), https://a.org/p", "http://b.org/c").links
        [('paper', 'https://a.org/p'), ('code', 'http://b.org/c')]
        """
        addresses = {"paper": URL.findall(self.paper), "code": [self.code] if self.code else []}
        return [(kind, url) for kind, urls in addresses.items() for url in urls]
