"""Compare what commands write on different processors, byte by byte: ``make processors``.

Variables make OpenBLAS, NumPy and the C library run as on older processors. Each setting has
folders of its own, so that nothing is cached.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import tests.extras  # noqa: F401 (sets NLTK_DATA)
from tests.sample_vectors import SAMPLE, write_vectors

ROOT = Path(__file__).parents[2]
# The instructions beyond its baseline that NumPy uses on this machine.
FEATURES = " ".join(np.show_config(mode="dicts")["SIMD Extensions"]["found"])
WITHOUT_SIMD = {"NPY_DISABLE_CPU_FEATURES": FEATURES}
WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX2_Usable,-FMA_Usable"}
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "this processor": {},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "without SIMD": {"OPENBLAS_CORETYPE": "Haswell", **WITHOUT_SIMD},
    "old": {"OPENBLAS_CORETYPE": "Prescott", **WITHOUT_SIMD, **WITHOUT_FMA},
}
# Variables that the settings replace.
VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "NPY_", "GLIBC_TUNABLES", "BAMBOO_", "XDG_")
SIDES = "main/src.test.amr", "reify/src.test.amr", "main/tgt.test.amr"
METRICS = "sembleu,wlk,wwlk,s2match,smatch"
# Metrics that need extras; the weights of `blend` are part of the project.
FURTHER = "blend,concept_cosine,node_match,relation_match,text_cosine,text_chrf,wordnet_match"
TRAINING = "train", "metric=wwlk_theta", "data=sample", "trainer=spsa", "seed=3"
SHORT = "trainer.schedule.interval=20", "trainer.schedule.evaluations=3"
# Of results: time, what the machine is, and p-values of Williams' test (docs/reliability.md).
UNSTABLE = ("seconds", "provenance", "check")
# Intervals of so few pairs are from Student's t, whose quantiles differ in the last digit without
# FMA; the bounds are compared to ten decimal places.
INTERVALS = ("interval", "intervals", "bounds")


def list_commands(metrics: str, parsers: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words of the commands.

    Args:
        metrics: of `run` and `compare`.
        parsers: files that `score` and `agree` compare; the last one is gold.
    """
    rows = f"metric=[{metrics}]"
    yield (*TRAINING, *SHORT, "out=trained")
    yield "run", "metric=wwlk_theta", "data=sample", "weights=trained/weights.json"
    yield "run", rows, "data=sample", "partition=all", "ci=true"
    for protocol in ("paper", "spearman"):
        yield "compare", rows, "data=sample", "partition=all", f"protocol={protocol}"
    files = f"src={','.join(parsers[:-1])}", f"tgt={parsers[-1]}"
    yield "score", *files, "metric=smatch,sembleu,wwlk", "ci=true", "report=json"
    yield "score", *files, "metric=wwlk", "by=size", "ci=true", "report=html", "out=score"
    yield "agree", *parsers, "metric=wwlk", "report=json"


def write_outputs(folder: Path, setting: Mapping[str, str], metrics: str) -> dict[str, bytes]:
    """Run the commands under a setting in a folder, and return what they write, by file."""
    folder.mkdir()
    write_vectors(folder / "vectors.txt")
    for name in SIDES:
        shutil.copy(SAMPLE / name, folder / name.replace("/", "_"))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(VARIABLES)}
    environment = {
        **kept,
        **setting,
        "BAMBOO_VECTORS": "vectors.txt",
        "BAMBOO_CACHE_DIR": "cache",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "metrics"))),
    }
    outputs = {}
    for k, words in enumerate(list_commands(metrics, [n.replace("/", "_") for n in SIDES])):
        command = [sys.executable, "-m", "bamboo", *words]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}\n{done.stderr.decode()}")
        outputs[f"{k} {words[0]}"] = done.stdout
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    for path in files:
        name = path.relative_to(folder).as_posix()
        if name.startswith(("cache/", "runs/cache/")) or ".hydra/" in name:  # has absolute paths
            continue
        content = path.read_bytes()
        outputs[name] = remove_unstable(content) if path.suffix == ".json" else content
    return outputs


def remove_unstable(content: bytes) -> bytes:
    """Return a JSON document without what differs from run to run, and with rounded intervals."""

    def clean(value: Any, digits: int | None = None) -> Any:
        if isinstance(value, dict):
            return {
                key: clean(part, 10 if key in INTERVALS else digits)
                for key, part in value.items()
                if key not in UNSTABLE
            }
        if isinstance(value, list):
            return [clean(part, digits) for part in value]
        return round(value, digits) if digits and isinstance(value, float) else value

    return json.dumps(clean(json.loads(content))).encode()


def find_differences(
    folder: Path, settings: Mapping[str, Mapping[str, str]], metrics: str
) -> tuple[int, list[str]]:
    """Return how many files the first setting writes, and which are not equal in another one."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {
            name: pool.submit(write_outputs, folder / f"{k}", setting, metrics)
            for k, (name, setting) in enumerate(settings.items())
        }
        (first, expected), *others = ((name, job.result()) for name, job in jobs.items())
    return len(expected), [
        f"{file}: {first} and {name} differ"
        for name, outputs in others
        for file in sorted(expected | outputs)
        if expected.get(file) != outputs.get(file)
    ]


def is_supported() -> bool:
    """Return whether the settings have an effect, and results are promised to be equal."""
    return platform.machine().lower() in ("x86_64", "amd64") and "X86_V3" in FEATURES


def main() -> int:
    """Print what differs; returns the exit status."""
    if not is_supported():
        print("make processors needs an x86-64 processor with AVX2", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        count, differences = find_differences(Path(folder), SETTINGS, f"{METRICS},{FURTHER}")
    print(*differences, f"{count} files under {len(SETTINGS)} settings", sep="\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
