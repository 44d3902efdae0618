"""Jobs: metrics with their options, and the configurations that they refer to by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bamboo.config.arguments import default_choices
from bamboo.config.composition import EVERY_METRIC, hydra_context
from bamboo.config.groups import group_names
from bamboo.config.metrics import LEARNED, OF, TRAINER
from bamboo.config.yaml_files import check_user_yaml
from bamboo.errors import ConfigError, unknown

VECTORS = "vectors"  # the group of word vectors, and the option of metrics that use them


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
        given = self.metric.get("weights") or self.metric.get(LEARNED)
        return self.metric.get(TRAINER) is not None and not given


def compose_metrics(
    wanted: Sequence[tuple[str, str, Mapping[str, Any]]], config_dir: str | None = None
) -> list[Job]:
    """Metrics with options, as jobs.

    Args:
        wanted: name of the job, name of the metric, and its options.

    Raises:
        ConfigError: an unknown metric or option.

    >>> compose_metrics([("rootless", "smatch", {"root": "none"})])[0].metric["root"]
    'none'
    """
    known = group_names("metric", config_dir)
    configs: dict[str, dict[str, Any]] = {}
    jobs = []
    with hydra_context("run", config_dir) as hydra:
        for name, metric, options in wanted:
            if metric not in known:
                raise ConfigError(unknown("metric", metric, known))
            if metric not in configs:
                check_user_yaml(config_dir, "metric", metric)
                configs[metric] = hydra.compose([], {"metric": [metric]})["metric"]
            known_options = [*configs[metric], *EVERY_METRIC]
            if strange := [key for key in options if key not in known_options]:
                raise ConfigError(unknown(f"option of {metric}", strange[0], known_options))
            jobs.append(Job(name, configs[metric] | dict(options), metric, configs[metric]))
    return [with_parts(job, config_dir) for job in jobs]


def on_boards(jobs: Mapping[str, Sequence[Job]]) -> list[Job]:
    """Return the jobs of several protocols, each once, with the protocols that it belongs to.

    If a label means different options under two protocols, the later one is extended by them.

    >>> one, two = Job("wlk", {"variant": 2021}), Job("wlk", {"variant": 2023})
    >>> [(job.name, job.protocols) for job in on_boards({"paper": [one], "v0.2": [two]})]
    [('wlk', ('paper',)), ('wlk variant=2023', ('v0.2',))]
    """
    merged: list[Job] = []
    for protocol, own in jobs.items():
        earlier = list(merged)
        for job in own:
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
    """A job with the configurations of what its metric refers to by name.

    These are its trainer, its word vectors, and the metrics that a blend consists of, which use the
    word vectors of the blend.

    Args:
        vectors: the word vectors chosen on the command line; None for those that the metric names.
    """
    config = dict(job.metric)
    for option, command in ((TRAINER, "train"), (VECTORS, "run")):
        if isinstance(name := config.get(option), str):
            chosen = vectors if option == VECTORS and vectors is not None else name
            config[option] = compose_group(command, option, chosen, config_dir)
    if OF in config:
        own = config.pop(VECTORS, None)
        config[OF] = _metrics_of(job.name, config[OF], own, config_dir)
    return replace(job, metric=config)


def _metrics_of(
    blend: str, entries: Any, vectors: Any, config_dir: str | None
) -> dict[str, dict[str, Any]]:
    """The configurations of the metrics of a blend, by name.

    Args:
        entries: for each metric its name, or a mapping with its name as ``metric``, options, and
            optionally a ``name`` that distinguishes it from others.
    """
    if not isinstance(entries, list):
        raise ConfigError(f"metric {blend}: of={entries}: expected a list of metrics")
    wanted: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
    for entry in entries:
        options = dict(entry) if isinstance(entry, Mapping) else {"metric": str(entry)}
        if "metric" not in options:
            raise ConfigError(f"metric {blend}: of: {entry} names no metric: add metric: NAME")
        metric = str(options.pop("metric"))
        name = str(options.pop("name", metric))
        if name in wanted:
            raise ConfigError(f"metric {blend}: of: {name} is listed twice: add a name to one")
        wanted[name] = (name, metric, options)
    jobs = compose_metrics(list(wanted.values()), config_dir)
    return {
        job.name: {**job.metric, VECTORS: vectors}
        if vectors is not None and VECTORS in job.metric and VECTORS not in wanted[job.name][2]
        else dict(job.metric)
        for job in jobs
    }


def compose_group(
    command: str, group: str, name: str, config_dir: str | None = None
) -> dict[str, Any]:
    """The configuration of one name in a group of a command.

    Raises:
        ConfigError: an unknown name.

    >>> compose_group("run", "protocol", "v0.2")["statistic"]["arg"]
    'pair_accuracy'
    """
    if name not in (known := group_names(group, config_dir)):
        raise ConfigError(unknown(group, name, known))
    check_user_yaml(config_dir, group, name)
    with hydra_context(command, config_dir) as hydra:
        chosen = default_choices(command, config_dir) | {group: [name]}
        config: dict[str, Any] = hydra.compose([], chosen)[group]
        return config
