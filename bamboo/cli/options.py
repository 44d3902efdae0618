"""Options that several commands have. Their types are slow to import, see `bamboo.cli.session`."""

from __future__ import annotations

from dataclasses import dataclass

from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.preference_data import PreferenceData
from bamboo.engines import AnyEngine
from bamboo.pairs.problems import OnError
from bamboo.paths import Paths
from bamboo.running.runner import CacheUse


@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """Options that commands do not read themselves: the session builds what they describe."""

    paths: Paths
    data: Dataset | PreferenceData


@dataclass(frozen=True, kw_only=True)
class ScoringOptions:
    """Options of the commands that score metrics on cells."""

    engine: AnyEngine
    cache: CacheUse
    on_error: OnError = "stop"
