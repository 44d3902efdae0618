"""Atomic writes of files."""

import errno
import os

import pytest

from metrics.utils.files import replacing


def write(path, text):
    with replacing(path) as file:
        file.write(text.encode())


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_the_earlier_file_is_unchanged(tmp_path, error):
    path = tmp_path / "a.txt"
    write(path, "old")

    def stop_halfway():
        with replacing(path) as file:
            file.write(b"half of the n")
            raise error

    with pytest.raises(error):
        stop_halfway()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_an_error_of_the_disk_names_the_file(tmp_path, monkeypatch):
    def full(path):
        with replacing(path) as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"No space left on device: '.*/a\.txt'"):
        full(tmp_path / "a.txt")
    assert not (tmp_path / "a.txt").exists()


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("a longer old text")
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to(tmp_path):
    write(tmp_path.joinpath(os.devnull), "text")
    assert not os.path.isfile(os.devnull)
