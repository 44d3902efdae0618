"""Whether the packages of some extras, and WordNet, are installed."""

import importlib.util
import os
from pathlib import Path

import pytest

# The extras that metrics need, with a package of each and what names it in a configuration.
EXTRAS = {
    "wordnet": ("nltk", ("WordNetMatch",)),
    "wordllama": ("wordllama", ("WordLlama",)),
    "text": ("sacrebleu", ("TextBleu", "TextChrf")),
}


# WordNet of the released data, unless NLTK_DATA names another.
SHARED = Path(os.environ.get("BAMBOO_SHARED", Path(__file__).parents[2] / "shared"))
if (SHARED / "lexicon/nltk_data").is_dir():
    os.environ.setdefault("NLTK_DATA", str((SHARED / "lexicon/nltk_data").resolve()))


def _installed(extra):
    if importlib.util.find_spec(EXTRAS[extra][0]) is None:
        return False
    return extra != "wordnet" or _has_wordnet()


def _has_wordnet():
    import nltk.data

    for name in ("corpora/wordnet", "corpora/wordnet.zip"):
        try:
            nltk.data.find(name)
        except LookupError:
            continue
        return True
    return False


def _reason(extra):
    data = " and python -m nltk.downloader wordnet" if extra == "wordnet" else ""
    return f"needs the extra {extra}: pip install -e '.[{extra}]'{data}"


def _needs(extra):
    return pytest.mark.skipif(not _installed(extra), reason=_reason(extra))


needs_wordllama = _needs("wordllama")
needs_wordnet = _needs("wordnet")
needs_sacrebleu = _needs("text")


def missing_extra(config):
    """The extra that a metric's configuration needs and that is not installed; None if none."""
    for extra, (_, names) in EXTRAS.items():
        if any(name in str(config) for name in names) and not _installed(extra):
            return extra
    return None


def skip_without_extra(config):
    """Skip a test if a metric's configuration needs an extra that is not installed."""
    if extra := missing_extra(config):
        pytest.skip(_reason(extra))
