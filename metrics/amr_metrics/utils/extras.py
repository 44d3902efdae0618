"""Packages that only some functions need: the extras of the distribution ``bamboo-amr``."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

# The modules of each extra in `pyproject.toml`.
MODULES: Mapping[str, tuple[str, ...]] = {
    "vectors": ("gensim",),
    "wordllama": ("wordllama", "safetensors", "tokenizers"),
    "wordnet": ("nltk",),
    "text": ("sacrebleu",),
    "dask": ("dask", "distributed"),
}


def installation(extra: str) -> str:
    """Return the command that installs an extra into an environment with ``bamboo-amr``.

    >>> installation("text")
    "pip install 'bamboo-amr[text]'"
    """
    return f"pip install 'bamboo-amr[{extra}]'"


def describe_lacking(extra: str, what: str) -> str | None:
    """Return an error message if a package of an extra is not installed, else None.

    Args:
        what: what needs it, in the plural.

    >>> problem = describe_lacking("text", "BLEU and chrF")
    >>> problem is None or "sacrebleu" in problem
    True
    """
    for module in MODULES[extra]:
        if importlib.util.find_spec(module) is None:
            return (
                f"{what} need the package {module}, which is not installed. "
                f"Install the extra {extra!r}: {installation(extra)}"
            )
    return None
