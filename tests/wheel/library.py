"""Check the library in wheels and their tags: ``python -m tests.wheel.library FILE...``."""

from __future__ import annotations

import hashlib
import re
import sys
import zipfile
from pathlib import Path

from amr_metrics.kernels import build

NAME = re.compile(r"bamboo_amr-[^-]+-py3-none-(\w+)\.whl")
FORMATS = {b"\x7fELF": "linux", b"\xcf\xfa\xed\xfe": "macosx", b"MZ": "win"}  # first bytes
SYSTEMS = {"linux": "linux", "macosx": "darwin", "win": "win32"}  # `sys.platform`
MACHINES = {
    ("linux", 62): "x86_64",
    ("linux", 183): "aarch64",
    ("macosx", 7): "x86_64",
    ("macosx", 12): "arm64",
    ("win", 0x8664): "amd64",
    ("win", 0xAA64): "arm64",
}


def find_problem(wheel: Path) -> str | None:
    """Return what is wrong with the tag of a wheel or with its library, or None."""
    name = NAME.fullmatch(wheel.name)
    if name is None:
        return "its name is not that of a wheel for one platform and all versions of Python"
    with zipfile.ZipFile(wheel) as content:
        libraries = [path for path in content.namelist() if path.endswith(build.SUFFIXES)]
        if len(libraries) != 1:
            return f"expected one library, found {libraries}"
        library = content.read(libraries[0])
        (metadata,) = [path for path in content.namelist() if path.endswith(".dist-info/WHEEL")]
        described = content.read(metadata).decode().splitlines()
    for line in (f"Tag: py3-none-{name[1]}", "Root-Is-Purelib: false"):
        if line not in described:
            return f"{metadata} lacks {line!r}"
    system, machine = read_platform(library)
    if not re.fullmatch(rf"(many|musl)?{system}(_.*)?_{machine}", name[1]):
        return f"the library is for {system} on {machine}"
    digests = build.compute_digest(), hashlib.sha256(library).hexdigest()[:16]
    expected = ".".join(["kernels", f"{SYSTEMS[system]}-{machine}-64", *digests])
    if Path(libraries[0]).with_suffix("") != Path("amr_metrics/kernels", expected):
        return f"the library is {libraries[0]}, expected {expected}"
    return None


def read_platform(library: bytes) -> tuple[str, str]:
    """Return the system and the machine of a library, as platform tags name them."""
    (system,) = [system for start, system in FORMATS.items() if library.startswith(start)]
    header = int.from_bytes(library[60:64], "little") + 4  # of a library for Windows
    at = {"linux": 18, "macosx": 4, "win": header}[system]
    return system, MACHINES[system, int.from_bytes(library[at : at + 2], "little")]


def main(wheels: list[str]) -> int:
    """Check wheels; returns the exit status."""
    problems = {wheel: find_problem(Path(wheel)) for wheel in wheels}
    for wheel, problem in problems.items():
        print(f"{wheel}: {problem or 'ok'}")
    return int(any(problems.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
