"""``python -m bamboo``, and the script ``bamboo``."""

import gc
import os
import sys
from contextlib import nullcontext


def open_closed_streams() -> None:
    """Connect standard streams that are closed (``2>&-``) with the null device.

    Otherwise a file that is opened later takes their place, and receives what is printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            lowest = os.open(os.devnull, os.O_RDWR)  # the number of the stream, in this order
            os.set_inheritable(lowest, True)  # to programs and worker processes
            setattr(sys, name, os.fdopen(lowest, mode, encoding="utf-8"))


def main() -> int:
    """Run one command."""
    open_closed_streams()
    # What is imported and read before a command starts is used to its end: looking for garbage in
    # it takes a tenth of the time of a short command. `run_command` turns the collector on.
    gc.disable()
    try:
        from bamboo.app.main import main as run_command
        from bamboo.user_code import reserve_output

        # Jobs of Hydra may run in other processes, which print their own reports.
        is_multirun = not {"-m", "--multirun"}.isdisjoint(sys.argv)
        with nullcontext() if is_multirun else reserve_output():
            code = run_command()
        gc.freeze()  # the process ends: there is no need to look for garbage once more
    except KeyboardInterrupt:  # while packages are imported
        print("interrupted", file=sys.stderr)
        code = 130
    # Python sends itself SIGINT at its end if the last text that was evaluated was interrupted, as
    # `collections` evaluates some: evaluate another, so that the exit status is that of `main`.
    eval("code")
    return code


if __name__ == "__main__":
    sys.exit(main())
