"""The limits of the memory, the work and the repetitions that one pair of graphs may take.

Every metric keeps to them: a pair that would need more is scored by a method that needs less and
says how far the result may be from the optimum, or it is refused with an error that names the
size needed. Graphs of sentences are far below all limits: the largest released pair needs less
than a thousandth of the memory.

Work is counted in elementary steps, not in seconds, so that the same input always has the same
result.
"""

from __future__ import annotations

from metrics.errors import OptionError, PairError

MEMORY = 1 << 30  # bytes of the arrays of one pair; together with Python and NumPy below 2 GB
WORK = 500_000_000  # steps of the search for the best alignment of one pair: a few seconds
MOST_ITERATIONS = 100  # WL iterations (K); sentences have a far smaller diameter
MOST_DRAWS = 100  # random draws and random starts of one pair
MOST_ROUNDS = 10_000  # subgradient steps of one sub-problem
MOST_SEED = 2**64  # seeds are below this


def check_count(option: str, value: object, least: int, most: int) -> None:
    """Check that an option is an integer between `least` and `most`.

    Raises:
        OptionError: if it is not.

    >>> check_count("K", 2, 0, MOST_ITERATIONS)
    >>> check_count("K", 101, 0, MOST_ITERATIONS)
    Traceback (most recent call last):
    metrics.errors.OptionError: K=101: expected an integer from 0 to 100
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise OptionError(f"{option}={value!r}: expected an integer from {least} to {most:,}")


def too_large(needed: float, sizes: tuple[int, int], pair: int | None = None) -> PairError:
    """The error for a pair whose arrays would need more memory than `MEMORY`.

    Args:
        needed: bytes.
        sizes: the numbers of nodes of both graphs.
        pair: the position of the pair.

    >>> print(too_large(16e9, (15000, 15000), 3))
    pair 3: graphs of 15,000 and 15,000 nodes would need 14.9 GB of memory, the limit for one pair \
is 1 GB: split them into smaller graphs, or leave the pair out
    """
    return PairError(
        f"graphs of {sizes[0]:,} and {sizes[1]:,} nodes would need {in_gigabytes(needed)} of "
        f"memory, the limit for one pair is {in_gigabytes(MEMORY)}: split them into smaller "
        "graphs, or leave the pair out",
        pair=pair,
    )


def too_much_work(limit: int, sizes: tuple[int, int], pair: int | None = None) -> PairError:
    """The error for a pair that is not finished after the largest number of steps.

    Args:
        limit: that number.
        sizes: the numbers of nodes of both graphs.
        pair: the position of the pair.
    """
    return PairError(
        f"graphs of {sizes[0]:,} and {sizes[1]:,} nodes need more than {limit:,} steps, the limit "
        "for one pair: split them into smaller graphs, or leave the pair out",
        pair=pair,
    )


def in_gigabytes(size: float) -> str:
    """A size in GB of 2^30 bytes, with three digits.

    >>> in_gigabytes(1 << 30), in_gigabytes(5 << 28), in_gigabytes(1e18)
    ('1 GB', '1.25 GB', '931,322,575 GB')
    """
    amount = size / (1 << 30)
    return f"{amount:,.0f} GB" if amount >= 100 else f"{amount:.3g} GB"
