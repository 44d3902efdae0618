"""Build hook of hatchling: compile the kernels, and make a wheel of this platform."""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
KERNELS = ROOT / "metrics" / "amr_metrics" / "kernels"


def load_build() -> Any:
    """Load ``kernels/build.py`` by itself: the package needs NumPy."""
    spec = importlib.util.spec_from_file_location("build_kernels", KERNELS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class KernelHook(BuildHookInterface[Any]):
    """Compile the kernels into the wheel, or for an editable installation into the checkout."""

    def dependencies(self) -> list[str]:
        """Ask for zig, a C compiler in a package, if this machine has no compiler."""
        return [] if load_build().find_compiler() else ["ziglang"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels and describe the wheel."""
        library = load_build().build_library()
        build_data["pure_python"] = False
        # The library uses no API of Python: one wheel serves all its versions.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["artifacts"].append(library.relative_to(ROOT).as_posix())
