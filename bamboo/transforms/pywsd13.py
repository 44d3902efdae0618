"""pywsd 1.3 with the Open English WordNet 2024: maintained, and fast to import.

Its decisions differ from those of 1.2.5: it uses another lexicon, and ties go to the first sense.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from bamboo.transforms.errors import BuildError
from bamboo.transforms.four_solvers import FourSolvers, check_nltk_data, check_packages
from metrics.extras import installation

PACKAGES = {"pywsd": "1.3", "wn": "1.", "nltk": ""}
LEXICON = "oewn:2024"
INSTALL = (
    f"install the extra 'syno13': {installation('syno13')} (in a checkout: pip install '.[syno13]')"
)


def signature() -> str:
    """See `bamboo.transforms.wsd.Package`."""
    versions = check_packages(PACKAGES, INSTALL)
    check_nltk_data()
    import wn

    if not wn.lexicons(lexicon=LEXICON):
        raise BuildError(
            f"wn does not find the lexicon {LEXICON}; run python -m wn download {LEXICON} (or, "
            "with a local copy of the file, python -c \"import wn; wn.add('oewn-2024.xml.xz')\")"
        )
    return f"{versions} {LEXICON}"


def load() -> Pywsd13:
    """See `bamboo.transforms.wsd.Package`."""
    return Pywsd13()


class Pywsd13(FourSolvers):
    """The four solvers of pywsd 1.3."""

    def __init__(self) -> None:
        import pywsd.lesk
        import pywsd.tokenize
        import pywsd.utils
        import wn

        self._wordnet = wn.Wordnet(LEXICON)
        super().__init__(pywsd.lesk, pywsd.utils, pywsd.tokenize.word_tokenize)

    def senses(self, word: str, nouns: bool) -> Sequence[Any]:
        """See `FourSolvers`."""
        return self._wordnet.synsets(word, pos="n" if nouns else None)  # type: ignore[no-any-return]

    def lemmas(self, sense: Any) -> Sequence[str]:
        """See `FourSolvers`."""
        return [str(lemma).replace(" ", "_") for lemma in sense.lemmas()]

    def ancestors(self, sense: Any, rooted: bool) -> Mapping[Any, int]:
        """See `FourSolvers`."""
        distances = {sense.id: 0}
        queue = deque([sense])
        while queue:
            current = queue.popleft()
            for hypernym in current.hypernyms():
                if hypernym.id not in distances:
                    distances[hypernym.id] = distances[current.id] + 1
                    queue.append(hypernym)
        return distances

    def has_common_root(self, other: Any) -> bool:
        """Never."""
        return False

    def best(self, totals: Sequence[tuple[float, Any]]) -> Any:
        """Among ties, the first sense."""
        return max(totals, key=lambda total: total[0])[1]
