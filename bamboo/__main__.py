"""``python -m bamboo``, and the script ``bamboo``."""

import gc
import sys


def main() -> int:
    """Run one command."""
    # What is imported and read before a command starts is used to its end: looking for garbage in
    # it takes a tenth of the time of a short command. `run_command` turns the collector on.
    gc.disable()
    try:
        from bamboo.app.main import main as run_command

        code = run_command()
        gc.freeze()  # the process ends: there is no need to look for garbage once more
    except KeyboardInterrupt:  # while packages are imported
        print("interrupted", file=sys.stderr)
        code = 130
    # Python sends itself SIGINT at its end if the last text that was evaluated, as collections and
    # Numba do, was interrupted: evaluate another one, so that the exit status is that of `main`.
    eval("code")
    return code


if __name__ == "__main__":
    sys.exit(main())
