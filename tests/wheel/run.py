"""Check that every command works from the built wheel, outside the checkout: ``make wheel-test``.

Builds the wheel, or takes that of this machine from the folder in the first argument, installs it
with its declared dependencies into a new virtual environment, and runs every command from an empty
working directory, with a home folder of its own and without a network or a C compiler: first
without extras, where commands that need one must name the command that installs it; then with the
extras that this command installs. At last it builds a wheel from the source archive, also without a
C compiler. Everything is in a temporary folder. Stops at the first command with an unexpected
result, and prints its output.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from amr_metrics.kernels.build import SUFFIXES
from tests.wheel.library import find_problem

ROOT = Path(__file__).parents[2]
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"  # of a virtual environment
EXTRAS = "bamboo-amr[vectors]"
OPTIONAL = ("gensim", "ot", "wordllama", "sacrebleu", "pywsd", "pytest")
NO_NETWORK = "http://127.0.0.1:9"  # the discard port: nothing answers
IMPORT_ALL = """
import importlib, pkgutil
for name in ("bamboo", "amr_metrics"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        importlib.import_module(module.name)
print(importlib.import_module("bamboo").__file__)
"""
GRAPHS = (
    "(s / sleep-01 :ARG0 (c / cat))",
    "(b / bark-01 :ARG0 (d / dog))",
    "(r / rain-01 :time (n / now))",
    "(f / fly-01 :ARG1 (k / kite))",
)
OTHERS = (
    "(s / sleep-01 :ARG0 (d / dog))",
    "(b / bark-01)",
    "(r / rain-01)",
    "(f / fly-01 :ARG0 (k / kite))",
)


class Failure(Exception):
    """A command with an unexpected result."""


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it.

    Attributes:
        folder: the virtual environment.
        work: the working directory of the commands.
        variables: their environment.
    """

    folder: Path
    work: Path
    variables: Mapping[str, str]

    def run(self, *command, fails=False, warns=False):
        """Run a program of the environment; returns its output, or what it says on standard error.

        Args:
            fails: it must end with an error, which is returned.
            warns: return its warnings.

        Raises:
            Failure: another exit status than expected, a traceback, or an error of several lines.
        """
        start = time.perf_counter()
        done = subprocess.run(
            [str(self.folder / SCRIPTS / command[0]), *command[1:]],
            cwd=self.work,
            env=self.variables,
            capture_output=True,
            text=True,
        )
        print(f"{time.perf_counter() - start:6.1f} s  {' '.join(command)[:90]!r}", flush=True)
        output = f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        if done.returncode != int(fails) or "Traceback" in done.stderr:
            raise Failure(f"exit status {done.returncode}: {output}")
        if fails and not done.stderr.startswith("error: "):
            raise Failure(f"no error message: {output}")
        return done.stderr if fails or warns else done.stdout

    def bamboo(self, *arguments, expected=()):
        """Run a command; its output must contain the expected texts."""
        return self._containing(self.run("bamboo", *arguments), arguments, expected)

    def json(self, *arguments):
        """Run a command with ``report=json``; returns the document."""
        return json.loads(self.bamboo(*arguments, "report=json"))

    def refused(self, *arguments, expected):
        """Run a command that must end with an error that contains the expected texts."""
        self._containing(self.run("bamboo", *arguments, fails=True), arguments, expected)

    def _containing(self, text, arguments, expected):
        for part in expected:
            require(part in text, f"{' '.join(arguments)}: {part!r} is not in\n{text}")
        return text


def require(holds, problem):
    """Raise a `Failure` if something does not hold."""
    if not holds:
        raise Failure(problem)


def main(dist=None):
    """Build, install and check; returns the exit status.

    Args:
        dist: a folder with the wheel and the source archive to check, instead of new ones.
    """
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="bamboo-wheel-") as name:
        folder = Path(name).resolve()
        try:
            wheel = find(dist, folder / "dist") if dist else build(folder / "dist")
            check_content(wheel)
            check_library(wheel)
            installed = install(wheel, folder)
            print(f"{time.perf_counter() - start:6.1f} s  installed {wheel.name}", flush=True)
            files = write_files(installed.work)
            check_core(installed, files)
            pip(str(installed.folder / SCRIPTS / "python"), "install", "--no-compile", EXTRAS)
            print(f"{time.perf_counter() - start:6.1f} s  installed {EXTRAS}", flush=True)
            check_commands(installed, files)
            check_source_archive(folder, dist)
            print(f"{time.perf_counter() - start:6.1f} s  built from the archive", flush=True)
        except Failure as failure:
            print(f"failed: {failure}", file=sys.stderr)
            return 1
    print(f"the wheel works: {time.perf_counter() - start:.0f} seconds")
    return 0


def build(folder):
    """Build the wheel of this checkout."""
    pip(sys.executable, "wheel", "--no-deps", f"--wheel-dir={folder}", str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def find(dist, folder):
    """Copy the wheel that pip chooses for this machine from the folder of a release."""
    choice = ("--no-deps", "--no-index", "--only-binary=:all:", f"--find-links={dist}")
    pip(sys.executable, "download", *choice, f"--dest={folder}", "bamboo-amr")
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel, folder):
    """A new environment with the wheel and its dependencies, and nothing else."""
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    # Modules are compiled when they are imported: most never are.
    pip(str(environment / SCRIPTS / "python"), "install", "--no-compile", str(wheel))
    names = [name for name in os.environ if not name.startswith(("BAMBOO_", "PYTHON", "XDG_"))]
    variables = {name: os.environ[name] for name in names if not name.lower().endswith("_proxy")}
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NO_NETWORK)
    own = dict.fromkeys(("HOME", "USERPROFILE"), str(home))
    own["CC"] = "false"  # a program that compiles nothing
    return Installed(environment, work, variables | proxies | own)


def pip(python, *arguments, variables=None):
    """Run pip, with the user's cache of downloads."""
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    execute(command, variables)


def execute(command, variables=None):
    """Run a command in the checkout, with an environment or that of this process."""
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    require(done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


def check_library(wheel):
    """The wheel has the tag and the library of this machine."""
    problem = find_problem(wheel)
    require(problem is None, f"{wheel.name}: {problem}")


def check_source_archive(folder, dist):
    """The source archive has no library, and a wheel is built from it without a C compiler."""
    environment, archives, wheels = (folder / name for name in ("builder", "archive", "rebuilt"))
    venv.create(environment, with_pip=True)
    python = str(environment / SCRIPTS / "python")
    if dist is None:
        pip(python, "install", "hatchling")
        execute([python, "-m", "hatchling", "build", "--target=sdist", f"--directory={archives}"])
    (archive,) = (archives if dist is None else Path(dist)).glob("*.tar.gz")
    with tarfile.open(archive) as content:
        libraries = [name for name in content.getnames() if name.endswith(SUFFIXES)]
    require(not libraries, f"{archive.name} contains {libraries}")
    # Without the folders of the machine's compilers.
    variables = {name: value for name, value in os.environ.items() if name != "CC"}
    variables |= {"PATH": str(environment / SCRIPTS)}
    pip(python, "wheel", "--no-deps", f"--wheel-dir={wheels}", str(archive), variables=variables)
    (wheel,) = wheels.glob("*.whl")
    check_library(wheel)


def check_content(wheel):
    """Every file of the packages, conf, data and docs that git knows is in the wheel."""
    listed = subprocess.run(
        ["git", "ls-files", "bamboo", "metrics", "conf", "data", "docs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if not listed.stdout:  # an unpacked source archive
        print("no git repository: the files in the wheel are not compared with a list of files")
        return
    inside = set(zipfile.ZipFile(wheel).namelist())
    for name in listed.stdout.splitlines():
        place = f"bamboo/{name}" if name.startswith(("conf/", "data/", "docs/")) else name
        place = place.removeprefix("metrics/")
        present = place in inside or not (ROOT / name).exists()  # deleted, but not yet committed
        require(present, f"{name} is not in the wheel")


def check_core(installed, files):
    """Run commands without any extra, and those that need one."""
    run, refused = installed.bamboo, installed.refused
    find = f"import importlib.util as i; print([n for n in {OPTIONAL} if i.find_spec(n)])"
    optional = installed.run("python", "-c", find).strip()
    require(optional == "[]", f"installed without an extra: {optional}")
    check_help(installed)
    run("score", *files, "per_pair=pairs.csv", expected=["precision", "83.3"])
    run("score", *files, "report=html", "out=report", expected=["index.html"])
    run("agree", "src.amr", "tgt.amr", "report=html", "out=agreement", expected=["index.html"])
    result = installed.json("run", "metric=smatch", "data=sample", "partition=all", "out=result")
    cells = result["rows"][0]["cells"]
    require(len(cells) == 4 and all(cell["value"] > 0 for cell in cells), str(cells))
    lines = (installed.work / "result/scores.csv").read_text("utf-8").splitlines()
    require(len(lines) == 1 + sum(cell["n"] for cell in cells), f"{len(lines)} lines of scores")
    again = installed.run("python", "-m", "bamboo", "run", "data=sample", "partition=all")
    require("4 of 4 cells from cache" in again, again)

    def advice(extra):
        return f"pip install 'bamboo-amr[{extra}]'"

    vectors = "vectors.file=vectors.txt"
    refused("run", "metric=wwlk", "data=sample", vectors, expected=["gensim", advice("vectors")])
    refused("score", *files, "metric=blend", expected=[advice("wordllama")])
    refused("score", *files, "metric=wordnet_match", expected=["nltk", advice("wordnet")])
    refused("score", *files, "metric=text_bleu", expected=["sacrebleu", advice("text")])
    everything = ("run", "metric=all", "data=sample", "limit=3", vectors, "out=all")
    warning = installed.run("bamboo", *everything, warns=True)
    rows = json.loads((installed.work / "all/result.json").read_text("utf-8"))["rows"]
    require(len(rows) == 10, str(rows))
    left_out = ("s2match_default", "s2match", "wwlk", "wwlk_theta", advice("vectors"))
    require(all(part in warning for part in ("metric=all without", *left_out)), warning)


def check_commands(installed, files):
    """Run the other commands once, on the bundled sample or on files written here."""
    run, work = installed.bamboo, installed.work
    file = installed.run("python", "-c", IMPORT_ALL).strip()
    require(Path(file).is_relative_to(installed.folder), f"imported from {file}")

    code = "import amr_metrics; print(amr_metrics.get('smatch_1.0', solver='hillclimb').signature)"
    require(
        "solver=HillClimb" in installed.run("python", "-c", code),
        "amr_metrics.get reads other files",
    )
    run("fetch", "data=sample", expected=["sample: nothing to download"])
    run("check", "metric=smatch", expected=["processes", "ok"])
    installed.refused("fetch", "data=sts", expected=["Go online, or set BAMBOO_SOURCE"])
    resampling = ("resamples=50", "permutations=50")
    run("compare", "metric=[smatch,sema]", "data=sample", *resampling, expected=["sema", "rank"])
    run("explain", "data=sample", "pair=3", "out=pair.svg")
    require("<svg" in (work / "pair.svg").read_text("utf-8"), "pair.svg is not a drawing")
    run("tables", "table=[table1,table3]", "data=sample", expected=["Table 1", "Table 3", "sample"])
    run("site", "data=sample", "out=site", *resampling)
    for name in ("index.html", "static/site.css", "static/site.js"):
        require((work / "site" / name).is_file(), f"the site lacks {name}")

    run("build", "data=sample", "partition=[reify,arg]", expected=["reify", "arg"])
    built = Path(installed.variables["HOME"]) / ".local/share/bamboo-amr/built/sample"
    if sys.platform == "linux":
        require((built / "reify").is_dir(), f"build did not write to {built}")
    run("run", "data=sample", "partition=reify", "partition_source=built", expected=["(built)"])
    extra = ["pywsd 1.2.5", "pip install '.[syno]'"]
    installed.refused("build", "data=sample", "partition=syno", expected=extra)

    vectors = "vectors.file=vectors.txt"
    train = ("train", "metric=s2match", "data=sample", "trainer=few", "--config-dir=conf", vectors)
    run(*train, "out=trained", expected=["tau"])
    for name in ("weights.json", "history.csv"):
        require((work / "trained" / name).is_file(), f"train did not write {name}")


def check_help(installed):
    """The version, the list of commands, and the help of each."""
    version = installed.bamboo("--version").splitlines()[0].removeprefix("bamboo ")
    metadata = "import importlib.metadata as m; print(m.version('bamboo-amr'))"
    require(installed.run("python", "-c", metadata).strip() == version, f"version {version}")
    overview = installed.bamboo("help")
    commands = [line.split()[0] for line in overview.splitlines() if line.startswith("  ")]
    require(len(commands) >= 10, f"only {commands} in\n{overview}")
    docs = Path(overview.split(" are in ")[1].strip())
    require((docs / "comparable.md").is_file(), f"no documentation in {docs}")
    for command in commands:
        installed.bamboo(command, "--help", expected=[f"bamboo {command}"])
    listed = installed.bamboo("list", "metrics", expected=["smatch", "wwlk_theta"])
    require("python -m" not in listed, listed)
    installed.bamboo(
        "help", "metric", "wwlk", expected=["metric.wwlk.K=2", "number of WL iterations"]
    )


def write_files(work):
    """Graphs, ratings, word vectors and configurations; gives two options."""
    for name, graphs in (("src", OTHERS), ("tgt", GRAPHS)):
        (work / f"{name}.amr").write_text("\n\n".join(graphs) + "\n", "utf-8")
    words = [part for graph in (*GRAPHS, *OTHERS) for part in graph.split() if part.isalpha()]
    numbers = itertools.cycle([1.0, 0.5, -0.25, 0.125, -1.0, 2.0, 0.75])
    vectors = [
        " ".join([word, *(str(next(numbers)) for _ in range(100))])
        for word in dict.fromkeys([*words, "cat", "dog", "boy", "girl", "person", "sleep", "want"])
    ]
    (work / "vectors.txt").write_text("\n".join(vectors) + "\n", "utf-8")
    configurations = {
        "trainer/few.yaml": {"name": "few", "axes": {"tau": [0.0, 0.9], "tau_sense": [1.0]}},
    }
    for name, content in configurations.items():
        path = work / "conf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), "utf-8")  # JSON is YAML
    return "src=src.amr", "tgt=tgt.amr"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
