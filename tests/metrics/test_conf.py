"""The JSON file with the contents of the project's YAML files."""

import os

import yaml

from amr_metrics.utils.conf import CONF, CONTENTS, find_content, format_contents


def test_the_contents_are_those_of_the_yaml_files():
    """``BAMBOO_UPDATE_CONF=1`` writes the file after a change of a YAML file."""
    text = format_contents(CONF)
    if os.environ.get("BAMBOO_UPDATE_CONF"):
        (CONF / CONTENTS).write_text(text, "utf-8")
    stored = (CONF / CONTENTS).read_text("utf-8")
    assert stored == text, "run BAMBOO_UPDATE_CONF=1 pytest tests/metrics/test_conf.py"
    paths = sorted(CONF.rglob("*.yaml"))
    assert len(paths) > 60
    for path in paths:
        content = find_content(CONF, path.relative_to(CONF).as_posix())
        expected = yaml.safe_load(path.read_bytes())
        assert content == expected
        assert repr(content) == repr(expected)  # also the types, and the order


def test_a_file_that_was_changed_has_no_content(tmp_path):
    path = tmp_path / "metric" / "mine.yaml"
    path.parent.mkdir()
    path.write_text("K: 2\n", "utf-8")
    (tmp_path / CONTENTS).write_text(format_contents(tmp_path), "utf-8")
    content = find_content(tmp_path, "metric/mine.yaml")
    assert content == {"K": 2}
    content["K"] = 3  # of the caller
    assert find_content(tmp_path, "metric/mine.yaml") == {"K": 2}
    path.write_text("K: 4\n", "utf-8")
    assert find_content(tmp_path, "metric/mine.yaml") is None
    assert find_content(tmp_path, "metric/other.yaml") is None


def test_a_folder_without_the_file(tmp_path):
    assert find_content(tmp_path, "metric/mine.yaml") is None
