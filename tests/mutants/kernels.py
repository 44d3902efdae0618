"""Change one place of a C file at a time, and list the changes that its tests do not notice.

``make mutants KERNEL=features.c``, with SEED and SAMPLE. Each change of an operator, comparison,
bound or constant (a mutant) is compiled into a library of its own, with which a process of its own
runs the tests of the metrics that use the file, up to the first failure. What does not compile is
drawn again.
Prototypes of kernels are not changed: Python reads them and checks each call.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import mmap
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported; threads prevent forks

import pytest

from amr_metrics.kernels import build, library

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "metrics"
MEMORY = 8 << 30  # bytes that a mutant may allocate
SOLVERS = ("alignment/test_exact.py", "alignment/test_assignment.py", "alignment/test_hillclimb.py")
LARGE = (*SOLVERS, "alignment/test_large.py")
# The tests of each file in tests/metrics, the quickest to notice a change first.
METRICS = {
    "assignment.c": SOLVERS,
    "climb.c": SOLVERS,
    "comments.c": ("graphs", "reading"),
    "embedding.c": ("transport",),
    "encoding.c": ("graphs", "reading"),
    "exact.c": SOLVERS,
    "facts.c": ("alignment",),
    "features.c": ("features",),
    "grading.c": ("alignment/test_s2match.py", "alignment/test_wsmatch.py"),
    "hillclimb.c": SOLVERS,
    "large.c": ("alignment/test_large.py",),
    "numbering.c": ("graphs", "features"),
    "relaxation.c": LARGE,
    "rows.c": ("graphs",),
    "scanner.c": ("reading",),
    "simplex.c": ("transport/test_flow.py", "transport"),
    "training.c": (
        "../bamboo/training/test_steps.py",
        "../bamboo/training/test_spsa.py",
        "transport/test_edge_weights.py",
        "transport/test_wwlk_theta.py",
    ),
    "vectors.c": ("vectors", "transport"),
    "workspace.c": SOLVERS,
}

IGNORED = re.compile(
    r'/\*.*?\*/|^#.*?$|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|^EXPORT[^{;]*',
    re.DOTALL | re.MULTILINE,
)
TOKEN = re.compile(
    r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|->|\+\+|--|<<|>>|&&|\|\|"
    r"|[-+*/%&|^<>=!]=|\S"
)
CHANGES = {
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",),
    "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "|=": ("&=",), "&=": ("|=",),
    "++": ("--",), "--": ("++",), "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",),
    "&&": ("||",), "||": ("&&",), "!": ("",), "==": ("!=",), "!=": ("==",),
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "true": ("false",), "false": ("true",), "fmin": ("fmax",), "fmax": ("fmin",),
    "continue": ("break",),
}  # fmt: skip
OPERAND = re.compile(r"\w+|[)\]]")  # what stands before an operator of two values


class Mutant(NamedTuple):
    """A changed place of a file.

    Attributes:
        position: of the old text.
    """

    position: int
    old: str
    new: str


def find_mutants(source: str) -> Iterator[Mutant]:
    """Yield the changes of each place of a C source, in the order of the source."""
    text = IGNORED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    before = ""
    for match in TOKEN.finditer(text):
        token = match[0]
        is_pointer = token in ("*", "&") and not OPERAND.fullmatch(before)
        if token[0].isdigit():
            yield Mutant(match.start(), token, increase(token))
        elif not is_pointer:
            for new in CHANGES.get(token, ()):
                yield Mutant(match.start(), token, new)
        before = token


def increase(number: str) -> str:
    """Return a number of another value: a whole number plus 1, or twice a fraction."""
    if re.fullmatch(r"0[xX]\w+|\d+", number):
        return str(int(number, 0) + 1)
    return repr(2 * float(number) or 1.0)


class ChangedLibrary:
    """The library with one file changed, which all kernels are called from.

    Args:
        name: the file.
        folder: of the object files.
    """

    def __init__(self, name: str, folder: Path) -> None:
        path = build.FOLDER / name
        self.name, self.source, self.changed = name, path.read_text("utf-8"), folder / name
        self.path, self.built = folder, 0
        compiler = build.find_compiler() or []
        self.command = [*compiler, *build.FLAGS, "-w", f"-I{build.FOLDER}"]
        self.others = []
        for other in build.list_sources():
            if other.suffix == ".c" and other != path:
                self.others.append(str(folder / f"{other.stem}.o"))
                subprocess.run([*self.command, "-c", other, "-o", self.others[-1]], check=True)
        self.build(Mutant(0, "", ""))
        self.load()

    def build(self, mutant: Mutant) -> bool:
        """Build the library with a change of the file; returns whether it compiles."""
        end = mutant.position + len(mutant.old)
        text = self.source[: mutant.position] + mutant.new + self.source[end:]
        self.changed.write_text(text, "utf-8")
        self.built += 1  # a path that is loaded once is not loaded again
        self.path = self.changed.with_name(f"changed{self.built}.so")
        command = [*self.command, str(self.changed), *self.others, "-lm", "-o", str(self.path)]
        return subprocess.run(command, capture_output=True).returncode == 0

    def load(self) -> None:
        """Load the library that was built last."""
        self.loaded = ctypes.CDLL(str(self.path))

    def __getitem__(self, name: str) -> ReplaceableFunction:
        return ReplaceableFunction(self, name)


class ReplaceableFunction:
    """A function of the library that is loaded when it is called.

    A kernel keeps the function that it got at its first call, maybe while tests were collected.
    """

    restype: Any
    argtypes: list[Any]

    def __init__(self, library: ChangedLibrary, name: str) -> None:
        self.library, self.name = library, name

    def __call__(self, *arguments: Any) -> Any:
        function = self.library.loaded[self.name]
        function.restype, function.argtypes = self.restype, self.argtypes
        return function(*arguments)


class Trials:
    """A plugin of pytest that runs the collected tests once for each mutant.

    Args:
        try_mutants: is called with this object after collection.
        folder: for temporary files.
    """

    def __init__(self, try_mutants: Callable[[Trials], None], folder: Path) -> None:
        self.try_mutants, self.log = try_mutants, folder / "log"
        self.running = mmap.mmap(-1, 8)  # the number of the test that a child process runs
        self.tests: list[tuple[pytest.Item, float]] = []  # with the seconds that they may take

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of pytest's own loop over the tests."""
        if session.testsfailed:
            return True  # pytest prints what cannot be collected
        self.session, self.tests = session, [(item, 3600.0) for item in session.items]
        self.check_unchanged()
        self.try_mutants(self)
        return True

    def check_unchanged(self) -> None:
        """Run the tests without a change, and sort them by their time."""
        times = self.log.with_name("times")
        if self.run(times=times):
            sys.exit(f"the tests fail without a change:\n{self.log.read_text()}")
        seconds = [float(line) for line in times.read_text().split()]
        self.tests = [(item, 3 + 3 * s) for (item, _), s in zip(self.tests, seconds, strict=True)]
        self.tests.sort(key=lambda test: test[1])

    def run(self, prepare: Callable[[], None] | None = None, times: Path | None = None) -> int:
        """Run the tests in a child process up to the first failure; returns its exit status.

        The test that fails is the first of the next run: it often notices other changes too.

        Args:
            prepare: what the child does first.
            times: the file for the time of each test.
        """
        if child := os.fork():
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status:
                self.tests.insert(0, self.tests.pop(int.from_bytes(self.running)))
            return status
        status = 1
        try:
            output = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            if prepare:
                prepare()
            status = self.run_items(times)
        finally:
            sys.stdout.flush()
            os._exit(status)

    def run_items(self, times: Path | None) -> int:
        """Run the tests; returns the number of failures, at most 1."""
        for k, (item, seconds) in enumerate(self.tests):
            following = self.tests[k + 1][0] if k + 1 < len(self.tests) else None
            self.running[:] = k.to_bytes(8)
            started = time.process_time()
            limit = int(started + seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.session.testsfailed:
                return 1
            if times:
                with times.open("a") as file:
                    print(time.process_time() - started, file=file)
        return 0


def run_pytest(try_mutants: Callable[[Trials], None], folder: Path, arguments: list[str]) -> int:
    """Collect the tests and try mutants with them."""
    options = ["-s", "-qq", "--no-header", "--no-summary", "--hypothesis-profile=mutants"]
    options += [f"--rootdir={ROOT}", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["-p", "no:faulthandler"]  # prints where a mutant crashes
    return int(pytest.main([*options, *arguments], [Trials(try_mutants, folder)]))


def find_tests(name: str) -> list[str]:
    """Return the tests of a C file: those of the metrics, and of kernels that pause."""
    return [str(TESTS / part) for part in (*METRICS[name], "kernels/test_pause.py")]


def main() -> int:
    """Print what each mutant did to the tests, and the number of survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernel", help="a C file, such as features.c")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=25, help="number of changes; 0 for all")
    parser.add_argument("--again", type=Path, help="make only the changes that this file lists")
    options, further = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        changed = ChangedLibrary(options.kernel, Path(name))
        library.load_library = lambda *folder: changed
        drawn = draw_mutants(changed, options)
        arguments = [*find_tests(options.kernel), *further]
        return run_pytest(lambda trials: try_mutants(drawn, changed, trials), Path(name), arguments)


def draw_mutants(changed: ChangedLibrary, options: argparse.Namespace) -> Iterator[Mutant]:
    """Yield the mutants to try; a library with each is built."""
    mutants = list(find_mutants(changed.source))
    if options.again:
        listed = options.again.read_text("utf-8").splitlines()
        yield from (m for m in mutants if describe(changed, m) in listed and changed.build(m))
        return
    random.Random(options.seed).shuffle(mutants)
    compiled = (mutant for mutant in mutants if changed.build(mutant))
    yield from itertools.islice(compiled, options.sample or None)


def try_mutants(mutants: Iterable[Mutant], changed: ChangedLibrary, trials: Trials) -> None:
    """Print what each mutant did to the tests, unless one failed, and the number of survivors."""
    statuses = []
    for mutant in mutants:
        status = trials.run(changed.load)
        statuses.append(status)
        if (how := name_status(status)) != "killed":
            print(describe(changed, mutant).replace("survived", how, 1), flush=True)
    print(f"{len(statuses)} changes of {changed.name}, {statuses.count(0)} survived", flush=True)


def name_status(status: int) -> str:
    """Return the word for the exit status of the tests; negative ones are signals."""
    if status < 0:
        return "hung" if status == -signal.SIGXCPU else "crashed"
    return "killed" if status else "survived"


def describe(changed: ChangedLibrary, mutant: Mutant) -> str:
    """Return the line that is printed for a survivor."""
    before, after = changed.source[: mutant.position], changed.source[mutant.position :]
    first = before.rpartition("\n")[2]
    last = after[len(mutant.old) :].partition("\n")[0]
    lines = [" ".join(f"{first}{text}{last}".split()) for text in (mutant.old, mutant.new)]
    number = before.count("\n") + 1
    return f"survived: metrics/amr_metrics/kernels/{changed.name}:{number}: {' -> '.join(lines)}"


if __name__ == "__main__":
    sys.exit(main())
