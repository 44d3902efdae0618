"""``python -m bamboo``, and the script ``bamboo``."""

import gc
import signal
import sys
from types import FrameType


def main() -> int:
    """Run one command."""
    # What is imported and read before a command starts is used to its end: looking for garbage in
    # it takes a tenth of the time of a short command. `run_command` turns the collector on.
    gc.disable()
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        signal.default_int_handler(number, frame)

    # Packages that are interrupted while they are imported may raise another error, such as
    # ImportError, or print one. A shell's background job ignores Ctrl-C, and keeps ignoring it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        from bamboo.app.main import main as run_command

        return run_command()
    except BaseException as error:
        if not interrupted or isinstance(error, SystemExit):
            raise
    print("interrupted", file=sys.stderr)
    return 130


if __name__ == "__main__":
    sys.exit(main())
