"""``list``: list metrics, data sets and other names that commands can be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bamboo.config.information import information_options
from bamboo.reference.listing import listing, overview
from bamboo.results.table import Format, render


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options in ``conf/list.yaml``."""

    what: str | None
    report: Format


def main(arguments: Sequence[str], config_dir: str | None) -> str:
    """The table of what is asked for."""
    options = information_options(Options, "list", arguments, ["what"])
    table = overview() if options.what is None else listing(options.what, config_dir)
    return render([table], options.report)
