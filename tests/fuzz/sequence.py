"""Several commands, one after the other, in one process.

    python -m tests.fuzz.sequence REQUEST OUTCOMES

REQUEST is a JSON file with

- ``commands``: each a list of arguments; the results of command k belong into the folder ``k``;
- ``chunk``: the number of items that are computed at a time, in place of `CHUNKS`, or null;
- ``interpreted``: the microseconds of work that each command does without Numba where it can (see
  `amr_metrics.compiled`), or null for those of a process.

OUTCOMES gets the status of each command and what it printed. The time that scoring a cell takes,
which sites show, is replaced by one second.
"""

import importlib
import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

from amr_metrics import compiled
from bamboo.app.main import main
from bamboo.scoring import cells

# Constants that bound the memory, and may not change any result.
CHUNKS = {
    "bamboo.scoring.pipeline": ("CHUNK", "SMALLER_CHUNK"),
    "bamboo.site.alignments": ("CHUNK",),
    "bamboo.statistics.permutation": ("BLOCKS",),
    "amr_metrics.alignment.triple_match": ("CHUNK",),
    "amr_metrics.blend.metric": ("CHUNK",),
    "amr_metrics.features.bag_metric": ("CHUNK",),
    "amr_metrics.transport.node_match": ("CHUNK", "NODE_PAIRS"),
    "amr_metrics.transport.wwlk": ("CHUNK", "NODE_PAIRS"),
}


def run(request, outcomes):
    """Run all commands."""
    document = json.loads(request.read_text("utf-8"))
    if document["chunk"] is not None:
        for name, constants in CHUNKS.items():
            module = importlib.import_module(name)
            for constant in constants:
                assert isinstance(getattr(module, constant), int)
                setattr(module, constant, document["chunk"])
    joined = cells.joined
    cells.joined = lambda scored: replace(joined(scored), seconds=1.0)
    results = []
    for k, arguments in enumerate(document["commands"]):
        if document["interpreted"] is not None:
            compiled.load_numba()
            compiled.plain_budget = document["interpreted"]
        Path(str(k)).mkdir()
        os.environ["BAMBOO_RUNS_DIR"] = f"{k}/runs"
        out, err = _like(sys.stdout), _like(sys.stderr)
        with redirect_stdout(out), redirect_stderr(err):
            status = main(arguments)
        results.append({"status": status, "out": _text(out), "err": _text(err)})
    outcomes.write_text(json.dumps(results), "utf-8")


def _like(stream):
    """A stream in memory with the encoding of another."""
    return io.TextIOWrapper(io.BytesIO(), stream.encoding, stream.errors, newline="")


def _text(stream):
    """What was written; in UTF-8 if the encoding lacks a character, as commands print."""
    stream.flush()
    encoding, buffer = stream.encoding, stream.detach()
    assert isinstance(buffer, io.BytesIO)
    content = buffer.getvalue()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode(encoding)


if __name__ == "__main__":
    run(*map(Path, sys.argv[1:]))
