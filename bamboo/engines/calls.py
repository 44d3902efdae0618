"""A call in a worker process, on this machine or another one."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from bamboo.engines.environment import differences, environment
from bamboo.errors import BambooError, EngineError
from bamboo.user_code import use_search_path, user_code_error
from metrics.errors import GraphError, MetricError, PairError

T = TypeVar("T")

ONE_AT_A_TIME = Lock()  # metrics are not written for several threads


def call_from(
    folder: str, path: Sequence[str], function: Callable[..., T], arguments: tuple[object, ...]
) -> T:
    """Call a function with the caller's working directory and search path for modules.

    Worker processes are reused: they may be elsewhere, and lack folders with code that the user's
    YAML refers to. A folder that does not exist on this machine is not used.
    """
    with suppress(OSError):
        os.chdir(folder)
    use_search_path(path)
    try:
        return function(*arguments)
    except (BambooError, MetricError):
        raise
    except Exception as error:
        # The traceback of a process does not reach the one that reports the error.
        located = user_code_error(error)
        if located is None:
            raise
        raise located from None


class Call:
    """A call that runs in the process that unpickles it; unpickling returns the pickled result.

    The function and its arguments are pickled within it. A scheduler that only passes calls on
    therefore needs none of this project's modules, and a worker that cannot import them raises an
    ordinary error.

    >>> pickle.loads(pickle.loads(pickle.dumps(Call(divmod, (7, 3)))))
    (2, 1)
    """

    def __init__(self, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
        self._call = pickle.dumps((function, arguments), protocol=5)

    def __reduce__(self) -> tuple[Any, ...]:
        return call_elsewhere, (environment(), os.getcwd(), tuple(sys.path), self._call)


def call_elsewhere(
    expected: Mapping[str, str], folder: str, path: Sequence[str], call: bytes
) -> bytes:
    """Call a function in a process that may be on another machine.

    Args:
        expected: the environment of the process that sends the call.
        folder: its working directory.
        path: its search path for modules; folders that exist here are added to this one's.
        call: the function and its arguments, pickled.

    Returns:
        the result, pickled.

    Raises:
        EngineError: another version of Python, of a package or of this project.
    """
    if different := differences(expected, environment()):
        raise EngineError(
            f"a worker has other versions: {'; '.join(different)}. Install the same versions on "
            f"all machines ({_worker()})"
        )
    folders = [entry for entry in path if entry and Path(entry).exists()]
    with ONE_AT_A_TIME:
        use_search_path([*folders, *[entry for entry in sys.path if entry not in folders]])
        try:
            function, arguments = pickle.loads(call)
            return pickle.dumps(call_from(folder, sys.path[:], function, arguments), protocol=5)
        except (GraphError, PairError):
            raise  # about the data, which are the same everywhere
        except (BambooError, MetricError, OSError, MemoryError) as error:
            error.add_note(_worker())
            raise


def _worker() -> str:
    from distributed import get_worker

    try:
        return f"on worker {get_worker().address}"
    except ValueError:  # in a process that is no worker
        return f"in process {os.getpid()}"
