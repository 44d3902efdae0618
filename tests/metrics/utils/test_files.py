"""Atomic writes of files."""

import errno
import os
from pathlib import Path

import pytest

from amr_metrics.utils.files import replace_file


def write(path, text):
    with replace_file(path) as file:
        file.write(text.encode())


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_the_earlier_file_is_unchanged(tmp_path, error):
    path = tmp_path / "a.txt"
    write(path, "old")

    def stop_halfway():
        with replace_file(path) as file:
            file.write(b"half of the n")
            raise error

    with pytest.raises(error):
        stop_halfway()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_an_error_of_the_disk_names_the_file(tmp_path, monkeypatch):
    def full(path):
        with replace_file(path) as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"No space left on device: '.*/a.txt'"):
        full(tmp_path / "a.txt")
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize("kind", ["file", "missing", "device"])
def test_a_link_is_replaced_and_its_target_is_unchanged(tmp_path, kind):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    if kind == "file":
        target.write_text("old")
    link.symlink_to(os.devnull if kind == "device" else target)
    write(link, "new")
    assert not link.is_symlink()
    assert link.read_text() == "new"
    assert target.exists() == (kind == "file")
    if kind == "file":
        assert target.read_text() == "old"


def test_an_open_file_of_the_system_is_written_to(tmp_path):
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        write(Path(f"/dev/fd/{file.fileno()}"), "text")
    assert path.read_text() == "text"


def test_a_device_is_written_to(tmp_path):
    write(tmp_path.joinpath(os.devnull), "text")
    assert not os.path.isfile(os.devnull)
