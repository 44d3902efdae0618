"""When the library of the kernels is built."""

import importlib.util
import os
import shutil

import pytest

from amr_metrics.errors import KernelError
from amr_metrics.kernels import build
from amr_metrics.kernels.library import load_library

SOURCE = '#include "types.h"\nAnswer answer(void) { return 1; }\n'
TYPES = "typedef int Answer;\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of kernels of a checkout, without a library."""
    if build.find_compiler() is None:
        pytest.skip("needs a C compiler")
    monkeypatch.setattr(build, "FLAGS", [flag for flag in build.FLAGS if "hidden" not in flag])
    (tmp_path / "hatch_build.py").touch()
    folder = tmp_path / "metrics/amr_metrics/kernels"
    folder.mkdir(parents=True)
    (folder / "answer.c").write_text(SOURCE)
    (folder / "types.h").write_text(TYPES)
    yield folder
    load_library.cache_clear()


@pytest.fixture
def no_compiler(monkeypatch):
    find_spec = importlib.util.find_spec
    without = lambda name: None if name == "ziglang" else find_spec(name)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", without)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)


def load(folder):
    load_library.cache_clear()
    return load_library(folder)


def change(path, old, new):
    """Change a file; its times are those of long ago, as when an older version replaces it."""
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, (0, 0))


def list_built(folder):
    return sorted(path for path in folder.iterdir() if path.suffix not in (".c", ".h"))


def test_a_checkout_builds_the_library_at_first_use(folder, capsys):
    assert load(folder).answer() == 1
    assert capsys.readouterr().err.startswith("compiling the kernels of amr_metrics with ")
    load(folder)
    assert not capsys.readouterr().err
    assert list_built(folder) == [*build.find_libraries(folder)]


@pytest.mark.parametrize("name", ["answer.c", "types.h"])
def test_a_changed_source_makes_the_library_stale(folder, name):
    library = build.build_library(folder)
    assert [*build.find_libraries(folder)] == [library]
    change(folder / name, "\n", "\n\n")
    assert not [*build.find_libraries(folder)]


def test_an_added_or_removed_source_makes_the_library_stale(folder):
    build.build_library(folder)
    (folder / "more.h").touch()
    assert not [*build.find_libraries(folder)]
    build.build_library(folder)
    (folder / "more.h").unlink()
    assert len([*build.find_libraries(folder)]) == 1  # that from before


def test_other_flags_make_the_library_stale(folder, monkeypatch):
    build.build_library(folder)
    monkeypatch.setattr(build, "FLAGS", [*build.FLAGS, "-O1"])
    assert not [*build.find_libraries(folder)]


@pytest.mark.parametrize("damage", [lambda content: content[:-100], lambda content: b""])
def test_a_damaged_library_is_built_again(folder, damage, capsys):
    library = build.build_library(folder)
    content = library.read_bytes()
    library.write_bytes(damage(content))
    assert load(folder).answer() == 1
    assert capsys.readouterr().err.startswith("compiling")
    assert library.read_bytes() == content  # the compiler writes the same again


def test_a_library_that_cannot_be_loaded_is_built_again(folder):
    content = b"of another C library"
    name = f"kernels.{build.name_machine()}.{build.compute_digest(folder)}.{build._digest(content)}"
    (folder / f"{name}.so").write_bytes(content)
    assert load(folder).answer() == 1


def test_libraries_of_several_machines_share_a_folder(folder, monkeypatch):
    own = build.build_library(folder)
    monkeypatch.setattr(build, "name_machine", lambda: "linux-other-64")
    assert not [*build.find_libraries(folder)]
    other = build.build_library(folder)
    assert own != other
    assert list_built(folder) == sorted([own, other])


def test_older_libraries_of_the_machine_are_removed_after_loading(folder):
    older = build.build_library(folder)
    other = build.build_library(folder, machine="linux-other-64")
    change(folder / "answer.c", "return 1", "return 2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CC", "false")  # a program that compiles nothing
        with pytest.raises(KernelError):
            load(folder)
    assert list_built(folder) == sorted([older, other])
    assert load(folder).answer() == 2
    assert list_built(folder) == sorted([*build.find_libraries(folder), other])


def test_the_library_of_an_installed_wheel_may_be_signed(folder, capsys):
    library = build.build_library(folder)
    with library.open("ab") as file:
        file.write(b"signature")
    (folder.parents[2] / "hatch_build.py").unlink()
    assert load(folder).answer() == 1
    assert not capsys.readouterr().err


def test_an_installed_wheel_never_builds_nor_removes(folder, capsys):
    library = build.build_library(folder)
    change(folder / "answer.c", "return 1", "return 2")
    (folder.parents[2] / "hatch_build.py").unlink()
    with pytest.raises(KernelError, match=r"none for .* the present sources; install bamboo"):
        load(folder)
    assert not capsys.readouterr().err
    assert list_built(folder) == [library]


def test_an_installed_wheel_without_its_library_must_be_installed_again(folder, capsys):
    (folder.parents[2] / "hatch_build.py").unlink()
    with pytest.raises(KernelError, match="install bamboo-amr again"):
        load(folder)
    assert not capsys.readouterr().err


def test_without_a_compiler_the_message_says_what_to_install(folder, no_compiler):
    with pytest.raises(KernelError, match="must be compiled: install a C compiler") as raised:
        load(folder)
    assert "\n" not in str(raised.value)


def test_a_compiler_that_is_no_command(folder, monkeypatch):
    monkeypatch.setenv("CC", 'gcc "')
    with pytest.raises(KernelError, match=r'^CC=gcc " is no command .*: correct or unset it$'):
        load(folder)


def test_the_compilers_errors_are_shown(folder):
    change(folder / "answer.c", "return 1", "return one")
    with pytest.raises(KernelError, match=r"cannot compile the kernels:\n(.|\n)*one"):
        load(folder)


def test_a_stale_checkout_that_cannot_be_written(folder, monkeypatch):
    build.build_library(folder)
    change(folder / "answer.c", "return 1", "return 2")

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(build.Path, "touch", refuse)
    with pytest.raises(KernelError, match=r"cannot be written \(Permission denied\): run"):
        load(folder)


def test_a_current_library_in_a_checkout_that_cannot_be_written(folder, monkeypatch):
    build.build_library(folder)
    shutil.copy(*build.find_libraries(folder), folder / f"kernels.{build.name_machine()}.0.0.so")
    monkeypatch.setattr(build.Path, "unlink", lambda path: os.remove("/nowhere/library"))
    assert load(folder).answer() == 1


def test_a_library_for_another_platform_is_built_elsewhere(folder, tmp_path):
    library = build.build_library(folder, into=tmp_path, machine="darwin-arm64-64")
    assert library.parent == tmp_path
    assert library.name.startswith(f"kernels.darwin-arm64-64.{build.compute_digest(folder)}.")
    assert library.suffix == ".dylib"
    assert not list_built(folder)
