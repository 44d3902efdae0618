"""Build hook of hatchling: compile the kernels, and make a wheel of this platform.

For a wheel of another platform, set ``BAMBOO_WHEEL`` to its platform tag and ``CC`` to a compiler
for it, as ``make wheels`` does.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import mac_platforms

ROOT = Path(__file__).parent
KERNELS = ROOT / "metrics" / "amr_metrics" / "kernels"
# A platform tag, and its `sys.platform` by how it begins.
TAG = re.compile(r"([a-z]+)_(?:\d+_\d+_)?(\w+)")
PLATFORMS = {"manylinux": "linux", "musllinux": "linux", "macosx": "darwin", "win": "win32"}


def load_build() -> Any:
    """Load ``kernels/build.py`` by itself: the package needs NumPy."""
    spec = importlib.util.spec_from_file_location("build_kernels", KERNELS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find_built(build: Any) -> Path | None:
    """Return the library if an earlier installation has compiled it for this machine.

    ``make setup`` installs the project twice. ``CC`` may be another compiler.
    """
    environment = {"BAMBOO_WHEEL", "CC"} & {*os.environ}
    return None if environment else next(build.find_libraries(), None)


class KernelHook(BuildHookInterface[Any]):
    """Compile the kernels into the wheel, or for an editable installation into the checkout."""

    def dependencies(self) -> list[str]:
        """Ask for zig, a C compiler in a package, if one is needed and this machine has none."""
        build = load_build()
        return [] if build.find_compiler() or find_built(build) else ["ziglang"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels and describe the wheel."""
        build = load_build()
        if tag := os.environ.get("BAMBOO_WHEEL"):
            # Not beside the sources, where the library of this machine may be.
            folder = ROOT / "build" / "kernels" / tag
            folder.mkdir(parents=True, exist_ok=True)
            found = TAG.fullmatch(tag)
            assert found is not None, f"not understood: {tag}"
            machine = f"{PLATFORMS[found[1]]}-{found[2]}-64"
            library = build.build_library(into=folder, machine=machine)
            build_data["force_include"][str(library)] = f"amr_metrics/kernels/{library.name}"
        else:
            # Python for macOS may run on two processors; the library is for that of this machine.
            is_macos = sys.platform == "darwin"
            tag = next(mac_platforms()) if is_macos else sysconfig.get_platform()
            tag = tag.replace("-", "_").replace(".", "_")
            library = find_built(build) or build.build_library()
            build_data["artifacts"].append(library.relative_to(ROOT).as_posix())
        build_data["pure_python"] = False
        # The library uses no API of Python: one wheel serves all its versions.
        build_data["tag"] = f"py3-none-{tag}"
