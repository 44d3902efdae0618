"""The example of CONTRIBUTING.md does what it says."""

import re
import sys
from pathlib import Path
from types import ModuleType

from bamboo.app import main
from bamboo.app.commands import COMMANDS, Command

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")


def test_the_command(monkeypatch, capsys):
    module = ModuleType("bamboo.api.count")
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(code, "CONTRIBUTING.md", "exec"), vars(module))
    (name, example) = re.search(r'`Command\("(count)", "(.*?)"\)`', TEXT).groups()
    monkeypatch.setitem(COMMANDS, name, Command(name, example))
    monkeypatch.setattr(main, "NAMES", [*main.NAMES, name])
    assert main.main([name, "data=sample", "report=csv"]) == 0
    assert capsys.readouterr().out == "data,pairs\nsample,64\n"
