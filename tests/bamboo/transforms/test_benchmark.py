"""A benchmark of one's own."""

import shutil
from pathlib import Path

import pytest
import yaml

import bamboo
from bamboo.errors import DataError
from bamboo.transforms.benchmark import OwnData, build_benchmark
from bamboo.transforms.errors import BuildError
from bamboo.transforms.manifest import Manifest
from bamboo.transforms.recipes import Arg

SAMPLE = Path(bamboo.__file__).parents[1] / "data" / "sample"


@pytest.fixture
def own(tmp_path):
    def make(**changes):
        names = {"src": "main/src.dev.amr", "tgt": "main/tgt.dev.amr", "ratings": "dev.y"}
        files = {}
        for name, path in names.items():
            files[name] = tmp_path / f"my.{name}"
            shutil.copyfile(SAMPLE / path, files[name])
        return OwnData(**{"name": "mine", **files, **changes})

    return make


def test_the_configuration_contains_the_reading_options(own, tmp_path):
    config = build_benchmark(own(split="dev"), [Arg()], tmp_path)
    content = yaml.safe_load(config.read_text())
    pairs = Manifest.read(tmp_path / "mine" / "role_confusion").splits["dev"]["pairs"]
    assert content == {
        "name": "mine",
        "title": "mine",
        "root": str(tmp_path / "mine"),
        "registry": None,
        "scale": [0.0, 5.0],
        "header": None,
        "trailer": None,
        "partitions": {
            "main": {"folder": "main", "ratings": "files", "pairs": {"dev": 24}},
            "arg": {"folder": "role_confusion", "ratings": "alternating", "pairs": {"dev": pairs}},
        },
    }


class TestRefusals:
    def test_a_rating_beyond_the_scale(self, own, tmp_path):
        data = own()
        lines = data.ratings.read_text().splitlines()
        data.ratings.write_text("\n".join([*lines[:2], "6", *lines[3:]]))
        with pytest.raises(DataError, match="pair 2, line 3: 6 is not on the scale from 0 to 5"):
            build_benchmark(data, [], tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_names_and_scales(self, own):
        with pytest.raises(BuildError, match="not a valid name for a data set"):
            own(name="../mine")
        with pytest.raises(BuildError, match="must be below the highest"):
            own(scale=(1.0, 1.0))
