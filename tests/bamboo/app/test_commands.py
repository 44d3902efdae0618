"""What a command declares, and what is said of a declaration that lacks something."""

import sys
from types import ModuleType

import pytest

from bamboo.api.call import check_call
from bamboo.app import show
from bamboo.app.commands import COMMANDS, Command
from bamboo.display.table import Display


class Listed(Display):
    def tables(self):
        return []

    def to_json(self):
        return []


def complete(size: int = 1) -> Listed:
    """Return nothing.

    Args:
        size: how much.
    """
    return Listed()


def without_type(size=1) -> Listed:
    """Return nothing."""


def without_meaning(size: int = 1) -> Listed:
    """Return nothing."""


def without_result(size: int = 1):
    """Return nothing."""


def with_number(size: int = 1) -> int:
    """Return a number."""


@pytest.fixture
def declare(monkeypatch):
    """The command `own` of a function."""

    def command(function):
        module = ModuleType("bamboo.api.own")
        module.own = function
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return Command("own", "size=1")

    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_declared(name):
    command = COMMANDS[name]
    assert all(option.meaning for option in command.options.values())
    assert command.show is getattr(show, name, show.tables)


def test_a_complete_declaration(declare):
    command = declare(check_call(complete))
    assert command.show is show.tables
    assert {n: (o.default, o.meaning) for n, o in command.options.items()} == {
        "size": (1, "how much."),
        "report": ("table", "table | json | csv | markdown | latex."),
    }


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (complete, r"bamboo.api.own: write @check_call and def own\(...\)"),
        (None, r"bamboo.api.own: write @check_call and def own\(...\)"),
        (check_call(without_type), "without_type: write the type of size, such as size: int"),
        (check_call(without_meaning), "own: write the meaning of size in Args of its docstring"),
        (check_call(without_result), "own: write the type of its result, a subclass of Display"),
        (check_call(with_number), r"or def own\(call\) in bamboo.app.show"),
    ],
)
def test_what_a_declaration_lacks_is_said(declare, function, message):
    command = declare(function)
    with pytest.raises(TypeError, match=message):
        _ = command.options


def test_a_function_without_a_type_cannot_be_called():
    with pytest.raises(TypeError, match="write the type of size"):
        check_call(without_type)(size=2)
