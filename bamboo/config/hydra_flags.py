"""Hydra's own flags and ``hydra.*`` options on the command line.

See ``docs/hydra.md`` for what each does here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

from bamboo.errors import ConfigError, unknown

Show = Literal["job", "hydra", "all"]
INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
VALUES = {"--cfg": "cfg", "-c": "cfg", "--package": "package", "-p": "package"}
PLAIN = {"--multirun": "multirun", "-m": "multirun", "--resolve": "resolve", "-r": "resolve"}
REFUSED = {
    "--config-path": "use --config-dir FOLDER, which adds YAML files to those of the project",
    "--config-name": "the command decides which configuration is used",
    "--shell-completion": "use `completion bash`, `completion zsh` or `completion fish`",
    "--hydra-help": "use COMMAND --help, `help` and `list`",
    "--experimental-rerun": "run from=FOLDER repeats a run",
}
SHORT = {"-cp": "--config-path", "-cn": "--config-name", "-sc": "--shell-completion"}


@dataclass(frozen=True)
class HydraFlags:
    """Flags for Hydra.

    Attributes:
        multirun: run every combination of the values given with commas as a job of its own.
        cfg: print the configuration instead of running: the ``job``'s, ``hydra``'s or both.
        package: the part of the configuration to print.
        resolve: print it with interpolations resolved.
        info: print information on how the configuration is composed.
        options: the ``hydra.*`` options as typed.
    """

    multirun: bool = False
    cfg: Show | None = None
    package: str | None = None
    resolve: bool = False
    info: str | None = None
    options: tuple[str, ...] = field(default_factory=tuple)

    @property
    def shows(self) -> bool:
        """Whether something is printed instead of running the command."""
        return self.cfg is not None or self.info is not None

    @property
    def runs(self) -> bool:
        """Whether Hydra runs the command."""
        return self.multirun or bool(self.options)


def take_hydra_flags(arguments: list[str]) -> HydraFlags:
    """Remove Hydra's flags and options from the arguments, and return their values.

    Raises:
        ConfigError: a flag of Hydra's that does not work here, with what to use instead, a missing
            or unknown value, or an unknown flag.

    >>> arguments = ["-m", "metric=smatch,wlk", "hydra.sweep.dir=sweep"]
    >>> take_hydra_flags(arguments)
    HydraFlags(multirun=True, cfg=None, package=None, resolve=False, info=None, \
options=('hydra.sweep.dir=sweep',))
    >>> arguments
    ['metric=smatch,wlk']
    """
    flags: dict[str, Any] = {}
    options: list[str] = []
    left: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        name, equals, value = argument.partition("=")
        if argument.lstrip("+~").startswith(("hydra.", "hydra/")):
            options.append(_checked(argument))
        elif not argument.startswith("-") or argument == "-":
            left.append(argument)
        elif argument in PLAIN:
            flags[PLAIN[argument]] = True
        elif argument == "--run":
            flags["multirun"] = False
        elif name in ("--info", "-i"):
            value = value if equals else _next(waiting, INFO) or "all"
            if value not in INFO:
                raise ConfigError(unknown("value of --info", value, INFO))
            flags["info"] = value
        elif name in VALUES:
            key = VALUES[name]
            value = value if equals else (waiting.pop(0) if waiting else "")
            if not value:
                raise ConfigError(f"{name} requires a value, as in --cfg job or --package metric")
            if key == "cfg" and value not in get_args(Show):
                raise ConfigError(unknown(f"value of {name}", value, get_args(Show)))
            flags[key] = value
        else:
            raise ConfigError(_unknown_flag(argument, SHORT.get(name, name)))
    arguments[:] = left
    result = replace(HydraFlags(), **flags, options=tuple(options))
    if (result.package or result.resolve) and result.cfg is None:
        raise ConfigError("--package and --resolve apply to --cfg job")
    return result


def _next(waiting: list[str], values: tuple[str, ...]) -> str:
    """The next word if it is one of the values."""
    return waiting.pop(0) if waiting and waiting[0] in values else ""


def _checked(option: str) -> str:
    if option.lstrip("+~").startswith("hydra.searchpath"):
        raise ConfigError(
            f"{option}: use --config-dir FOLDER, which adds YAML files to those of the project"
        )
    if "=" not in option and not option.startswith("~"):
        raise ConfigError(f"{option!r} is not of the form key=value")
    return option


def _unknown_flag(argument: str, name: str) -> str:
    """The message for a flag that does not work here."""
    if name in REFUSED:
        return f"{argument}: {REFUSED[name]}"
    known = [*PLAIN, *VALUES, "--info", "--help", "--config-dir"]
    option = argument.lstrip("-").partition("=")[0].replace("-", "_")
    near = get_close_matches(argument, known, n=1, cutoff=0.7)
    hint = f"did you mean {near[0]}?" if near else f"did you mean {option}=...?"
    return (
        f"{argument!r} is not of the form key=value: {hint} Flags are --config-dir, --help, "
        "--multirun, --cfg and --info"
    )
