"""Record the results of many commands, and compare them with those of another version.

    python -m tests.freeze.run record FOLDER                # on the version to compare with
    python -m tests.freeze.run compare FOLDER               # on the changed version
    python -m tests.freeze.run compare FOLDER --only 'scores-*' 'compare-*'
    python -m tests.freeze.run compare FOLDER --with OTHER  # two recordings; runs nothing

It uses commands (`entries.py`), their output and the files they write, and nothing of their code,
so it survives any change inside. It needs the released data, word vectors and CAMR samples (in
``BAMBOO_SHARED``, by default ``../shared``); commands whose data or packages are not there are
skipped. FOLDER gets two files for each command, NAME.json with values by their paths and NAME.npz
with all elements of arrays. Floats are equal if all their bits are.

`compare` prints, for each command, what has another value and by how much; what is missing and what
is new; and which equal values have another path, for the same metric, data and partition. Its exit
status is 1 if anything differs. Versions, times and paths are not compared (`values.VARYING`).

--slow adds the tables that take minutes, --jobs is the number of commands at a time, and --keep
keeps the folder of work, FOLDER/tmp, with cached scores and the new recording of `compare`.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.freeze import values
from tests.freeze.entries import Entry, entries

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("BAMBOO_SHARED", ROOT.parent / "shared")).resolve()
SOURCE = Path(os.environ.get("BAMBOO_SOURCE", SHARED / "bamboo-amr-benchmark"))
VECTORS = os.environ.get("BAMBOO_VECTORS", str(SHARED / "vectors/glove.6B.100d.subset.bin"))
BROKEN, SMALL = (10, 500, 501), 24


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or compare; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.freeze.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--with", type=Path, dest="other", metavar="OTHER")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    selected = [
        entry
        for entry in entries()
        if any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in options.only)
        and (options.slow or not entry.slow)
    ]
    if options.action == "compare":
        selected = [entry for entry in selected if (folder / f"{entry.name}.json").exists()]
    if not selected:
        parser.error("no such entries, or none of them is recorded")
    new = options.other or (folder / "tmp/new" if options.action == "compare" else folder)
    failed = 0 if options.other else record(selected, new, folder / "tmp", options.jobs)
    if options.action == "compare":
        failed = compare(selected, folder, new)
    if not options.keep:
        shutil.rmtree(folder / "tmp", ignore_errors=True)
    return 1 if failed else 0


def compare(selected: Sequence[Entry], old: Path, new: Path) -> int:
    """Print the differences; returns the number of entries that differ."""
    failed = 0
    for entry in selected:
        if found := list(values.differences(entry.name, old, new)):
            failed += 1
            print(f"\n{entry.name}: {entry.command}", *found, sep="\n  ")
    print(f"\n{len(selected)} compared, {failed} different")
    return failed


def record(selected: Sequence[Entry], folder: Path, tmp: Path, jobs: int) -> int:
    """Run commands and write their values; returns the number of those that fail."""
    shutil.rmtree(tmp, ignore_errors=True)
    write_inputs(tmp / "work")
    selected = [entry for entry in selected if not missing(entry)]
    build = next(entry for entry in entries() if entry.name == "build")
    rest = [entry for entry in selected if entry != build]
    with ThreadPoolExecutor(jobs) as executor:
        if build in selected or any(entry.built for entry in rest):
            built = executor.submit(record_entry, build, folder, tmp)

        def run(entry: Entry) -> bool:
            return (entry.built and built.result()) or record_entry(entry, folder, tmp)

        return sum(executor.map(run, rest)) + (build in selected and built.result())


def missing(entry: Entry) -> bool:
    """Check whether a package or data that an entry needs is missing; says so."""
    absent = bool(entry.needs) and not (SHARED / entry.needs).exists()
    if absent := absent and importlib.util.find_spec(entry.needs) is None:
        print(f"skipped: {entry.name} needs {entry.needs}")
    return absent


def record_entry(entry: Entry, folder: Path, tmp: Path) -> bool:
    """Run one command and write its values; returns whether it fails unexpectedly."""
    start = time.perf_counter()
    words = shlex.split(entry.command)
    if words[0] == "-c":
        words = ["-c", entry.command.removeprefix("-c ")]
    else:
        words = ["-m", "bamboo", *words]
    source = SHARED / entry.needs if entry.needs == "tripsbleu" else SOURCE
    variables = {"PYTHONPATH": ROOT, "BAMBOO_SOURCE": source, "BAMBOO_VECTORS": VECTORS}
    variables |= {"BAMBOO_RUNS_DIR": tmp / "runs", "BAMBOO_DATA_DIR": tmp / "data"}
    variables |= {"BAMBOO_CACHE_DIR": tmp / "cache", "COLUMNS": 120, "NO_COLOR": 1, "TERM": "dumb"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp / "work",
        env=os.environ | {name: str(value) for name, value in variables.items()},
        capture_output=True,
        text=True,
    )
    found: values.Values = {"status": done.returncode}
    values.read_output(normalised(done.stdout, tmp), "output", found)
    if done.returncode:
        found["errors (text)"] = normalised(done.stderr, tmp).splitlines()
    for pattern in entry.files:
        for path in sorted((tmp / "work").glob(pattern)):
            name = os.path.relpath(path, tmp / "work")
            if path.suffix in {".csv", ".json"}:
                values.read_output(normalised(path.read_text("utf-8"), tmp), name, found)
            elif path.is_file():
                found[name] = values.digest(path.read_text("utf-8"))
    values.save(found, entry.command, folder / entry.name)
    failed = bool(done.returncode) and entry.name != "broken-stop"
    print(f"{time.perf_counter() - start:6.1f} s  {entry.name}{' FAILED' * failed}", flush=True)
    if failed:
        print(done.stderr[-600:], flush=True)
    return failed


def normalised(text: str, tmp: Path) -> str:
    """Replace what legitimately differs between two runs: folders, versions and times."""
    for path, name in ((tmp, "TMP"), (SOURCE, "SOURCE"), (SHARED, "SHARED"), (ROOT, "ROOT")):
        text = text.replace(str(path), name)
    text = re.sub(r"\bv\d+\.\d+\.\d+\w*", "VERSION", text)
    return re.sub(r"\b[\d.,]+ (s|seconds|ms|pairs/s)\b", r"N \1", text)


def write_inputs(work: Path) -> None:
    """Write files of graphs: partitions of STS as three parsers, with Main as gold standard."""
    work.mkdir(parents=True)
    sides = {name: SOURCE / f"sts/{name}/src.test.amr" for name in ("main", "reify", "syno")}
    sides["gold"] = SOURCE / "sts/main/tgt.test.amr"
    blocks = {name: path.read_text("utf-8").strip().split("\n\n") for name, path in sides.items()}
    broken = [b.rstrip(")") if k in BROKEN else b for k, b in enumerate(blocks["main"])]
    blocks |= {"broken": broken, "small": blocks["main"][:SMALL]}
    blocks["small_gold"] = blocks["gold"][:SMALL]
    for name, side in (("parts", "main"), ("gold_parts", "gold")):
        blocks |= {f"{name}/{k}": blocks[side][k * 200 : (k + 1) * 200] for k in range(3)}
    for name in ("main", "reify", "syno"):
        blocks[f"preferences/{name}"] = blocks[name][:200]
    blocks["preferences/reference"] = blocks["gold"][:200]
    for name, graphs in blocks.items():
        path = work / f"{name}.amr"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n\n".join(graphs) + "\n", "utf-8")
    rows = [f"{k}\tmain\t{('reify', 'syno')[k % 2]}\t{(1, 1, 0)[k % 3]}" for k in range(200)]
    header = "sentence\tfirst\tsecond\tpreference"
    (work / "preferences/preferences.tsv").write_text("\n".join([header, *rows]) + "\n", "utf-8")
    pairs = "".join(f"{k + 1}\t{(5 * k) % SMALL + 1}\n" for k in range(SMALL))
    (work / "pairs.tsv").write_text(pairs, "utf-8")
    ratings = (SOURCE / "sts/test.y").read_text("utf-8").split()[:SMALL]
    (work / "ratings.txt").write_text("\n".join(ratings) + "\n", "utf-8")
    if (SHARED / "camr").is_dir():
        shutil.copytree(SHARED / "camr", work / "camr")


if __name__ == "__main__":
    sys.exit(main())
