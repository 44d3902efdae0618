"""Try many generated and damaged inputs, with checked access to memory: ``make fuzz``.

The kernels are compiled with gcc's address and undefined behaviour sanitizers. The first access
outside of an array, or the first overflow of an integer, ends the tests with a report of the place
in the C source.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from amr_metrics.kernels import build

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "build" / "fuzz"  # a copy of the sources, with the library
FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-g")
LIBRARIES = ("libasan.so", "libubsan.so")


def main(arguments: list[str]) -> int:
    """Run the properties of the tests; returns the exit status.

    Args:
        arguments: further ones of pytest.
    """
    libraries = find_sanitizers()
    if len(libraries) < len(LIBRARIES):
        print("make fuzz needs gcc, with libasan and libubsan: CC=gcc make fuzz", file=sys.stderr)
        return 2
    shutil.rmtree(KERNELS, ignore_errors=True)
    KERNELS.mkdir(parents=True)
    for source in build.FOLDER.glob("*.[ch]"):
        shutil.copy(source, KERNELS)
    build.build_library(KERNELS, *FLAGS)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "metrics"))),
        # They must be loaded before Python, which leaks by itself.
        "LD_PRELOAD": " ".join(libraries),
        "PYTHONMALLOC": "malloc",  # Python's own memory for small objects is not checked
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={KERNELS / 'report'}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={KERNELS / 'report'}",
    }
    command = (sys.executable, "-m", "pytest", "-p", "tests.fuzz.checked_kernels", "-n", "auto")
    properties = ("-m", "hypothesis", "--hypothesis-profile=fuzz")
    status = subprocess.call([*command, *properties, *arguments], cwd=ROOT, env=environment)
    for report in sorted(KERNELS.glob("report.*")):  # pytest says only that a worker crashed
        print(report.read_text(errors="replace"), file=sys.stderr)
    return status


def find_sanitizers() -> list[str]:
    """Return the paths of gcc's libraries that a library with checks needs."""
    paths = []
    for name in LIBRARIES if (compiler := build.find_compiler()) else ():
        done = subprocess.run(
            [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False
        )
        paths.append(Path(done.stdout.strip()))
    return [str(path) for path in paths if path.is_absolute() and path.exists()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
