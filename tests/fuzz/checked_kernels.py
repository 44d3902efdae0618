"""A plugin of pytest: tests call the kernels of `tests.fuzz.run`, which check each access."""

from functools import partial

from amr_metrics.kernels import library
from tests.fuzz.run import KERNELS


def pytest_configure():
    """Replace the function that loads the library; a mere import of this module does not."""
    library.load_library = partial(library.load_library, KERNELS)
