"""The project's YAML files, whose contents are also in the JSON file ``conf/contents.json``.

PyYAML takes a tenth of a short command to import. The YAML files are what people read and edit: a
file that differs from the one whose content is recorded is read with PyYAML.
"""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

# In an installed wheel, and in a checkout.
_INSIDE = Path(__file__).parents[1] / "conf"
CONF = _INSIDE if _INSIDE.is_dir() else Path(__file__).parents[3] / "conf"
CONTENTS = "contents.json"
# Options of metrics whose values can be given by name, and the names of the usual values.
PARTS = {"solver": "exact", "vectors": "glove"}
NAME = "name"  # of such a value, with its options beside it
TITLE = "title"  # of a metric: its name in papers


def find_content(conf: Path, name: str) -> dict[str, Any] | None:
    """Return the recorded content of a YAML file; None if there is none, or the file was changed.

    Args:
        conf: the folder of YAML files.
        name: the path of the file in it.

    Raises:
        OSError: the file cannot be read.

    >>> find_content(CONF, "solver/exact.yaml")
    {'_target_': 'amr_metrics.alignment.exact.Exact'}
    """
    recorded = _read_contents(conf).get(name)
    if recorded is None or recorded["crc32"] != zlib.crc32((conf / name).read_bytes()):
        return None
    content: dict[str, Any] = copy.deepcopy(recorded["content"])
    return content


@cache
def read_content(conf: Path, name: str) -> Mapping[str, Any]:
    """Return the content of a YAML file, recorded or read; arguments as for `find_content`."""
    if (content := find_content(conf, name)) is None:
        import yaml

        content = yaml.safe_load((conf / name).read_bytes())
    return content


@cache
def _read_contents(conf: Path) -> Mapping[str, Mapping[str, Any]]:
    path = conf / CONTENTS
    contents: Mapping[str, Mapping[str, Any]] = (
        json.loads(path.read_bytes()) if path.is_file() else {}
    )
    return contents


def format_contents(conf: Path) -> str:
    """Return the text of the JSON file for a folder of YAML files, one line for each."""
    import yaml

    lines = []
    for path in sorted(conf.rglob("*.yaml")):
        data = path.read_bytes()
        recorded = {"crc32": zlib.crc32(data), "content": yaml.safe_load(data)}
        lines.append(f'"{path.relative_to(conf).as_posix()}": {json.dumps(recorded)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"
