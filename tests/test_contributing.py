"""The examples of CONTRIBUTING.md do what it says."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from amr_metrics import Metric, Pair, parse_graph
from amr_metrics.standardize import Standardized
from bamboo.app import main
from bamboo.app.commands import COMMANDS, Command

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")
PAIR = Pair(
    parse_graph("(s / Sleep-01 :ARG0 (c / cat))"), parse_graph("(s / sleep-01 :ARG0 (c / dog))")
)


@pytest.fixture(scope="module")
def examples():
    """The names that the Python examples define."""
    names = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    return names


def test_the_function(examples):
    assert examples["overlap"](*PAIR) == 0.0


def test_the_class_with_options(examples):
    folded, plain = (examples["Overlap"](fold_case=fold) for fold in (True, False))
    assert isinstance(folded, Metric)
    assert (folded.score([PAIR])[0], plain.score([PAIR])[0]) == (1 / 3, 0.0)
    assert folded.signature != plain.signature
    assert folded.reference.startswith("Jaccard (1901)")
    assert Standardized.of(plain, ["lower"]).score([PAIR])[0] == 1 / 3


def test_the_class_with_a_form(examples):
    metric = examples["SameTop"]()
    assert metric.score([PAIR]).tolist() == [1.0]
    assert metric.view(PAIR).src.concepts == ("sleep-01", "cat")


def test_the_command(examples, monkeypatch, capsys):
    module = ModuleType("bamboo.api.count")
    vars(module).update(examples)
    (name, example) = re.search(r'`Command\("(count)", "(.*?)"\)`', TEXT).groups()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(COMMANDS, name, Command(name, example))
    monkeypatch.setattr(main, "NAMES", [*main.NAMES, name])
    assert main.main([name, "data=sample", "report=csv"]) == 0
    assert capsys.readouterr().out == "data,pairs\nsample,64\n"
