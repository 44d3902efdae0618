"""When the library of the kernels is built."""

import ctypes
import importlib.util
import os

import pytest

from amr_metrics.errors import KernelError
from amr_metrics.kernels import build
from amr_metrics.kernels.library import load_library

SOURCE = "const char kernels_digest[] = TEXT(KERNELS_DIGEST);\nint answer(void) { return 1; }\n"
MACROS = "#define AS_TEXT(x) #x\n#define TEXT(x) AS_TEXT(x)\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of kernels of a checkout, without a library."""
    if build.find_compiler() is None:
        pytest.skip("needs a C compiler")
    monkeypatch.setattr(build, "FLAGS", [flag for flag in build.FLAGS if "hidden" not in flag])
    (tmp_path / "hatch_build.py").touch()
    folder = tmp_path / "metrics/amr_metrics/kernels"
    folder.mkdir(parents=True)
    (folder / "answer.c").write_text('#include "macros.h"\n' + SOURCE)
    (folder / "macros.h").write_text(MACROS)
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


def test_a_checkout_builds_the_library_at_first_use(folder, capsys):
    assert load(folder).answer() == 1
    assert capsys.readouterr().err.startswith("compiling the kernels of amr_metrics with ")
    load(folder)
    assert not capsys.readouterr().err
    assert [path.name for path in folder.iterdir() if path.suffix not in (".c", ".h")] == [
        build.library_path(folder).name
    ]


@pytest.mark.parametrize("name", ["answer.c", "macros.h"])
def test_a_changed_source_makes_the_library_stale(folder, name):
    build.build_library(folder)
    assert build.is_current(folder)
    change(folder / name, "\n", "\n\n")
    assert not build.is_current(folder)


def test_an_added_or_removed_source_makes_the_library_stale(folder):
    build.build_library(folder)
    (folder / "more.h").touch()
    assert not build.is_current(folder)
    build.build_library(folder)
    (folder / "more.h").unlink()
    assert not build.is_current(folder)


def test_sources_of_other_times_are_read_once(folder, monkeypatch):
    build.build_library(folder)
    os.utime(folder / "answer.c")
    assert build.is_current(folder)
    monkeypatch.setattr(build, "compute_digest", None)
    assert build.is_current(folder)


def test_an_installed_wheel_never_builds(folder, capsys):
    build.build_library(folder)
    change(folder / "answer.c", "return 1", "return 2")
    (folder.parents[2] / "hatch_build.py").unlink()
    assert load(folder).answer() == 1
    assert not capsys.readouterr().err


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


def test_the_library_contains_the_digest_of_its_sources():
    load_library()
    digest = build.compute_digest().encode()
    library = ctypes.CDLL(str(build.library_path()))
    assert (ctypes.c_char * len(digest)).in_dll(library, "kernels_digest").value == digest


def test_a_library_for_another_platform_is_built_elsewhere(folder, tmp_path):
    build.build_library(folder)
    library = build.library_path(tmp_path, "darwin")
    before = build.library_path(folder).stat()
    assert build.build_library(folder, library=library) == library
    assert library.name == "kernels.darwin.dylib"
    assert build.library_path(folder).stat() == before
