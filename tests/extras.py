"""Whether the packages of some extras are installed."""

import importlib.util

import pytest

# The extras that metrics need, with a package of each and what names it in a configuration.
EXTRAS = {
    "wordllama": ("wordllama", ("WordLlama",)),
    "text": ("sacrebleu", ("TextBleu", "TextChrf")),
}


def _installed(extra):
    return importlib.util.find_spec(EXTRAS[extra][0]) is not None


def _needs(extra):
    reason = f"needs the extra {extra}: pip install -e '.[{extra}]'"
    return pytest.mark.skipif(not _installed(extra), reason=reason)


needs_wordllama = _needs("wordllama")
needs_sacrebleu = _needs("text")


def missing_extra(config):
    """The extra that a metric's configuration needs and that is not installed; None if none."""
    for extra, (_, names) in EXTRAS.items():
        if any(name in str(config) for name in names) and not _installed(extra):
            return extra
    return None
