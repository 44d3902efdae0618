"""The page on Smatch++: its example runs, and it names what there is."""

import doctest
import re
import shutil
from pathlib import Path

import pytest

from bamboo.paths import resource
from metrics.aspects import aspect_table
from metrics.standardize import PRESETS, STEPS

PAGE = Path(__file__).parents[1] / "docs" / "smatchpp.md"


def test_the_examples_run():
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("names", [STEPS, PRESETS])
def test_every_step_and_preset_is_named(names):
    text = PAGE.read_text("utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_aspects_of_its_examples_exist():
    text = PAGE.read_text("utf-8")
    listed = [names for names in re.findall(r"aspects=([\w,-]+)", text) if names != "all"]
    assert listed
    assert {name for names in listed for name in names.split(",")} <= set(aspect_table())


def test_every_aspect_is_described():
    rows = re.findall(r"^\| `([\w-]+)` \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    expected = {name: re.sub(r"(:\w+)", r"`\1`", a.text) for name, a in aspect_table().items()}
    assert {name: text for name, text in rows if name in expected} == expected


def test_the_recipe_for_corrected_graphs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sample = resource("data") / "sample"
    copies = {"a": "main/src", "b": "main/tgt", "a2": "reify/src", "b2": "reify/tgt"}
    for name, graphs in copies.items():
        shutil.copy(sample / f"{graphs}.test.amr", f"{name}.amr")
    shutil.copy(sample / "test.y", "ratings.txt")
    *_, recipe = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.DOTALL)
    exec(recipe, {})
    assert capsys.readouterr().out.startswith("IMA 0.974")
