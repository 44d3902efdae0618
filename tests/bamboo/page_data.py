"""Reads the data files of a site or a report."""

import base64
import json
import re
import zlib


def data_of(folder, name):
    """What a data file gives to the pages."""
    text = (folder / "data" / f"{name}.js").read_text("utf-8")
    in_file, packed = re.fullmatch(r'bamboo\.add\("([^"]*)","([^"]*)"\);\n', text).groups()
    assert in_file == name
    return json.loads(zlib.decompress(base64.b64decode(packed)))
