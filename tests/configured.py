"""What the words of a command mean: its arguments, with the metrics and data sets of names."""

from contextlib import nullcontext
from types import SimpleNamespace

from bamboo.api.data import resolve_datasets, resolve_protocol
from bamboo.app.application import run_command
from bamboo.app.arguments import resolve_arguments
from bamboo.app.commands import COMMANDS
from bamboo.config.requests import resolve_requested_rows
from bamboo.errors import ConfigError
from bamboo.user_code import find_modules_in


def compose(name, words, config_dir=None):
    """The arguments of a command's function from Hydra; without it, they or the error are equal."""

    def with_hydra():
        arguments = {}
        run_command(COMMANDS[name], words, [], config_dir, arguments.update)
        return arguments

    composed, error = _attempt(with_hydra)
    plain = _attempt(lambda: resolve_arguments(COMMANDS[name], words, config_dir))
    assert plain in ((None, None), (composed, error))
    if error is not None:
        raise ConfigError(error)
    return composed


def _attempt(function):
    """The result of a function, and its error."""
    try:
        return function(), None
    except ConfigError as error:
        return None, str(error)


def configured(name, words, config_dir=None):
    """The arguments of a command as `options`, its metrics as `rows`, its data sets as `data`."""
    options = compose(name, words, config_dir)
    protocol = options.get("protocol")
    with nullcontext() if config_dir is None else find_modules_in(config_dir):
        if protocol is not None:
            from bamboo.api.call import fit_values
            from bamboo.api.run import run

            protocol = resolve_protocol(fit_values(run, {"protocol": protocol})["protocol"])
        rows = data = ()
        if options.get("metric") is not None:
            metric, of_metric = options["metric"], options["options"]
            lines = () if protocol is None else protocol.published_lines
            rows, _ = resolve_requested_rows(
                metric, of_metric, published=lines, config_dir=config_dir
            )
        if options.get("data") is not None:
            data = resolve_datasets(options["data"], options["data_options"], config_dir)
    return SimpleNamespace(options=options, rows=rows, data=data)
