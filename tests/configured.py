"""What the words of a command mean: its arguments, with the metrics and data sets of names."""

from contextlib import nullcontext
from types import SimpleNamespace

from bamboo.api.data import datasets_of, protocol_of
from bamboo.api.names import requested_rows
from bamboo.app.application import run_command
from bamboo.app.commands import COMMANDS
from bamboo.user_code import modules_in


def configured(name, words, config_dir=None):
    """The arguments of a command as `options`, its metrics as `rows`, its data sets as `data`."""
    options = {}
    run_command(COMMANDS[name], words, [], config_dir, options.update)
    protocol = options.get("protocol")
    with nullcontext() if config_dir is None else modules_in(config_dir):
        if protocol is not None:
            from bamboo.api.call import fitting
            from bamboo.api.run import run

            protocol = protocol_of(fitting(run, {"protocol": protocol})["protocol"])
        rows = data = ()
        if options.get("metric") is not None:
            metric, given = options["metric"], options["options"]
            file = None if protocol is None else protocol.published_file
            rows, _ = requested_rows(metric, given, published=file, config_dir=config_dir)
        if options.get("data") is not None:
            data = datasets_of(options["data"], options["data_options"], config_dir)
    return SimpleNamespace(options=options, rows=rows, data=data)
