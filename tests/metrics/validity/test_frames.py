"""Files of PropBank's frames."""

import pytest

from amr_metrics.errors import OptionError
from amr_metrics.validity import Frames


def test_all_core_roles_are_read(tmp_path):
    file = tmp_path / "frames.txt"
    file.write_text(
        "Control-01  ARG0: controller  ARG1: thing, controlled\nrain-01\n\ngo-out-101\n", "utf-8"
    )
    frames = Frames.read(file)
    assert frames.roles == {
        "control-01": {"0": "controller", "1": "thing, controlled"},
        "rain-01": {},
        "go-out-101": {},
    }
    assert frames.lemmas == {"control", "rain", "go-out"}
    assert (frames.name, len(frames.digest)) == ("frames.txt", 12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no frame: expected a frame and its roles"),
        ("\n\n", "has no frame"),
        ("<frameset>\n", "line 1: expected a frame and its roles"),
        ("# ::id 1\n(b / bark-01 :ARG0 (d / dog))\n", "line 1: expected"),
        ("bark-01  ARG0: barker\ndog\n", "line 2: expected"),
        ("bark-01,ARG0,barker\n", "line 1: expected"),
        ("bark-01\tARG0: barker\n", "line 1: expected"),
    ],
)
def test_a_file_of_another_format_is_refused(tmp_path, text, message):
    file = tmp_path / "frames.txt"
    file.write_text(text, "utf-8")
    with pytest.raises(OptionError, match=message):
        Frames.read(file)


def test_a_folder_and_a_missing_file_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(OptionError, match="cannot be read"):
            Frames.read(path)
