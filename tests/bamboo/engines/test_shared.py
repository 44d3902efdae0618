"""Arguments that are shared by many calls."""

import os
import pickle

import numpy as np
import pytest

from bamboo.engines import Processes, shared
from bamboo.engines.shared import MAX_KEPT, Shared


@pytest.fixture(autouse=True)
def nothing_received(monkeypatch):
    monkeypatch.setattr(shared, "_RECEIVED", type(shared._RECEIVED)())


class Counted:
    """Counts how often it is pickled and unpickled in this process."""

    pickled = unpickled = 0

    def __init__(self, name):
        self.name = name

    def __getstate__(self):
        Counted.pickled += 1
        return self.name

    def __setstate__(self, name):
        Counted.unpickled += 1
        self.name = name


@pytest.fixture
def counts(monkeypatch):
    monkeypatch.setattr(Counted, "pickled", 0)
    monkeypatch.setattr(Counted, "unpickled", 0)
    return lambda: (Counted.pickled, Counted.unpickled)


def test_a_value_is_pickled_and_unpickled_once(counts):
    value = Shared(Counted("a"))
    received = [pickle.loads(pickle.dumps(("call", k, value)))[2] for k in range(5)]
    assert counts() == (1, 1)
    assert {id(other.value) for other in received} == {id(received[0].value)}
    assert received[0].value.name == "a"


def test_a_received_value_can_be_sent_on(counts):
    sent = pickle.dumps(Shared(Counted("a")))
    received = pickle.loads(pickle.dumps(pickle.loads(sent)))
    assert received is pickle.loads(sent)
    assert received.value.name == "a"


def test_only_the_last_values_are_kept(counts):
    sent = [pickle.dumps(Shared(Counted(str(k)))) for k in range(MAX_KEPT + 1)]
    for _ in range(2):
        assert [pickle.loads(text).value.name for text in sent] == [*map(str, range(len(sent)))]
    assert counts() == (len(sent), 2 * len(sent))  # the one that is next was dropped
    assert len(shared._RECEIVED) == MAX_KEPT


def test_values_reach_other_processes():
    arrays = [Shared(np.arange(k, k + 300_000)) for k in range(3)]
    calls = [(array, k) for k in range(4) for array in arrays]
    assert [*Processes(name="loky", jobs=2).map(element, calls)] == [
        int(array.value[k]) for array, k in calls
    ]


def test_a_process_unpickles_a_value_once():
    values = [Shared(Counted(name)) for name in "abc"]
    calls = [(value,) for value in values for _ in range(8)]
    received = [*Processes(name="loky", jobs=2).map(received_value, calls)]
    assert [name for name, *_ in received] == [value.value.name for (value,) in calls]
    processes = {process for _, process, *_ in received}
    assert os.getpid() not in processes
    for process in processes:
        own = [call for call in received if call[1] == process]
        names = {name for name, *_ in own}
        assert len({(name, identity) for name, _, identity, _ in own}) == len(names)
        unpickled = [count for *_, count in own]
        assert max(unpickled) - min(unpickled) <= len(names) - 1


def element(array, k):
    return int(array.value[k])


def received_value(shared):
    """The value's name, the process, the object, and how many were unpickled in this process."""
    return shared.value.name, os.getpid(), id(shared.value), Counted.unpickled
