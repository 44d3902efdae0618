"""Atomic writes of files and folders."""

import pytest

from bamboo.files import load_json, replacing_folder, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_and_its_folders_are_created(tmp_path):
    write_text(tmp_path / "a" / "b.txt", "é\n")
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\n".encode()
    assert names(tmp_path / "a") == ["b.txt"]


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


def test_encodings_of_json(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": "é"}', "utf-8-sig")
    assert load_json(path) == {"a": "é"}
    path.write_text('{"a": "é"}', "utf-16")
    with pytest.raises(ValueError, match="line 1: is UTF-16, not UTF-8"):
        load_json(path)
