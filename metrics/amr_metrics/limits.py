"""The limits of the memory, the work and the repetitions that one pair of graphs may take.

Every metric keeps to them: a pair that would need more is scored by a method that needs less and
says how far the result may be from the optimum, or it is refused with an error that names the
size needed. Graphs of sentences are far below all limits: the largest released pair needs less
than a thousandth of the memory.

Work is counted in elementary steps, not in seconds, so that the same input always has the same
result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from amr_metrics.errors import OptionError, PairError

if TYPE_CHECKING:
    from amr_metrics.types import Bools, Ints

MEMORY = 1 << 30  # bytes of the arrays of one pair; together with Python and NumPy below 2 GB
TEXT = 1 << 27  # bytes of the text of a graph, or of a compressed file that is read as a whole
WORK = 500_000_000  # steps of the search for the best alignment of one pair: a few seconds
TRANSPORT_WORK = 4_000_000_000  # steps of embedding, and of transport, of one pair: 20 seconds
DOCUMENT_WORK = 5_000_000  # steps in plain Python for a pair of documents: up to 20 seconds
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
    amr_metrics.errors.OptionError: K=101: expected an integer of at most 100
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(f"{option}={value!r}: expected an integer of at least {least}")
    if value > most:
        raise OptionError(f"{option}={value}: expected an integer of at most {most:,}")


def too_large(needed: float, sizes: tuple[int, int], pair: int | None = None) -> PairError:
    """Return the error for a pair whose arrays would need more memory than `MEMORY`.

    Args:
        needed: bytes.
        sizes: the numbers of nodes of both graphs.
        pair: the position of the pair.

    >>> print(too_large(16e9, (15000, 15000), 3))
    pair 3: graphs of 15,000 and 15,000 nodes would need 14.9 GB of memory, the limit for one pair \
is 1 GB: split them into smaller graphs, or leave the pair out
    """
    return PairError(
        f"graphs of {sizes[0]:,} and {sizes[1]:,} nodes would need {readable(needed)} of "
        f"memory, the limit for one pair is {readable(MEMORY)}: split them into smaller "
        "graphs, or leave the pair out",
        pair=pair,
    )


def too_much_work(limit: int, sizes: tuple[int, int], pair: int | None = None) -> PairError:
    """Return the error for a pair that is not finished after the largest number of steps.

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


def check_work(exceeded: Bools, limit: int, sizes: Ints) -> None:
    """Check that no pair needs more than the largest number of steps.

    Args:
        exceeded: whether each pair does.
        limit: that number.
        sizes: p x 2, the numbers of nodes of both graphs of each pair.

    Raises:
        PairError: for the first pair that does.
    """
    if exceeded.any():
        pair = int(exceeded.argmax())
        n, m = sizes[pair].tolist()
        raise too_much_work(limit, (n, m), pair)


@dataclass
class DocumentSteps:
    """Counts the steps of one procedure for a pair of documents, or for one of the two."""

    taken: int = 0

    def add(self, steps: int) -> None:
        """Count further steps.

        Raises:
            PairError: if there are more than `DOCUMENT_WORK` now.
        """
        self.taken += steps
        if self.taken > DOCUMENT_WORK:
            raise PairError(
                f"the documents need more than {DOCUMENT_WORK:,} steps, the limit for one pair: "
                "split them into smaller documents, or leave the pair out"
            )


def readable(size: float) -> str:
    """Return a size in GB or MB (of 2^30 or 2^20 bytes), with three digits.

    >>> readable(1 << 30), readable(5 << 28), readable(1e18), readable(5 << 20)
    ('1 GB', '1.25 GB', '931,322,575 GB', '5 MB')
    """
    amount, unit = (size / (1 << 30), "GB") if size >= 1 << 30 else (size / (1 << 20), "MB")
    return f"{amount:,.0f} {unit}" if amount >= 100 else f"{amount:.3g} {unit}"
