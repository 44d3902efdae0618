"""Where downloads are kept, in a checkout and elsewhere."""

from pathlib import Path

import platformdirs
import pytest

from bamboo import installation
from bamboo.api.data import resolve_datasets
from tests.configured import configured

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def unset(monkeypatch, tmp_path):
    for variable in ("BAMBOO_DATA_DIR", "BAMBOO_RUNS_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))


@pytest.fixture
def per_user():
    return platformdirs.user_data_path("bamboo-amr", appauthor=False)


@pytest.mark.parametrize(
    ("folder", "expected"), [(".", "data"), ("docs", "../data"), ("tests/bamboo", "../../data")]
)
def test_in_a_checkout_it_is_the_checkouts_data(folder, expected, monkeypatch):
    monkeypatch.chdir(ROOT / folder)
    assert installation.data_folder() == Path(expected)
    request = configured("run", ["data=sts"])
    assert request.data[0].root == ROOT / "data/bamboo-amr-benchmark/sts"
    plain = resolve_datasets("sts")
    assert str(plain[0].root) == f"{expected}/bamboo-amr-benchmark/sts"


def test_outside_a_checkout_there_is_one_folder_per_user(monkeypatch, tmp_path, per_user):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        request = configured("run", ["data=sts"])
        assert request.data[0].root == per_user / "bamboo-amr-benchmark/sts"
        assert installation.paths().runs == Path("runs")  # stays where the user is


def test_a_folder_with_the_checkouts_name_as_prefix_is_outside(monkeypatch, tmp_path, per_user):
    root, beside = tmp_path / "code", tmp_path / "code-2"
    for folder in (root / "conf", root / "bamboo", beside):
        folder.mkdir(parents=True)
    (root / "pyproject.toml").touch()
    monkeypatch.setattr(installation, "PACKAGE", root / "bamboo")
    monkeypatch.chdir(beside)
    assert installation.data_folder() == per_user
    monkeypatch.chdir(root)
    assert installation.data_folder() == Path("data")


def test_an_installed_package_inside_a_checkout_is_not_a_checkout(monkeypatch, tmp_path, per_user):
    package = tmp_path / ".venv/lib/site-packages/bamboo"
    (package / "conf").mkdir(parents=True)
    (tmp_path / "conf").mkdir()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(installation, "PACKAGE", package)
    monkeypatch.chdir(tmp_path)
    assert installation.checkout() is None
    assert installation.data_folder() == per_user


def test_the_environment_variable_takes_precedence(monkeypatch, tmp_path):
    monkeypatch.setenv("BAMBOO_DATA_DIR", str(tmp_path / "mine"))
    monkeypatch.chdir(ROOT)
    assert installation.paths().data == tmp_path / "mine"
