"""Rows of results: metrics with what the harness knows of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from amr_metrics import configurations
from amr_metrics.base import Metric
from amr_metrics.building import (
    OF,
    OF_THE_HARNESS,
    build_metric,
    describe_document,
    get,
    name_target,
    names,
    read_member,
    walk_metrics,
)
from amr_metrics.configurations import BASE, NAME, STANDARDIZE, TARGET, TITLE
from amr_metrics.errors import OptionError
from amr_metrics.options import defaults
from amr_metrics.parameters import Parametric
from amr_metrics.standardize import PRESETS, Standardized
from amr_metrics.standardize.metric import inner_metric
from bamboo.config.groups import ConfigDir, compose_group
from bamboo.config.reference import Reference
from bamboo.errors import ConfigError
from bamboo.files import format_value

Options = Mapping[str, Any]

BY_DATA = "by_data"  # options that differ between data sets, by the data set's name
TRAINER = "trainer"  # how a metric's parameters are learned (conf/trainer)
REFERENCE = "reference"  # the publication, the address of the code and its commit
LEARNED = "learned"  # learned values of its parameters, by name, or a file of weights
# Labels have the name of the file of vectors without its folder; the signature has its digest.
FILE = "vectors.file"
UNSHOWN = ("vectors.cache", TITLE)  # without effect on scores


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
        reference: what defines it, in place of what its class says; None for that.
        title: the name by which readers of papers know the metric, without its options; "" for the
            label.
    """

    name: str
    metric: Metric
    base: str = ""
    by_data: Mapping[str, Metric] = field(default_factory=dict)
    trainer: Mapping[str, Any] | None = None
    learned: Mapping[str, float] | Path | None = None
    protocols: tuple[str, ...] = ()
    reference: Reference | None = None
    title: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        config: Mapping[str, Any],
        base: str = "",
        config_dir: ConfigDir = None,
    ) -> Self:
        """Return the row that a configuration describes.

        Args:
            config: as `amr_metrics.building.build_metric` takes it, and options of the harness:
                options under ``by_data: {<data set>: {...}}`` take precedence on that data set,
                ``trainer`` is the name or configuration of a trainer, ``learned`` maps names of
                parameters to values, or is a file written by ``train``, and ``reference`` is as
                `Reference.of` takes it.

        Raises:
            ConfigError: as `build_metric`, an unknown trainer, or an unsuitable reference.
        """
        read = partial(compose_group, config_dir=config_dir)
        trainer, learned, reference = map(config.get, (TRAINER, LEARNED, REFERENCE))
        try:
            return cls(
                name,
                build_metric(name, config, read),
                base,
                {
                    dataset: build_metric(name, {**config, **different}, read)
                    for dataset, different in (config.get(BY_DATA) or {}).items()
                },
                read(TRAINER, trainer) if isinstance(trainer, str) else trainer,
                Path(learned) if isinstance(learned, str) else learned,
                reference=None if reference is None else Reference.of(reference, f"metric {name}"),
                title=str(config.get(TITLE, "")) if name.partition(" ")[0] == base else "",
            )
        except OptionError as error:
            values = (v for k, v in config.items() if k not in OF_THE_HARNESS)
            is_file = any(isinstance(value, str) and value.endswith(".json") for value in values)
            hint = ". Weights that train wrote are given as learned: FILE" if is_file else ""
            raise ConfigError(f"{error}{hint}") from None

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
            metric=_set_seed(self.metric, seed),
            by_data={dataset: _set_seed(m, seed) for dataset, m in self.by_data.items()},
        )

    @classmethod
    def from_metric(cls, metric: Metric) -> Self:
        """Return the row of a metric that was created in Python."""
        name, known = _describe_object(metric)
        return cls(name, metric, title=known.get(TITLE, ""))

    @property
    def heading(self) -> str:
        """The name in tables for papers: the title, with the options of the label."""
        return " ".join([self.title, *self.name.split(" ")[1:]]) if self.title else self.name

    @property
    def seed(self) -> int | None:
        """The metric's random seed; None if it draws no random numbers."""
        return getattr(inner_metric(self.metric), "seed", None)

    @property
    def has_weights_option(self) -> bool:
        """Whether the weights are an option of the metric, and not learned."""
        return bool(getattr(inner_metric(self.metric), "weights", None))

    @property
    def weights_given(self) -> bool:
        """Whether its parameters come from a file of weights."""
        return isinstance(self.learned, Path)

    @property
    def needs_training(self) -> bool:
        """Whether the metric has a trainer and no weights yet."""
        return self.trainer is not None and self.learned is None and not self.has_weights_option

    @property
    def reads_sentences(self) -> bool:
        """Whether the metric compares sentences, not graphs."""
        return self.metric.reads_sentences

    @property
    def source(self) -> Reference:
        """What defines the metric."""
        return self.reference or Reference.parse(self.metric.reference)

    @property
    def document(self) -> Mapping[str, Any]:
        """The metric and its training as YAML holds them; without options for some objects."""
        document = describe_document(self.metric)
        if self.by_data:
            document[BY_DATA] = {name: describe_document(m) for name, m in self.by_data.items()}
        learned = str(self.learned) if isinstance(self.learned, Path) else self.learned
        reference = None if self.reference is None else self.reference.text
        harness = {TRAINER: self.trainer, LEARNED: learned, REFERENCE: reference}
        return document | {key: value for key, value in harness.items() if value is not None}


def _set_seed(metric: Metric, seed: int) -> Metric:
    if isinstance(metric, Standardized):
        return replace(metric, metric=_set_seed(metric.metric, seed))
    return replace(metric, seed=seed)  # type: ignore[call-arg]  # those with seeds have the field


def list_properties(row: Row, metric: Metric) -> tuple[str, ...]:
    """Return which of ``trained``, ``vectors`` and ``symmetric`` hold for a metric.

    They have the meaning that they have in ``list metrics``.

    Args:
        metric: built from the row.
    """
    vectors = (getattr(part, "vectors", None) for part in walk_metrics(row.metric))
    has = {
        "trained": row.trainer is not None or row.learned is not None,
        "vectors": any(value is not None for value in vectors),
        "symmetric": metric.symmetric,
    }
    return tuple(name for name, holds in has.items() if holds)


def label(metric: Metric) -> str:
    """Return the label of a metric's row: its name, and the options that differ from the name's.

    A class without a name is named by itself.

    >>> label(get("wlk", K=3)), label(get("smatch_1.0")), label(get("sema", standardize="amr"))
    ('wlk K=3', 'smatch_1.0', 'sema standardize=amr')
    """
    return _describe_object(metric)[0]


def _describe_object(metric: Metric) -> tuple[str, Mapping[str, Any]]:
    """Return the label of a metric, and what is known of the name that begins it."""
    cls = type(inner_metric(metric))
    options, target = _collect_options(metric), name_target(cls)
    labels = []
    for name in names():
        about = configurations.read_member("metric", name).about
        is_row = BASE in about  # of a published table
        if not is_row and read_member("metric", name)[TARGET] == target:
            changed = differences(options, _collect_options(get(name)))
            labels.append((len(changed), " ".join([about.get(NAME, name), *changed]), about))
    if not labels:
        return " ".join([cls.__name__, *differences(options, defaults(cls))]), {}
    return min(labels, key=lambda found: found[:2])[1:]


def _collect_options(metric: Metric) -> dict[str, Any]:
    """Return the options of a metric, ``standardize`` as the name of a preset or the steps."""
    inner = inner_metric(metric)
    options = {field.name: getattr(inner, field.name) for field in dataclasses.fields(inner)}
    if isinstance(metric, Standardized):
        steps = metric.standardizer.steps
        presets = [name for name, preset_steps in PRESETS.items() if preset_steps == steps]
        options[STANDARDIZE] = presets[0] if presets else f"[{','.join(steps)}]"
    return options


def differences(options: Mapping[str, Any], usual: Mapping[str, Any], owner: str = "") -> list[str]:
    """Return the options whose values differ from the usual ones, for labels.

    Args:
        owner: a prefix of their names.

    >>> usual = {"root": "concept", "sif": {"a": 0.03, "file": None}}
    >>> differences({"root": "none", "sif": {"a": 1, "file": None}, "standardize": "none"}, usual)
    ['root=none', 'sif.a=1']
    """
    parts = []
    for key, value in options.items():
        if key == REFERENCE:
            continue
        option, default = f"{owner}{key}", usual.get(key)
        option = owner.removesuffix(".") if owner and key == NAME else option
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            parts += differences(value, default, f"{option}.")
            parts += [f"~{option}.{name}" for name in default if key == OF and name not in value]
        elif option not in UNSHOWN and _normalize_value(value) != _normalize_value(default):
            text = Path(value).name if option == FILE and value else format_value(value)
            parts.append(f"{option}={text}")
    return parts


def _normalize_value(value: Any) -> Any:
    """Return a value for comparison: ``none`` means null, and ``2021`` may be text or a number."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return None if value == "none" else value


def merge_boards(rows: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the rows of several protocols, each once, with the protocols that it belongs to.

    If a label means different options in two protocols, they are added to the label in the second.

    >>> one, two = Row("wlk", get("wlk")), Row("wlk", get("wlk", variant="2023"))
    >>> [(row.name, row.protocols) for row in merge_boards({"paper": [one], "v0.2": [two]})]
    [('wlk', ('paper',)), ('wlk variant=2023', ('v0.2',))]
    """
    merged: list[Row] = []
    for protocol, protocol_rows in rows.items():
        earlier = list(merged)
        for row in protocol_rows:
            key = (row.base, row.document)
            if same := [k for k, e in enumerate(earlier) if (e.base, e.document) == key]:
                first = merged[same[0]]
                merged[same[0]] = replace(first, protocols=(*first.protocols, protocol))
                continue
            merged.append(replace(tell_apart(row, earlier), protocols=(protocol,)))
    return merged


def tell_apart(row: Row, others: Sequence[Row]) -> Row:
    """Return a row, with the options that differ in its label if another one has the same.

    >>> tell_apart(Row("wlk", get("wlk", K=3)), [Row("wlk", get("wlk"))]).name
    'wlk K=3'
    """
    options = [
        option
        for namesake in others
        if namesake.name == row.name
        for option in differences(_collect_label_options(row), _collect_label_options(namesake))
    ]
    return replace(row, name=" ".join([row.name, *options]))


def _collect_label_options(row: Row) -> dict[str, Any]:
    """Return the options of a row for labels; of a trainer, its name."""
    name = None if row.trainer is None else row.trainer.get("name")
    return _collect_options(row.metric) | ({} if name is None else {TRAINER: name})
