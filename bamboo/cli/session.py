"""The commands: each reads its options, calls one room and gives back what to print."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bamboo.benchmark.datasets import Dataset
from bamboo.benchmark.preference_data import PreferenceData
from bamboo.config.options import read_options
from bamboo.config.request import Request

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Paths:
    """Where commands read and write."""

    data: Path
    runs: Path


@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """Options that are not a single command's: those of ``conf/base.yaml`` and of data sets."""

    paths: Paths
    data: Dataset | PreferenceData


OF_METRICS = ("metric", "solver", "vectors")  # groups that a request's jobs have taken in


def say_written(path: Path) -> None:
    """Say on standard error where a command has written its files."""
    print(f"written: {path}", file=sys.stderr)


def own_options(cls: type[T], request: Request, *groups: str) -> T:
    """A command's options but for those of metrics and of the groups named."""
    others = {*OF_METRICS, *groups}
    own = {name: value for name, value in request.options.items() if name not in others}
    return read_options(cls, own)
