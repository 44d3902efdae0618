"""Atomic writes of files and folders."""

import errno
import os
from pathlib import Path

import pytest

from bamboo.files import replacing, replacing_folder, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_and_its_folders_are_created(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "é\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\n".encode()
    assert names(tmp_path / "a") == ["b.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_the_earlier_file_is_unchanged(tmp_path, error):
    path = tmp_path / "a.txt"
    write_text(path, "old")

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

    for name in ("a.txt", "link.txt"):
        with pytest.raises(OSError, match=f"No space left on device: '.*/{name}'"):
            full(tmp_path / name)
        (tmp_path / "link.txt").unlink(missing_ok=True)
        (tmp_path / "link.txt").symlink_to(tmp_path / "target.txt")
    assert not (tmp_path / "a.txt").exists()


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("a longer old text")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_to(tmp_path):
    write_text(tmp_path.joinpath(os.devnull), "text")
    assert not os.path.isfile(os.devnull)


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    folder = tmp_path / "parent" / "folder"
    with replacing_folder(folder) as new:
        (new / "a.txt").write_text("1")
        assert not folder.exists()
    with replacing_folder(folder) as new:
        (new / "b.txt").write_text("2")
    assert names(folder) == ["b.txt"]
    assert names(folder.parent) == ["folder"]
    assert folder.stat().st_mode & 0o777 == 0o755


def test_after_an_error_the_earlier_folder_is_unchanged(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("old")

    def stop_halfway():
        with replacing_folder(folder) as new:
            (new / "a.txt").write_text("new")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        stop_halfway()
    assert (folder / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["folder"]


def test_a_folder_that_cannot_be_replaced_is_kept(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").write_text("first")
    replace = os.replace

    def refuse_the_new_one(source, target):
        if Path(target) == folder and not str(source).endswith(".old"):
            raise OSError("no")
        replace(source, target)

    monkeypatch.setattr("bamboo.files.os.replace", refuse_the_new_one)
    with pytest.raises(OSError, match="no"), replacing_folder(folder) as new:
        (new / "a").write_text("second")
    assert (folder / "a").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
