"""Modules of the user's own are found in their folder, and forgotten afterwards."""

import sys
from importlib import import_module

import pytest

from bamboo.user_code import modules_in


@pytest.fixture
def folders(tmp_path):
    """Two folders with a package and a module of the same names."""
    for name in ("a", "b"):
        package = tmp_path / name / "own_package_of_test"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "part.py").write_text(f"NAME = {name!r}\n")
    return tmp_path / "a", tmp_path / "b"


def name_of_part():
    return str(import_module("own_package_of_test.part").NAME)


def test_each_folder_has_its_own_modules(folders):
    path, modules = [*sys.path], {*sys.modules}
    for folder in (*folders, folders[0]):
        with modules_in(folder):
            assert name_of_part() == folder.name
            with modules_in(folder):
                assert name_of_part() == folder.name
            assert name_of_part() == folder.name
    assert sys.path == path
    assert not {"own_package_of_test", "own_package_of_test.part"} & ({*sys.modules} - modules)
    with pytest.raises(ModuleNotFoundError):
        name_of_part()
