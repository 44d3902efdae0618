"""Rows of results: metrics with what the harness knows of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from amr_metrics.base import Metric
from amr_metrics.building import (
    OF_THE_HARNESS,
    STANDARDIZE,
    TARGET,
    build_metric,
    document_of,
    get,
    names,
    option_types,
    registered,
)
from amr_metrics.errors import OptionError
from amr_metrics.options import defaults
from amr_metrics.parameters import Parametric
from amr_metrics.standardize import PRESETS, Standardized
from amr_metrics.standardize.metric import inner_metric
from bamboo.config.groups import PARTS, compose_group
from bamboo.errors import ConfigError, unknown
from bamboo.files import shown

BY_DATA = "by_data"  # options that differ between data sets, by the data set's name
TRAINER = "trainer"  # how a metric's parameters are learned (conf/trainer)
LEARNED = "learned"  # learned values of its parameters, by name, or a file of weights
OF = "of"  # the metrics of a blend
NAME = "name"  # of a solver or word vectors, with the other options beside it
# Labels have the name of the file of vectors without its folder; the signature has its digest.
FILE = "vectors.file"
UNSHOWN = ("vectors.cache",)  # without effect on scores


@dataclass(frozen=True)
class Row:
    """A metric as one row of a table.

    Attributes:
        name: the label: the metric's name and its options that differ from the defaults, such as
            ``smatch root=none``. Unique within a request.
        metric: the metric, without learned values.
        base: the metric's name, which is that of its YAML file; empty for an object.
        by_data: the metric on data sets for which its options differ.
        trainer: the configuration of its trainer; None if it is not trained.
        learned: learned values of its parameters, by name, or a file of weights.
        protocols: the names of the protocols under which the site shows it; empty for all.
    """

    name: str
    metric: Metric
    base: str = ""
    by_data: Mapping[str, Metric] = field(default_factory=dict)
    trainer: Mapping[str, Any] | None = None
    learned: Mapping[str, float] | Path | None = None
    protocols: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        config: Mapping[str, Any],
        base: str = "",
        config_dir: str | Path | None = None,
    ) -> Self:
        """Return the row that a configuration describes.

        Args:
            config: as `amr_metrics.building.build_metric` takes it, and options of the harness:
                options under ``by_data: {<data set>: {...}}`` take precedence on that data set,
                ``trainer`` is the name or configuration of a trainer, and ``learned`` maps names of
                parameters to values, or is a file written by ``train``.

        Raises:
            ConfigError: as `build_metric`, or an unknown trainer.
        """
        options = {key: value for key, value in config.items() if key not in OF_THE_HARNESS}
        if isinstance(metrics := options.get(OF), list):
            options[OF] = [_with_target(entry, config_dir) for entry in metrics]
        for part in PARTS:
            if isinstance(value := options.get(part), str):
                options[part] = compose_group(part, value, config_dir)
            elif isinstance(value, Mapping) and NAME in value:
                rest = {key: given for key, given in value.items() if key != NAME}
                options[part] = merged(compose_group(part, value[NAME], config_dir), rest)
        trainer, learned = config.get(TRAINER), config.get(LEARNED)
        if isinstance(trainer, str):
            trainer = compose_group(TRAINER, trainer, config_dir)
        try:
            return cls(
                name,
                build_metric(name, options),
                base,
                {
                    dataset: build_metric(name, {**options, **different})
                    for dataset, different in (config.get(BY_DATA) or {}).items()
                },
                trainer,
                Path(learned) if isinstance(learned, str) else learned,
            )
        except OptionError as error:
            raise ConfigError(str(error)) from None

    def untrained(self, dataset: str | None = None) -> Metric:
        """Return the metric on a data set, without learned values."""
        return self.by_data.get(dataset or "", self.metric)

    def on(self, dataset: str | None = None) -> Metric:
        """Return the metric on a data set, with its learned values.

        Raises:
            ConfigError: the metric does not have the parameters of the learned values.
            WeightsError: a file of weights that cannot be read, or of another metric.
        """
        key = dataset if dataset in self.by_data else None
        if key not in self._learned:
            self._learned[key] = self._with_learned(self.untrained(key))
        return self._learned[key]

    @cached_property
    def _learned(self) -> dict[str | None, Metric]:
        """What `on` has returned, by data set."""
        return {}

    def _with_learned(self, metric: Metric) -> Metric:
        if self.learned is None:
            return metric
        if not isinstance(metric, Parametric):
            raise ConfigError(f"metric {self.name} has no parameters")
        try:
            if isinstance(self.learned, Mapping):
                return metric.with_named(self.learned)
            from bamboo.config.weights import check_fits, read_weights  # slow to import

            weights = read_weights(self.learned)
            metric = metric.with_named(weights.values)
            check_fits(weights, metric, self.learned)
            return metric
        except OptionError as error:
            raise ConfigError(f"metric {self.name}: {error}") from None

    def with_seed(self, seed: int, name: str) -> Self:
        """Return the row of another random seed."""
        return replace(
            self,
            name=name,
            metric=_with_seed(self.metric, seed),
            by_data={dataset: _with_seed(m, seed) for dataset, m in self.by_data.items()},
        )

    @property
    def seed(self) -> int | None:
        """The metric's random seed; None if it draws no random numbers."""
        return getattr(inner_metric(self.metric), "seed", None)

    @property
    def has_weights_option(self) -> bool:
        """Whether the weights are an option of the metric, and not learned."""
        return bool(getattr(inner_metric(self.metric), "weights", None))

    @property
    def needs_training(self) -> bool:
        """Whether the metric has a trainer and no weights yet."""
        return self.trainer is not None and self.learned is None and not self.has_weights_option

    @property
    def reads_sentences(self) -> bool:
        """Whether the metric compares sentences, not graphs."""
        return self.metric.reads_sentences

    @property
    def document(self) -> Mapping[str, Any]:
        """The metric and its training as YAML holds them; without options for some objects."""
        document = document_of(self.metric)
        if self.by_data:
            document[BY_DATA] = {name: document_of(m) for name, m in self.by_data.items()}
        learned = str(self.learned) if isinstance(self.learned, Path) else self.learned
        harness = {TRAINER: self.trainer, LEARNED: learned}
        return document | {key: value for key, value in harness.items() if value is not None}


def _with_target(entry: Any, config_dir: str | Path | None) -> Any:
    """Return a metric of a blend; one from the user's YAML as its configuration."""
    options = dict(entry) if isinstance(entry, Mapping) else {"metric": entry}
    metric = options.pop("metric", None)
    if not isinstance(metric, str) or metric in names():
        return entry
    config = compose_group("metric", metric, config_dir)
    own = {key: value for key, value in config.items() if key not in OF_THE_HARNESS}
    return {"name": metric, **own, **options}


def _with_seed(metric: Metric, seed: int) -> Metric:
    if isinstance(metric, Standardized):
        return replace(metric, metric=_with_seed(metric.metric, seed))
    return replace(metric, seed=seed)  # type: ignore[call-arg]  # those with seeds have the field


def properties_of(row: Row, metric: Metric) -> tuple[str, ...]:
    """Return which of ``trained``, ``vectors`` and ``symmetric`` hold for a metric.

    They have the meaning that they have in ``list metrics``.

    Args:
        metric: built from the row.
    """
    learned = row.trainer is not None or row.learned is not None
    has = {
        "trained": learned,
        "vectors": _given(row.document, "vectors"),
        "symmetric": metric.symmetric,
    }
    return tuple(name for name, holds in has.items() if holds)


def _given(config: Any, option: str) -> bool:
    """Return whether an option of a metric or of its parts has a value."""
    if isinstance(config, Mapping):
        return config.get(option) is not None or any(_given(v, option) for v in config.values())
    return isinstance(config, list | tuple) and any(_given(part, option) for part in config)


def label(metric: Metric) -> str:
    """Return the label of a metric's row: its name, and the options that differ from the name's.

    A class without a name is named by itself.

    >>> label(get("wlk", K=3)), label(get("smatch_1.0")), label(get("sema", standardize="amr"))
    ('wlk K=3', 'smatch_1.0', 'sema standardize=amr')
    """
    cls = type(inner_metric(metric))
    options = _options(metric)
    usual_options = {
        name: _options(get(name))
        for name in names()
        if registered(name)[TARGET] == f"{cls.__module__}.{cls.__qualname__}"
    } or {cls.__name__: defaults(cls)}
    labels = []
    for name, usual in usual_options.items():
        parts = [name, *differences(options, usual)]
        labels.append((len(parts), " ".join(parts)))
    return min(labels)[1]


def _options(metric: Metric) -> dict[str, Any]:
    """Return the options of a metric, ``standardize`` as the name of a preset or the steps."""
    inner = inner_metric(metric)
    options = {field.name: getattr(inner, field.name) for field in dataclasses.fields(inner)}
    if isinstance(metric, Standardized):
        steps = metric.standardizer.steps
        presets = [name for name, preset_steps in PRESETS.items() if preset_steps == steps]
        options[STANDARDIZE] = presets[0] if presets else f"[{','.join(steps)}]"
    return options


def differences(given: Mapping[str, Any], usual: Mapping[str, Any], owner: str = "") -> list[str]:
    """Return the options whose values differ from the usual ones, for labels.

    Args:
        owner: a prefix of their names.

    >>> usual = {"root": "concept", "sif": {"a": 0.03, "file": None}}
    >>> differences({"root": "none", "sif": {"a": 1, "file": None}, "standardize": "none"}, usual)
    ['root=none', 'sif.a=1']
    """
    parts = []
    for key, value in given.items():
        option, default = f"{owner}{key}", usual.get(key)
        option = owner.removesuffix(".") if owner and key == NAME else option
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            parts += differences(value, default, f"{option}.")
        elif option not in UNSHOWN and _meaning(value) != _meaning(default):
            text = Path(value).name if option == FILE and value else shown(value)
            parts.append(f"{option}={text}")
    return parts


def _meaning(value: Any) -> Any:
    """Return a value for comparison: ``none`` means null, as in ``standardize=none``."""
    return None if value == "none" else value


def on_boards(rows: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the rows of several protocols, each once, with the protocols that it belongs to.

    If a label means different options in two protocols, they are added to the label in the second.

    >>> one, two = Row("wlk", get("wlk")), Row("wlk", get("wlk", variant="2023"))
    >>> [(row.name, row.protocols) for row in on_boards({"paper": [one], "v0.2": [two]})]
    [('wlk', ('paper',)), ('wlk variant=2023', ('v0.2',))]
    """
    merged: list[Row] = []
    for protocol, protocol_rows in rows.items():
        earlier = list(merged)
        for row in protocol_rows:
            if same := [k for k, e in enumerate(earlier) if _equal(e, row)]:
                first = merged[same[0]]
                merged[same[0]] = replace(first, protocols=(*first.protocols, protocol))
                continue
            options = [
                option
                for other in earlier
                if other.name == row.name
                for option in differences(_shown(row), _shown(other))
            ]
            merged.append(replace(row, name=" ".join([row.name, *options]), protocols=(protocol,)))
    return merged


def _equal(one: Row, other: Row) -> bool:
    return (one.base, one.document) == (other.base, other.document)


def _shown(row: Row) -> dict[str, Any]:
    """Return the options of a row for labels; of a trainer, its name."""
    name = None if row.trainer is None else row.trainer.get("name")
    return _options(row.metric) | ({} if name is None else {TRAINER: name})


def named_rows(
    requests: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | Path | None = None
) -> list[Row]:
    """Return metrics with options as rows.

    Args:
        requests: label of the row, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> named_rows([("rootless", "smatch", {"root": "none"})])[0].metric.root
    'none'
    """
    rows = []
    for name, metric, options in requests:
        config = compose_group("metric", metric, config_dir)
        check_options(options, metric, config)
        rows.append(Row.of(name, merged(config, options), metric, config_dir))
    return rows


def check_options(
    options: Mapping[str, Any], metric: str, config: Mapping[str, Any], metrics: int = 1
) -> None:
    """Check that a metric has some options; those of a function are not known.

    Raises:
        ConfigError: if it does not have one of them.
    """
    types = option_types(config)
    if types and "of" in types:
        types = {**types, "vectors": None}
    accepted = [*types, *config, *OF_THE_HARNESS, STANDARDIZE, *(PARTS if metrics > 1 else ())]
    rejected = [key for key in options if types and key not in accepted]
    if rejected:
        hint = (
            ". Options metric.* apply to every metric of a command: use one command for each "
            "metric, or a name of your own for a metric with options (docs/extend/metric.md)"
        )
        shown = [name for name in accepted if name != TARGET]
        problem = unknown(f"option of {metric}", rejected[0], shown)
        raise ConfigError(f"{problem}{hint if metrics > 1 else ''}")


def merged(config: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with other options, also of the objects in it.

    An object given with a class of its own replaces the other.

    >>> merged({"sif": {"a": 1, "file": None}, "K": 2}, {"sif": {"a": 3}})
    {'sif': {'a': 3, 'file': None}, 'K': 2}
    """
    result = dict(config)
    for key, value in options.items():
        old = result.get(key)
        nested = isinstance(value, Mapping) and isinstance(old, Mapping) and TARGET not in value
        result[key] = merged(old, value) if nested else value  # type: ignore[arg-type]
    return result
