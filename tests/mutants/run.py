"""Change one place of a module at a time, and list the changes that its tests do not notice.

``make mutants MODULE=bamboo/statistics/corpus.py``, or a folder of modules. A change of an
operator, comparison, bound or constant (a mutant) is made in memory, in a process of its own that
runs the tests in the mirror folder, those of the module itself first, up to the first failure.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import importlib.machinery
import importlib.util
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported; threads prevent forks

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = "metrics/amr_metrics"
MEMORY = 8 << 30  # bytes: what a mutant allocates by mistake is an error, not a full machine
OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.Mult,), ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.And: (ast.Or,), ast.Or: (ast.And,),
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
PASSED = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
FUNCTIONS = {"min": "max", "minimum": "maximum", "any": "all", "floor": "ceil"}
FUNCTIONS |= {new: old for old, new in FUNCTIONS.items()}
SKIPPED = ("annotation", "returns", "decorator_list", "bases")  # fields of syntax nodes
WITH_PARTS = (ast.expr, ast.keyword, ast.Assign, ast.AnnAssign, ast.AugAssign)

Mutant = tuple[Path, int, str, ast.Module]  # of a file and line: what is changed, the whole module


def find_mutants(file: Path) -> Iterator[Mutant]:
    """Yield the changed modules, one for each change of each place."""
    tree = ast.parse(file.read_text("utf-8"))
    for node, parent in list(find_places(tree)):
        is_part = isinstance(node, ast.Constant | ast.Name) and isinstance(parent, WITH_PARTS)
        shown = parent if is_part else node
        original = copy.copy(vars(node))
        for change in list_changes(node):
            before = ast.unparse(shown).partition("\n")[0]
            vars(node).update(change)
            after = ast.unparse(shown).partition("\n")[0]
            yield file, node.lineno, f"{before} -> {after}", copy.deepcopy(tree)
            vars(node).update(original)


def find_places(parent: ast.AST) -> Iterator[tuple[Any, ast.AST]]:
    """Yield the nodes that are executed, each with its parent, in the order of the source.

    Annotations, and the `strict` of zip, only check the program itself.
    """
    if isinstance(parent, ast.If) and ast.unparse(parent.test) == "TYPE_CHECKING":
        return
    for name, value in ast.iter_fields(parent):
        for node in value if isinstance(value, list) else [value]:
            is_check = isinstance(node, ast.keyword) and node.arg == "strict"
            if isinstance(node, ast.AST) and name not in SKIPPED and not is_check:
                yield node, parent
                yield from find_places(node)


def list_changes(node: ast.AST) -> list[dict[str, Any]]:
    """Return other values of a node's fields, one change each."""
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op):
            return [{"op": new()} for new in OPERATORS.get(type(op), ())]
        case ast.Compare(ops=ops):
            return [
                {"ops": [*ops[:k], new(), *ops[k + 1 :]]}
                for k, op in enumerate(ops)
                for new in OPERATORS[type(op)]
            ]
        case ast.UnaryOp(op=ast.USub()):
            return [{"op": ast.UAdd()}]
        case (
            ast.If(test=ast.Name() | ast.Call() | ast.Attribute() | ast.UnaryOp() as test)
            | ast.IfExp(test=ast.Name() | ast.Call() | ast.Attribute() | ast.UnaryOp() as test)
        ):
            return [{"test": ast.UnaryOp(ast.Not(), test)}]
        case ast.Constant(value=bool(value)):
            return [{"value": not value}]
        case ast.Constant(value=int(value)):
            return [{"value": value + 1}]
        case ast.Constant(value=float(value)):
            return [{"value": 2 * value or 1.0}]
        case ast.Name(id=name) if name in FUNCTIONS:
            return [{"id": FUNCTIONS[name]}]
        case ast.Attribute(attr=name) if name in FUNCTIONS:
            return [{"attr": FUNCTIONS[name]}]
    return []


def find_tests(file: Path, own_only: bool) -> list[str]:
    """Return the test file of a module, its doctests, and the other tests of the package.

    A package without a mirror folder is tested in that of the package around it.
    """
    name = file.relative_to(ROOT).as_posix().replace(LIBRARY, "metrics")
    own = (ROOT / "tests" / name).with_name(f"test_{file.name}")
    first = [str(test) for test in (own, file) if test.exists()]
    is_top = len(Path(name).parts) == 2  # its folder has the tests of all packages
    if own_only or is_top:
        return first
    folder = next(folder for folder in own.parents if folder.is_dir())
    others = sorted(folder.rglob("test_*.py"))
    return [*first, *(str(test) for test in others if test != own), str(file.parent)]


class MutatedModule(importlib.machinery.SourceFileLoader):
    """Finds and loads one module, from a syntax tree in place of its source."""

    tree: ast.Module

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Return where the module is, and None for all others."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        """Return the compiled tree."""
        return compile(ast.fix_missing_locations(self.tree), self.path, "exec")


def run_tests(file: Path, tree: ast.Module, arguments: list[str]) -> int:
    """Run the tests with a changed module; returns the exit status of pytest."""
    name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removeprefix("metrics.")
    loader = MutatedModule(name, str(file))
    loader.tree = tree
    sys.meta_path.insert(0, loader)
    importlib.import_module(name)
    options = ["-x", "-q", "--no-header", "--tb=line", f"--rootdir={ROOT}"]
    options += ["--hypothesis-profile=mutants"]  # always the same examples, none shrunk
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plug-ins are imported already
    return int(pytest.main([*options, "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]))


def call_in_fork(function: Callable[..., int], *arguments: Any, cpu: int, log: Path) -> int:
    """Call a function in a child process; returns its value, not 0 if it fails or takes too long.

    Args:
        cpu: seconds of processor time.
        log: the file for what it prints.
    """
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = 1
    try:
        sys.stdout = sys.stderr = log.open("w")
        signal.alarm(60 * cpu)  # for one that waits forever
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        status = function(*arguments)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def import_others(file: Path, arguments: list[str], log: Path) -> None:
    """Import the modules of other projects that tests import, so that each mutant has them."""
    note = log.with_name("modules")

    def collect() -> int:
        run_tests(file, ast.parse(file.read_text("utf-8")), ["--collect-only", *arguments])
        own = ("bamboo", "tests", "metrics", "conftest", "__main__")
        own += () if file.is_relative_to(ROOT / "bamboo") else ("amr_metrics",)
        paths = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
        others = [n for n, p in paths.items() if p and n.split(".")[0] not in own]
        note.write_text("\n".join(n for n in others if "/tests/" not in str(paths[n])))
        return 0

    call_in_fork(collect, cpu=3600, log=log)
    for name in note.read_text().split():
        with contextlib.suppress(Exception):  # one that only some programs can import
            importlib.import_module(name)


def main() -> int:
    """Print the survivors and their number; stops if the tests fail without a change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", type=Path, help="a module, or a folder of modules")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=50, help="number of changes; 0 for all")
    parser.add_argument("--own", action="store_true", help="only the tests of the module itself")
    parser.add_argument("--again", type=Path, help="make only the changes that this file lists")
    options, further = parser.parse_known_args()
    path = options.module.resolve()
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    mutants = [mutant for file in files for mutant in find_mutants(file)]
    if options.again:
        listed = options.again.read_text("utf-8").splitlines()
        mutants = [mutant for mutant in mutants if describe(mutant) in listed]
    elif options.sample:
        size = min(options.sample, len(mutants))
        drawn = random.Random(options.seed).sample(range(len(mutants)), size)
        mutants = [mutants[k] for k in sorted(drawn)]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False  # compile everything once
        survivors = sum(try_mutants(mutants, options.own, further, Path(folder)))
    print(f"{len(mutants)} changes of {options.module}, {survivors} survived")
    return 0


def try_mutants(
    mutants: list[Mutant], own: bool, further: list[str], folder: Path
) -> Iterator[bool]:
    """Yield whether each mutant survives, and print those that do."""
    log, tested, cpu = folder / "log", set[Path](), 3600
    for mutant in mutants:
        file, _, _, tree = mutant
        arguments = [*find_tests(file, own), *further]
        if not tested:
            import_others(file, arguments, log)
        if (place := file if own else file.parent) not in tested:
            tested.add(place)
            before, whole = measure_children(), ast.parse(file.read_text("utf-8"))
            if call_in_fork(run_tests, file, whole, arguments, cpu=3600, log=log) not in PASSED:
                sys.exit(f"the tests fail without a change:\n{log.read_text()}")
            cpu = 10 + int(3 * (measure_children() - before))
        survives = call_in_fork(run_tests, file, tree, arguments, cpu=cpu, log=log) in PASSED
        if survives:
            print(describe(mutant), flush=True)
        yield survives


def measure_children() -> float:
    """Return the processor time of all children so far, in seconds."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def describe(mutant: Mutant) -> str:
    """Return the line that is printed for a survivor."""
    file, line, change, _ = mutant
    return f"survived: {file.relative_to(ROOT)}:{line}: {change}"


if __name__ == "__main__":
    sys.exit(main())
