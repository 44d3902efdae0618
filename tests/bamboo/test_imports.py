"""What short commands import, so that they start quickly."""

import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from amr_metrics import format_graphs, parse_graph

# Packages of the project that neither `score` with Smatch nor `run` needs, or one of them.
UNUSED = {
    *("amr_metrics.aspects", "amr_metrics.blend", "amr_metrics.camr", "amr_metrics.documents"),
    *("amr_metrics.features", "amr_metrics.tables", "amr_metrics.text", "amr_metrics.transport"),
    *("amr_metrics.validity", "amr_metrics.vectors", "bamboo.conformance", "bamboo.explanation"),
    *("bamboo.pages", "bamboo.published_tables", "bamboo.site_pages", "bamboo.smatch"),
    *("bamboo.training", "bamboo.transforms", "bamboo.parsers.report"),
}
UNUSED_BY_SCORE = {"bamboo.benchmark", "bamboo.results", "bamboo.app.hydra_apps"}
UNUSED_BY_RUN = {"bamboo.parsers"}
# Other packages, and modules of the standard library and of NumPy that are slow to import.
SLOW = {
    *("antlr4", "cloudpickle", "hydra", "jinja2", "joblib", "omegaconf", "pandas", "penman"),
    *("platformdirs", "pooch", "rich", "scipy", "numpy.ma", "numpy.random", "numpy.typing"),
    *("argparse", "asyncio", "concurrent.futures.thread", "decimal", "difflib", "email", "html"),
    *("http", "importlib.metadata", "importlib.resources", "random", "secrets", "shutil", "ssl"),
    *("statistics", "subprocess", "sysconfig", "tempfile", "uuid", "xml", "zipfile"),
}
# A run from the cache is composed by Hydra, writes folders and the versions of packages, and runs
# git.
NEEDED_BY_RUN = {
    *("email", "importlib.metadata", "importlib.resources", "platformdirs", "random", "shutil"),
    *("subprocess", "tempfile", "zipfile"),
    *("antlr4", "argparse", "decimal", "hydra", "omegaconf", "uuid"),
}
COMMAND = """
import sys
from bamboo.__main__ import main
sys.argv = ["bamboo", *sys.argv[1:]]
assert main() == 0
print("imported", *sys.modules, file=sys.stderr)
"""


def names(table):
    """The names of modules in a table by package."""
    return {f"{package}.{name}" for package, listed in table.items() for name in listed.split()}


def imported(code, *arguments):
    """The names of the modules that a program has imported at its end."""
    words = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].removeprefix("imported ").split())


def of_the_project(modules):
    return {name for name in modules if name.partition(".")[0] in ("amr_metrics", "bamboo")}


def check(modules, unused, slow, number):
    """Check the number of the project's modules, and that none is unused or slow to import."""
    used = {name for name in modules for package in unused if f"{name}.".startswith(f"{package}.")}
    assert used == set()
    assert len(of_the_project(modules)) <= number
    assert modules & slow == set()


def test_score_of_two_files(home):
    for name in ("src.amr", "tgt.amr"):
        (home / name).write_text(format_graphs([parse_graph("(s / see-01 :ARG0-of (c / cat))")]))
    modules = imported(COMMAND, "score", "src.amr", "tgt.amr")
    check(modules, UNUSED | UNUSED_BY_SCORE, SLOW, 135)


def test_run_from_the_cache(home):
    words = "run", "metric=smatch", "data=sample", "limit=3"
    computed = imported(COMMAND, *words)  # in one process
    assert computed & {"dask", "distributed", "joblib"} == set()
    modules = imported(COMMAND, *words)
    check(modules, UNUSED | UNUSED_BY_RUN, SLOW - NEEDED_BY_RUN, 150)


def test_compare_imports_no_pandas(home):
    few = ("limit=12", "resamples=20", "permutations=99")
    modules = imported(COMMAND, "compare", "metric=[smatch,sema]", "data=sample", *few)
    assert modules & {"pandas", "penman", "rich"} == set()


@pytest.mark.parametrize(
    ("package", "allowed"),
    [("bamboo", {"bamboo"}), ("amr_metrics", {"amr_metrics", "amr_metrics.version"})],
)
def test_packages_import_nothing(package, allowed):
    modules = imported(f"import sys, {package}; print('imported', *sys.modules)")
    assert of_the_project(modules) == allowed
    assert modules & {*SLOW, "numpy"} == set()


def test_smatch_imports_what_it_uses():
    modules = imported("import sys, bamboo.smatch; print('imported', *sys.modules)")
    assert {name for name in of_the_project(modules) if name.startswith("bamboo")} == {
        *("bamboo", "bamboo.errors", "bamboo.smatch", "bamboo.smatch.amr"),
        "bamboo.smatch.matching",
    }
    assert modules & SLOW == set()


# Modules with the data of results, and modules of `bamboo.parsers` and `bamboo` that write them.
DATA = {
    "bamboo": "board",
    "bamboo.parsers": "agreement_data analysis removals repairs report_data",
    "bamboo.scoring": "extracted mistake_rows repaired scored validity",
}
WRITERS = {
    "bamboo": "app pages",
    "bamboo.parsers": "agreement_result analyses exports layout left_out "
    "pair_tables paper report result tables verdict",
}


@pytest.fixture(scope="module")
def imports():
    """The modules that each module imports, also within functions."""
    grimp = pytest.importorskip("grimp", reason="needs grimp, which import-linter installs")
    return grimp.build_graph("bamboo", exclude_type_checking_imports=True, cache_dir=None)


def test_modules_do_not_import_one_another(imports):
    modules = {name: imports.find_modules_directly_imported_by(name) for name in imports.modules}
    assert modules["bamboo.parsers.result"] >= {"bamboo.parsers.report_data"}
    TopologicalSorter(modules).prepare()  # raises CycleError


def test_modules_with_results_import_none_that_writes_them(imports):
    for module in names(DATA):
        needed = {module, *imports.find_upstream_modules(module)}
        for writer in names(WRITERS):
            inside = {name for name in needed if f"{name}.".startswith(f"{writer}.")}
            assert not inside, f"{module} imports {inside}"
