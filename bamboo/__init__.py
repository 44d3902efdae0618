"""The BAMBOO harness: datasets, runs, tables and statistics around the metric library.

The names below are imported from their modules when they are first used: `import bamboo` is quick.

>>> import bamboo
>>> scores = bamboo.score("(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))")
>>> scores.score
0.75
"""

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metrics.version import VERSION as __version__

if TYPE_CHECKING:
    from bamboo.api.functions import compare, explain, run, score
    from bamboo.api.result import RunResult, load_result
    from bamboo.api.scores import PairScores, ParserReport
    from bamboo.errors import BambooError, BambooWarning
    from bamboo.explanation.explained import ExplainedPair
    from bamboo.statistics.comparison import Comparison

_MODULES = {
    "BambooError": "errors",
    "BambooWarning": "errors",
    "Comparison": "statistics.comparison",
    "ExplainedPair": "explanation.explained",
    "PairScores": "api.scores",
    "ParserReport": "api.scores",
    "RunResult": "api.result",
    "compare": "api.functions",
    "explain": "api.functions",
    "load_result": "api.result",
    "run": "api.functions",
    "score": "api.functions",
}

__all__ = [
    "BambooError",
    "BambooWarning",
    "Comparison",
    "ExplainedPair",
    "PairScores",
    "ParserReport",
    "RunResult",
    "__version__",
    "compare",
    "explain",
    "load_result",
    "run",
    "score",
]


def __getattr__(name: str) -> Any:
    """A public name, from its module."""
    if name not in _MODULES:
        near = get_close_matches(name, __all__, n=1)
        hint = f": did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names and what is loaded."""
    return sorted({*globals(), *__all__})
