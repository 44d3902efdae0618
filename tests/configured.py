"""What the words of a command mean: its arguments, with the metrics and data sets of names."""

from contextlib import nullcontext
from types import SimpleNamespace

from bamboo.api.data import resolve_datasets
from bamboo.app.commands import COMMANDS
from bamboo.app.hydra_apps import run_application
from bamboo.app.words import read_arguments
from bamboo.config.requests import resolve_rows
from bamboo.log import Messages
from bamboo.user_code import find_modules_in


def compose(name, words, config_dir=None):
    """The arguments of a command's function."""
    command = COMMANDS[name]
    if not command.is_application:
        return read_arguments(command, words, config_dir)
    arguments = {}
    flags = [] if config_dir is None else ["--config-dir", str(config_dir)]
    run_application(command, [*flags, *words], config_dir, arguments.update, Messages())
    return arguments


def configured(name, words, config_dir=None):
    """The arguments of a command as `options`, its metrics as `rows`, its data sets as `data`."""
    with nullcontext() if config_dir is None else find_modules_in(config_dir):
        options = compose(name, words, config_dir)
        rows = data = ()
        if options.get("metric") is not None:
            rows = resolve_rows(options["metric"], options.get("options"), config_dir=config_dir)
        if options.get("data") is not None:
            data = resolve_datasets(options["data"], options.get("data_options"), config_dir)
    return SimpleNamespace(options=options, rows=rows, data=data)
