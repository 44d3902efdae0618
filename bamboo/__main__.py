"""``python -m bamboo``, and the script ``bamboo``."""

import sys

from bamboo.shadowing import shadowing_error


def main() -> int:
    """Run one command, unless another package ``metrics`` hides the one that it needs."""
    error = shadowing_error()
    if error is not None:
        print(f"error: {error}", file=sys.stderr)
        return 1
    from bamboo.cli.main import main as run_command

    return run_command()


if __name__ == "__main__":
    sys.exit(main())
