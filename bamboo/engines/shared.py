"""A value that many calls receive; a process keeps the last two that it has unpickled."""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from functools import cached_property
from threading import Lock
from typing import Any, Generic, TypeVar

T = TypeVar("T")

MAX_KEPT = 2  # calls are made in order, so that few values are in use at a time


class Shared(Generic[T]):
    """A value that is an argument of many calls.

    It is pickled once, however many calls are sent. A process that receives several of these calls
    unpickles it for the first one; the others receive the same object, and can reuse what was
    computed for it. A process keeps the last `MAX_KEPT` values: one that was received before them
    is unpickled again.

    Attributes:
        value: the value; it must not be changed.

    >>> sent = pickle.dumps(Shared([1, 2]))
    >>> first, second = pickle.loads(sent), pickle.loads(sent)
    >>> first.value, first.value is second.value
    ([1, 2], True)
    """

    def __init__(self, value: T) -> None:
        self.value = value

    @cached_property
    def _pickled(self) -> tuple[str, bytes]:
        """A digest of the pickled value, and the pickled value."""
        content = pickle.dumps(self.value, protocol=5)
        return hashlib.sha256(content).hexdigest(), content

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, self._pickled


_RECEIVED: OrderedDict[str, Shared[Any]] = OrderedDict()
_LOCK = Lock()


def _received(digest: str, content: bytes) -> Shared[Any]:
    """The value with this digest: one of the last that this process received, or a new one."""
    with _LOCK:
        shared = _RECEIVED.pop(digest, None) or Shared(pickle.loads(content))
        _RECEIVED[digest] = shared
        if len(_RECEIVED) > MAX_KEPT:
            _RECEIVED.popitem(last=False)
        return shared
