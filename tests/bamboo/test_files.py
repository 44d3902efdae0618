"""Atomic writes of files and folders."""

import ctypes
import os
import signal
import subprocess
import sys

import pytest

from bamboo.files import load_json, write_text
from bamboo.folders import put_in_place, replace_folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path):
    """A folder with an earlier file."""
    path = tmp_path / "folder"
    path.mkdir()
    (path / "a.txt").write_text("old")
    return path


def test_a_file_and_its_folders_are_created(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "é\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\n".encode()
    assert names(tmp_path / "a") == ["b.txt"]


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    folder = tmp_path / "parent" / "folder"
    with replace_folder(folder) as new:
        (new / "a.txt").write_text("1")
        assert not folder.exists()
    with replace_folder(folder) as new:
        (new / "b.txt").write_text("2")
    assert names(folder) == ["b.txt"]
    assert names(folder.parent) == ["folder"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700), (0o002, 0o775)])
def test_a_new_folder_has_the_permissions_of_the_umask(tmp_path, umask, mode):
    previous = os.umask(umask)
    try:
        with replace_folder(tmp_path / "folder"):
            pass
    finally:
        os.umask(previous)
    assert (tmp_path / "folder").stat().st_mode & 0o777 == mode


def test_after_an_error_the_earlier_folder_is_unchanged(tmp_path, folder):

    def stop_halfway():
        with replace_folder(folder) as new:
            (new / "a.txt").write_text("new")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        stop_halfway()
    assert (folder / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["folder"]


def test_encodings_of_json(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": "é"}', "utf-8-sig")
    assert load_json(path) == {"a": "é"}
    path.write_text('{"a": "é"}', "utf-16")
    with pytest.raises(ValueError, match="line 1: is UTF-16, not UTF-8"):
        load_json(path)


WRITE_AND_DIE = """
import os, signal, sys
from pathlib import Path
from bamboo.folders import replace_folder

with replace_folder(Path(sys.argv[1])) as new:
    (new / "a.txt").write_text("new")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_after_a_kill_the_earlier_folder_is_unchanged(folder):
    died = subprocess.run([sys.executable, "-c", WRITE_AND_DIE, str(folder)], check=False)
    assert died.returncode == -signal.SIGKILL
    assert names(folder) == ["a.txt"]
    assert (folder / "a.txt").read_text() == "old"


WRITE_OFTEN = """
import sys
from pathlib import Path
from bamboo.folders import replace_folder

for number in range(30):
    with replace_folder(Path(sys.argv[1])) as new:
        for name in "abc":
            (new / f"{name}-{sys.argv[2]}.txt").write_text(f"{number}")
"""


def test_several_processes_write_the_same_folder(tmp_path):
    folder = tmp_path / "folder"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE_OFTEN, str(folder), str(k)]) for k in range(8)
    ]
    assert [writer.wait() for writer in writers] == [0] * 8
    assert len(names(folder)) == 3
    assert {path.read_text() for path in folder.iterdir()} == {"29"}
    assert names(tmp_path) == ["folder"]


class Without:
    """A C library without a call that exchanges two folders."""

    def __init__(self, *_, **__):
        pass


@pytest.fixture
def without_exchange(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", Without)


def test_a_folder_is_replaced_where_two_cannot_be_exchanged(tmp_path, without_exchange):
    test_a_folder_is_replaced_as_a_whole(tmp_path)


def test_an_interrupted_exchange_puts_the_earlier_folder_back(
    tmp_path, folder, without_exchange, monkeypatch
):
    rename, calls = type(tmp_path).rename, []

    def rename_twice(path, target):
        calls.append(path)
        if len(calls) == 3:  # onto the folder, which fails; the folder aside; and this one
            raise KeyboardInterrupt
        return rename(path, target)

    def replace():
        with replace_folder(folder) as new:
            (new / "a.txt").write_text("new")
            monkeypatch.setattr(type(tmp_path), "rename", rename_twice)

    with pytest.raises(KeyboardInterrupt):
        replace()
    assert (folder / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["folder"]


def test_a_link_to_a_folder_stays_a_link_and_modes_stay(tmp_path):
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    folder.chmod(0o775)
    link.symlink_to(folder)
    with replace_folder(link) as new:
        (new / "a.txt").write_text("1")
    assert link.is_symlink()
    assert names(folder) == ["a.txt"]
    assert folder.stat().st_mode & 0o777 == 0o775


def test_the_working_directory_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    for folder in (tmp_path, tmp_path / "inside"):
        with pytest.raises(OSError, match="the working directory"), replace_folder(folder):
            pass


def test_errors_name_the_file_in_the_folder(tmp_path):
    def write_twice():
        with replace_folder(tmp_path / "x") as new:
            (new / "a").mkdir()
            (new / "a").write_text("")

    with pytest.raises(IsADirectoryError) as caught:
        write_twice()
    assert caught.value.filename == str(tmp_path / "x" / "a")


def test_a_folder_that_may_not_be_replaced_gets_a_number(tmp_path):
    for number, expected in enumerate(["x", "x-2", "x-3", "x-3"]):
        new = tmp_path / "new"
        new.mkdir()
        (new / str(min(number, 2))).touch()
        placed = put_in_place(new, tmp_path / "x", lambda new, old: names(new) == names(old))
        assert placed == tmp_path / expected
        if new.exists():  # what was replaced
            (new / "2").unlink()
            new.rmdir()
