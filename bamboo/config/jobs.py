"""Jobs: metrics with their options, and the configurations that they refer to by name."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

from bamboo.config.composition import (
    EVERY_METRIC,
    PARTS,
    UnknownOptionError,
    base_config,
    compose_group,
    composed,
    named_config,
    set_option,
)
from bamboo.config.metrics import LEARNED, OF, TRAINER, build_metric
from bamboo.config.options import fit
from bamboo.config.published import NamedMetric, named_metrics
from bamboo.config.settings import Setting, shown
from bamboo.config.targets import option_types
from bamboo.errors import ConfigError, unknown
from bamboo.installation import PATHS

VECTORS = "vectors"  # the group of word vectors, and the option of metrics that use them
WEIGHTS = "weights"  # the option for a file of learned weights
# Labels have the name of the file of vectors without its folder; the signature has its digest.
FILE = "vectors.file"
UNSHOWN = ("vectors.cache",)  # without effect on scores


@dataclass(frozen=True)
class Job:
    """One metric with its options, as one row of a table.

    Attributes:
        name: the row's label: the metric's name and its options that differ from the defaults, such
            as ``smatch root=none``. Unique within a request.
        metric: its configuration, interpolations resolved; ``trainer`` is the
            configuration of its trainer.
        base: the metric's name, which is that of its YAML file; empty for a job created in code.
        defaults: its configuration with default options.
        protocols: the names of the protocols under which the site shows it; empty for all.
    """

    name: str
    metric: Mapping[str, Any]
    base: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    protocols: tuple[str, ...] = ()

    @property
    def needs_training(self) -> bool:
        """Whether the metric has a trainer and no weights yet."""
        weights = self.metric.get(WEIGHTS) or self.metric.get(LEARNED)
        return self.metric.get(TRAINER) is not None and not weights

    @property
    def reads_sentences(self) -> bool:
        """Whether the metric compares sentences, not graphs.

        Raises:
            ConfigError: as `build_metric`.
        """
        return build_metric(self.name, self.metric).reads_sentences


@dataclass(frozen=True)
class Metrics:
    """The metrics of a command, by name.

    Attributes:
        names: the names.
        settings: the options of metrics.
        others: the other options of the command.
        choices: the name selected in each group.
    """

    names: Sequence[str]
    settings: Sequence[Setting]
    others: Sequence[Setting]
    choices: Mapping[str, str]
    config_dir: str | None

    def jobs(self, protocol: Any, every: bool) -> list[Job]:
        """Return a job per name and combination of options, with the meaning in a protocol.

        Args:
            every: the names are those of ``metric=all``.
        """
        usual = base_config(self.config_dir)

        def default(name: str) -> dict[str, Any]:
            return named_config("metric", name, usual, (), self.config_dir)

        meanings = named_metrics(self.names, protocol, every, default)
        root, default_root = self._root(self.others), self._root(())
        rows = self._rows(default_root)
        defaults = {name: default(name) for name in {meaning.metric for meaning in meanings}}
        return [
            self._job(meaning, row, root, default_root, defaults[meaning.metric])
            for meaning in meanings
            for row in rows
        ]

    def _root(self, settings: Sequence[Setting]) -> DictConfig:
        parts = {group: self.choices.get(group, name) for group, name in PARTS.items()}
        root = composed({"paths": dict(PATHS)}, parts, self.config_dir)
        for setting in settings:
            if setting.key.partition(".")[0] in root:
                set_option(root, setting)
        return root

    def _rows(self, root: DictConfig) -> list[list[Setting]]:
        """Return the settings of each row: the combinations of options with several values.

        The values of an option that is always a list are one value.
        """
        alternatives: list[list[Setting]] = []
        for setting in self.settings:
            is_list = setting.is_plain_list and any(
                _is_list(setting, named_config("metric", name, root, (), self.config_dir))
                for name in self.names
            )
            values = setting.value if setting.several and not is_list else [setting.value]
            alternatives.append(
                [Setting(setting.key, value, setting.prefix, word=setting.word) for value in values]
            )
        return [list(row) for row in itertools.product(*alternatives)]

    def _job(
        self,
        meaning: NamedMetric,
        row: Sequence[Setting],
        root: DictConfig,
        default_root: DictConfig,
        default: Mapping[str, Any],
    ) -> Job:
        published = [
            Setting(f"metric.{option}", value, word=f"metric.{option}={value}")
            for option, value in meaning.options.items()
        ]
        try:
            config = named_config(
                "metric", meaning.metric, root, [*published, *row], self.config_dir
            )
        except UnknownOptionError as error:
            if len(self.names) == 1:
                raise
            raise ConfigError(
                f"{error}. Options metric.* apply to every metric of a command: use one command "
                "for each metric, or a name of your own for a metric with options "
                "(docs/extend/metric.md)"
            ) from None
        usual = named_config("metric", meaning.metric, default_root, published, self.config_dir)
        parts = []
        for group, name in self.choices.items():
            value = usual.get(group)  # a name if the metric has its own default
            if group in config and name != (value if isinstance(value, str) else PARTS[group]):
                parts.append(f"{group}={name}")
        if TRAINER in config:
            weights = [s.value for s in self.others if s.key == WEIGHTS and s.value is not None]
            parts += [f"{WEIGHTS}={Path(path).name}" for path in weights]
        label = " ".join([meaning.label, *parts, *differences(config, usual)])
        return Job(label, config, meaning.metric, default)


def _is_list(setting: Setting, config: Mapping[str, Any]) -> bool:
    """Check that an option of a metric is a list, and cannot be a single value."""
    _, *owners, option = setting.key.split(".")
    for owner in owners:
        config = config.get(owner) or {}
    if isinstance(config.get(option), list):
        return True
    hint = option_types(config).get(option)
    return hint is not None and _fits(setting.value, hint) and not _fits(setting.value[0], hint)


def _fits(value: Any, hint: Any) -> bool:
    try:
        fit(value, hint, "")
    except ConfigError:
        return False
    return True


def differences(config: Mapping[str, Any], usual: Mapping[str, Any], owner: str = "") -> list[str]:
    """Return the options in which a configuration differs from another, for labels.

    Args:
        owner: a prefix of their names.

    >>> usual = {"root": "concept", "sif": {"a": 0.03, "file": None}}
    >>> differences({"root": "none", "sif": {"a": 1, "file": None}, "standardize": "none"}, usual)
    ['root=none', 'sif.a=1']
    """
    parts = []
    for key in {**config, **usual}:
        option, value, default = f"{owner}{key}", config.get(key), usual.get(key)
        if isinstance(value, Mapping) and isinstance(default, Mapping):
            parts += differences(value, default, f"{option}.")
        elif option not in UNSHOWN and _meaning(value) != _meaning(default):
            text = Path(value).name if option == FILE and value else shown(value)
            parts.append(f"{option}={text}" if key in config else f"~{option}")
    return parts


def _meaning(value: Any) -> Any:
    """Return a value for comparison: ``none`` means null, as in ``standardize=none``."""
    return None if value == "none" else value


def compose_metrics(
    requests: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | None = None
) -> list[Job]:
    """Return metrics with options as jobs.

    Args:
        requests: name of the job, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> compose_metrics([("rootless", "smatch", {"root": "none"})])[0].metric["root"]
    'none'
    """
    root = base_config(config_dir)
    configs: dict[str, dict[str, Any]] = {}
    jobs = []
    for name, metric, options in requests:
        if metric not in configs:
            configs[metric] = named_config("metric", metric, root, (), config_dir)
        accepted = [*configs[metric], *EVERY_METRIC]
        if rejected := [key for key in options if key not in accepted]:
            raise ConfigError(unknown(f"option of {metric}", rejected[0], accepted))
        jobs.append(Job(name, configs[metric] | dict(options), metric, configs[metric]))
    return [with_parts(job, config_dir) for job in jobs]


def on_boards(jobs: Mapping[str, Sequence[Job]]) -> list[Job]:
    """Return the jobs of several protocols, each once, with the protocols that it belongs to.

    If a label means different options in two protocols, they are added to the label in the second.

    >>> one, two = Job("wlk", {"variant": 2021}), Job("wlk", {"variant": 2023})
    >>> [(job.name, job.protocols) for job in on_boards({"paper": [one], "v0.2": [two]})]
    [('wlk', ('paper',)), ('wlk variant=2023', ('v0.2',))]
    """
    merged: list[Job] = []
    for protocol, protocol_jobs in jobs.items():
        earlier = list(merged)
        for job in protocol_jobs:
            if same := [e for e in earlier if (e.base, e.metric) == (job.base, job.metric)]:
                k = merged.index(same[0])
                merged[k] = replace(same[0], protocols=(*same[0].protocols, protocol))
                continue
            options = [
                f"{key}={value}"
                for other in earlier
                if other.name == job.name
                for key, value in job.metric.items()
                if value != other.metric.get(key)
            ]
            merged.append(replace(job, name=" ".join([job.name, *options]), protocols=(protocol,)))
    return merged


def with_parts(job: Job, config_dir: str | None, vectors: str | None = None) -> Job:
    """Return a job with configurations in place of the names in its metric's options.

    These are its trainer, its word vectors, and the metrics that a blend consists of, which use the
    word vectors of the blend.

    Args:
        vectors: the word vectors selected on the command line; None for those of the metric.
    """
    config = dict(job.metric)
    for option in (TRAINER, VECTORS):
        if isinstance(name := config.get(option), str):
            if option == VECTORS and vectors is not None:
                name = vectors
            config[option] = compose_group(option, name, config_dir)
    if OF in config:
        config[OF] = _metrics_of(job.name, config[OF], config.pop(VECTORS, None), config_dir)
    return replace(job, metric=config)


def _metrics_of(
    blend: str, entries: Any, vectors: Any, config_dir: str | None
) -> dict[str, dict[str, Any]]:
    """Return the configurations of the metrics of a blend, by name.

    Args:
        entries: for each metric its name, or a mapping with its name as ``metric``, options, and
            optionally a ``name`` that distinguishes it from others.
    """
    if not isinstance(entries, list):
        raise ConfigError(f"metric {blend}: of={entries}: expected a list of metrics")
    requests: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
    for entry in entries:
        options = dict(entry) if isinstance(entry, Mapping) else {"metric": str(entry)}
        if "metric" not in options:
            raise ConfigError(f"metric {blend}: of: {entry} names no metric: add metric: NAME")
        metric = str(options.pop("metric"))
        name = str(options.pop("name", metric))
        if name in requests:
            raise ConfigError(f"metric {blend}: of: {name} is listed twice: add a name to one")
        requests[name] = (name, metric, options)
    jobs = compose_metrics(list(requests.values()), config_dir)
    return {
        job.name: {**job.metric, VECTORS: vectors}
        if vectors is not None and VECTORS in job.metric and VECTORS not in requests[job.name][2]
        else dict(job.metric)
        for job in jobs
    }
