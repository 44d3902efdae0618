"""Build hook of hatchling: compile the kernels, and make a wheel of this platform.

For a wheel of another platform, set ``BAMBOO_WHEEL`` to its platform tag and ``CC`` to a compiler
for it, as ``make wheels`` does.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import mac_platforms

ROOT = Path(__file__).parent
KERNELS = ROOT / "metrics" / "amr_metrics" / "kernels"
# The `sys.platform` of a platform tag, by how the tag begins.
PLATFORMS = {"manylinux": "linux", "musllinux": "linux", "macosx": "darwin", "win": "win32"}


def load_build() -> Any:
    """Load ``kernels/build.py`` by itself: the package needs NumPy."""
    spec = importlib.util.spec_from_file_location("build_kernels", KERNELS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_built(build: Any) -> bool:
    """Check that an earlier installation has compiled the present sources for this machine.

    ``make setup`` installs the project twice. ``CC`` may be another compiler.
    """
    environment = {"BAMBOO_WHEEL", "CC"} & {*os.environ}
    return not environment and bool(build.is_current())


class KernelHook(BuildHookInterface[Any]):
    """Compile the kernels into the wheel, or for an editable installation into the checkout."""

    def dependencies(self) -> list[str]:
        """Ask for zig, a C compiler in a package, if one is needed and this machine has none."""
        build = load_build()
        return [] if build.find_compiler() or is_built(build) else ["ziglang"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels and describe the wheel."""
        build = load_build()
        if tag := os.environ.get("BAMBOO_WHEEL"):
            # Not beside the sources, where the library of this machine may be.
            platform = PLATFORMS[tag.partition("_")[0]]
            library = build.library_path(ROOT / "build" / "kernels" / tag, platform)
            library.parent.mkdir(parents=True, exist_ok=True)
            build.build_library(library=library)
            build_data["force_include"][str(library)] = f"amr_metrics/kernels/{library.name}"
        else:
            # Python for macOS may run on two processors; the library is for that of this machine.
            is_macos = sys.platform == "darwin"
            tag = next(mac_platforms()) if is_macos else sysconfig.get_platform()
            tag = tag.replace("-", "_").replace(".", "_")
            library = build.library_path()
            if not is_built(build):
                build.build_library()
            build_data["artifacts"].append(library.relative_to(ROOT).as_posix())
        build_data["pure_python"] = False
        # The library uses no API of Python: one wheel serves all its versions.
        build_data["tag"] = f"py3-none-{tag}"
