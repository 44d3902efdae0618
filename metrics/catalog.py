"""Metrics by name: ``metrics.get("wlk", K=3)``."""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, get_type_hints

from metrics.base import Metric
from metrics.errors import MetricError, OptionError
from metrics.options import unknown
from metrics.standardize import Standardized

STANDARDIZE = "standardize"  # an option of every metric


class RegisteredMetric(NamedTuple):
    """A registered metric: its class and default options.

    Attributes:
        target: the path of the class.
        options: its options that differ from the defaults of the class.
    """

    target: str
    options: Mapping[str, Any] = MappingProxyType({})


BLEND = (
    *("smatch", "smatchpp"),
    {"metric": "sema", "variant": "corrected"},
    {"metric": "sembleu", "name": "sembleu_2", "k": 2, "symmetric": True, "variant": "corrected"},
    {"metric": "sembleu", "name": "sembleu_4", "k": 4, "symmetric": True, "variant": "corrected"},
    {"metric": "wlk", "variant": "definition"},
    *("rematch", "label_overlap", "node_match"),
)
UNTRAINED = {"smatch>0": 0.17, "concept_cosine>0": 0.5, "node_match>0": 0.33}

# The same names and options as in the YAML files of the benchmark harness; a test compares them.
ENTRIES: Mapping[str, RegisteredMetric] = {
    "align_smatch": RegisteredMetric("metrics.camr.align_smatch.AlignSmatch"),
    "blend": RegisteredMetric("metrics.blend.metric.Blend", {"of": BLEND, "vectors": "wordllama"}),
    "blend_cell": RegisteredMetric(
        "metrics.blend.metric.Blend", {"of": BLEND, "vectors": "wordllama"}
    ),
    "blend_untrained": RegisteredMetric(
        "metrics.blend.metric.Blend",
        {
            "of": ("smatch", "concept_cosine", "node_match"),
            "vectors": "wordllama",
            "weights": UNTRAINED,
        },
    ),
    "camr_smatch": RegisteredMetric("metrics.camr.align_smatch.CamrSmatch"),
    "concept_cosine": RegisteredMetric("metrics.transport.concept_cosine.ConceptCosine"),
    "concept_smatch": RegisteredMetric("metrics.camr.align_smatch.ConceptSmatch"),
    "label_overlap": RegisteredMetric("metrics.features.label_overlap.LabelOverlap"),
    "node_match": RegisteredMetric("metrics.transport.node_match.NodeMatch"),
    "rematch": RegisteredMetric("metrics.features.rematch.Rematch"),
    "s2match": RegisteredMetric(
        "metrics.alignment.s2match.S2match", {"tau": 0.9, "tau_sense": 0.95}
    ),
    "s2match_default": RegisteredMetric("metrics.alignment.s2match.S2match"),
    "sema": RegisteredMetric("metrics.features.sema.Sema"),
    "sembleu": RegisteredMetric("metrics.features.sembleu.SemBleu"),
    "smatch": RegisteredMetric("metrics.alignment.smatch.Smatch"),
    "smatch_1.0": RegisteredMetric(
        "metrics.alignment.smatch.Smatch",
        {"root": "constant", STANDARDIZE: ("unquote", "fold_domain")},
    ),
    "smatchpp": RegisteredMetric("metrics.alignment.smatchpp.SmatchPP"),
    "wlk": RegisteredMetric("metrics.features.wlk.Wlk"),
    "wsmatch": RegisteredMetric("metrics.alignment.wsmatch.WSmatch"),
    "wwlk": RegisteredMetric("metrics.transport.wwlk.WWLK"),
    "wwlk_2021": RegisteredMetric(
        "metrics.transport.wwlk.WWLK", {"variant": "2021", "stability": 0, "init": "uniform"}
    ),
    "wwlk_theta": RegisteredMetric("metrics.transport.wwlk_theta.WWLKTheta"),
}

# Values of the options `solver` and `vectors` that can be given by name.
PARTS: Mapping[str, Mapping[str, str]] = {
    "solver": {
        "exact": "metrics.alignment.exact.Exact",
        "hillclimb": "metrics.alignment.hillclimb.HillClimb",
        "milp": "metrics.alignment.milp.Milp",
    },
    "vectors": {
        "glove": "metrics.vectors.VectorSource",
        "wordllama": "metrics.vectors.WordLlama",
    },
}

EXPECTED = {bool: "True or False", int: "an integer", float: "a number", str: "a string"}


def names() -> tuple[str, ...]:
    """The names that `get` knows.

    >>> names()[:3]
    ('align_smatch', 'blend', 'blend_cell')
    """
    return tuple(ENTRIES)


def get(name: str, **options: Any) -> Metric:
    """A metric by its name, with options.

    Metrics with learned parameters (``blend``, ``blend_cell``, ``wwlk_theta``) have their initial
    values: the learned weights are not part of this package.

    Args:
        name: one of `names`.
        options: options of the metric, and ``standardize`` (a preset or a list of steps, see
            `metrics.standardize.Standardizer.of`) for any metric. ``solver`` and ``vectors`` can
            be given by name: ``solver="hillclimb"``, ``vectors="wordllama"``.

    Raises:
        OptionError: an unknown name or option, with the most similar one, or an invalid value.

    >>> get("wlk", K=3).K
    3
    >>> get("wkl")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    metrics.errors.OptionError: unknown metric 'wkl': did you mean 'wlk'? Use one of: align_s...
    >>> get("wlk", k=3)
    Traceback (most recent call last):
    metrics.errors.OptionError: unknown option of wlk 'k': did you mean 'K'? Use one of: K, \
direction, level_weights, standardize, variant
    """
    if name not in ENTRIES:
        raise OptionError(unknown("metric", name, ENTRIES))
    entry = ENTRIES[name]
    cls = pkgutil.resolve_name(entry.target)
    fields = {field.name for field in dataclasses.fields(cls) if field.init}
    known = {*fields, STANDARDIZE, *(("vectors",) if "of" in fields else ())}
    if strange := [option for option in options if option not in known]:
        raise OptionError(unknown(f"option of {name}", strange[0], known))
    values = {**entry.options, **options}
    standardize = None if STANDARDIZE in fields else values.pop(STANDARDIZE, None)
    values = {option: _value(name, option, value) for option, value in values.items()}
    if "of" in fields:
        values["of"] = _metrics(name, values["of"], values.pop("vectors", None))
    _check_types(name, cls, values)
    try:
        metric: Metric = cls(**values)
        return metric if standardize in (None, "none") else Standardized.of(metric, standardize)
    except MetricError as error:
        raise OptionError(f"metric {name}: {error}") from None


def _value(name: str, option: str, value: Any) -> Any:
    """The value of an option; a solver or word vectors that are named are created."""
    if option not in PARTS or not isinstance(value, str):
        return value
    if value not in PARTS[option]:
        raise OptionError(f"metric {name}: {unknown(option, value, PARTS[option])}")
    make: Callable[[], Any] = pkgutil.resolve_name(PARTS[option][value])
    return make()


def _metrics(blend: str, entries: Any, vectors: Any) -> dict[str, Metric]:
    """The metrics of a blend by name, with its word vectors unless they have their own."""
    if isinstance(entries, Mapping):
        return dict(entries)
    metrics = {}
    for entry in entries:
        options = dict(entry) if isinstance(entry, Mapping) else {"metric": entry}
        metric = str(options.pop("metric", ""))
        own_name = str(options.pop("name", metric))
        if own_name in metrics:
            raise OptionError(f"metric {blend}: of: {own_name} is listed twice: add a name to one")
        if metric in ENTRIES and vectors is not None:
            cls = pkgutil.resolve_name(ENTRIES[metric].target)
            if any(field.name == "vectors" for field in dataclasses.fields(cls)):
                options.setdefault("vectors", vectors)
        metrics[own_name] = get(metric, **options)
    return metrics


def _check_types(name: str, cls: type, values: Mapping[str, Any]) -> None:
    """Check the values of options that are numbers, strings, or true or false."""
    hints = get_type_hints(cls)
    for option, value in values.items():
        kind = hints.get(option)
        if kind not in EXPECTED:
            continue
        allowed = (int, float) if kind is float else kind
        if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
            raise OptionError(f"metric {name}: {option}={value!r}: expected {EXPECTED[kind]}")
