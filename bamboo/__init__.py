"""The BAMBOO harness: datasets, runs, tables and statistics around the metric library.

The names below are imported from their modules when they are first used: `import bamboo` is quick.

>>> import bamboo
>>> scores = bamboo.score("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))")
>>> scores.score
0.75
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from amr_metrics.version import VERSION as __version__
    from bamboo.api.agree import agree as agree
    from bamboo.api.build import build as build
    from bamboo.api.check import check as check
    from bamboo.api.compare import compare as compare
    from bamboo.api.explain import explain as explain
    from bamboo.api.extract import extract as extract
    from bamboo.api.fetch import fetch as fetch
    from bamboo.api.run import run as run
    from bamboo.api.score import score as score
    from bamboo.api.site import site as site
    from bamboo.api.tables import tables as tables
    from bamboo.api.train import train as train
    from bamboo.errors import BambooError as BambooError
    from bamboo.errors import BambooWarning as BambooWarning
    from bamboo.explanation.explained import ExplainedFeatures as ExplainedFeatures
    from bamboo.explanation.explained import ExplainedPair as ExplainedPair
    from bamboo.parsers.agreement_result import Agreement as Agreement
    from bamboo.parsers.analysis import Analysis as Analysis
    from bamboo.parsers.result import Report as Report
    from bamboo.results.results import Results as Results
    from bamboo.results.results import load_result as load_result
    from bamboo.results.score_file import ScoreFile as ScoreFile
    from bamboo.training.spsa import SPSA as SPSA

_MODULES = {
    "SPSA": "training.spsa",
    "Agreement": "parsers.agreement_result",
    "Analysis": "parsers.analysis",
    "BambooError": "errors",
    "BambooWarning": "errors",
    "ExplainedFeatures": "explanation.explained",
    "ExplainedPair": "explanation.explained",
    "Report": "parsers.result",
    "Results": "results.results",
    "ScoreFile": "results.score_file",
    "agree": "api.agree",
    "build": "api.build",
    "check": "api.check",
    "extract": "api.extract",
    "fetch": "api.fetch",
    "compare": "api.compare",
    "explain": "api.explain",
    "load_result": "results.results",
    "run": "api.run",
    "score": "api.score",
    "site": "api.site",
    "tables": "api.tables",
    "train": "api.train",
}

__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    """Return a public name, from its module."""
    if name not in __all__:
        from difflib import get_close_matches  # slow to import

        near = get_close_matches(name, __all__, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    if name == "__version__":
        value = import_module("amr_metrics.version").VERSION
    else:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
