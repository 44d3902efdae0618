"""The files of a submission, for tests that change them."""

import json
import zipfile


def read_zip(path):
    """The text of each file of a zip file, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def write_zip(path, texts):
    """Write a zip file; half of a surrogate pair is written as it is."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text.encode("utf-8", "surrogatepass"))
    return path


def change_document(path, changes):
    """Replace values of the result in a submission."""
    texts = read_zip(path)
    document = json.loads(texts["result.json"]) | changes
    write_zip(path, texts | {"result.json": json.dumps(document)})
