"""Atomic writes of files and folders; documents with a checksum."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from bamboo.files import replacing_folder, sealed, unsealed, write_text


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


@pytest.mark.parametrize(
    "document", [{}, {"step": 3}, {"a": {}, "b": [1, {"c": 'é\n"'}], "d": [0.1, 1e-300, None]}]
)
class TestChecksums:
    def test_the_first_member_is_the_checksum_of_the_others(self, document):
        content = json.dumps(document, indent=1, ensure_ascii=False)
        checksum = hashlib.sha256(content.encode()).hexdigest()
        whole = {"sha256": checksum, **document}
        assert sealed(document) == json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
        assert unsealed(sealed(document)) == document

    def test_any_change_is_detected(self, document):
        text = sealed(document)
        for k in range(len(text)):
            for put in (
                "",
                " ",
                "x",
                ",",
                '"',
                "1",
                "\n",
                "}",
                *(new + text[k] for new in " ,1\n"),
            ):
                changed = text[:k] + put + text[k + 1 :]
                if changed != text:
                    with pytest.raises(ValueError, match=r"\S"):
                        unsealed(changed)
