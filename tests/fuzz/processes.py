"""Commands in processes of their own, for campaigns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
VARYING = ("provenance", "seconds", "pairs_per_second", "cached", "cache")


def start(*arguments, folder, runs=None, module="bamboo", environment=None):
    """Start a command in a folder; its caches are in ``runs`` there, or in `runs`.

    Args:
        module: another module to run.
        environment: variables to add to those of this process.
    """
    variables = {k: v for k, v in os.environ.items() if not k.startswith("BAMBOO_")}
    variables |= {
        "PYTHONPATH": str(ROOT),
        "BAMBOO_RUNS_DIR": str(runs or folder / "runs"),
        "BAMBOO_DATA_DIR": str(folder / "data"),
        "BAMBOO_CACHE_DIR": str(folder / "cache"),
    }
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env=variables | dict(environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process, seconds=600):
    """The status and output of a process; it is killed if it takes too long."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return -1, out, f"{err}(still running after {seconds:g} s)"
    return process.returncode, out, err


def repeatable(path):
    """The content of a file, without what differs between two runs of a command."""
    content = path.read_bytes()
    if path.suffix == ".json":
        return repeatable_json(path.read_text("utf-8"))
    if path.name == "config.yaml":
        document = yaml.safe_load(path.read_text("utf-8"))
        document["command"] = [part for part in document["command"] if "engine" not in part]
        return {name: value for name, value in document.items() if name != "engine"}
    return content


def repeatable_json(text):
    """A JSON document without what differs between two runs of a command."""
    return _without(json.loads(text))


def _without(value):
    if isinstance(value, dict):
        return {k: _without(v) for k, v in value.items() if k not in VARYING}
    return [_without(item) for item in value] if isinstance(value, list) else value
