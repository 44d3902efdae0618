"""What short commands import, so that they start quickly."""

import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from amr_metrics import format_graphs, parse_graph

BOTH = {
    "": "amr_metrics bamboo",
    "amr_metrics": "alignment base building configurations errors graphs kernels limits options "
    "parameters reading standardize types utils version",
    "amr_metrics.alignment": "exact facts large matches problem smatch solver "
    "triple_match workspace",
    "amr_metrics.graphs": "comments corpus encoding folding graph notation numbering pairs "
    "reification rows selection triples",
    "amr_metrics.kernels": "build library",
    "amr_metrics.reading": "decoding formats labels read scanner scanner_kernels writing",
    "amr_metrics.standardize": "metric standardizer steps",
    "amr_metrics.utils": "arrays decoding digests extras f1 files functions html_text text "
    "user_code",
    "bamboo": "__main__ api app board config display engines errors files installation log "
    "progress scoring statistics ties user_code",
    "bamboo.api": "call",
    "bamboo.app": "commands main show words",
    "bamboo.config": "groups options paths reference requests rows",
    "bamboo.display": "csv_rows table",
    "bamboo.scoring": "answers checks chunks extracted field_paths file_pairs id_matches inputs "
    "labels mistake_rows notation pipeline problems repaired row_answers rows scored sides",
    "bamboo.statistics": "corpus families resampling sums",
}
SCORE = {
    "amr_metrics.utils": "citations",
    "bamboo": "parsers",
    "bamboo.api": "score",
    "bamboo.display": "points shown",
    "bamboo.parsers": "analyses analysis gate layout left_out names pair_tables paper removals "
    "repairs report_data result score signatures systems tables",
    "bamboo.parsers.analyses": "aspects",
    "bamboo.scoring": "per_pair",
}
RUN = {
    "amr_metrics": "external",
    "bamboo": "benchmark board folders implementation results",
    "bamboo.api": "data run setup",
    "bamboo.app": "composition hydra_apps jobs",
    "bamboo.benchmark": "cells columns datasets download pair_tables partition protocols "
    "published sentences",
    "bamboo.results": "cache cell_facts clusters comparison_table evaluate pair_scores "
    "pair_texts provenance record result_table results run_folder score_cells score_file",
    "bamboo.statistics": "bootstrap leave_out ranking ratings sample",
}
# Other packages, and modules of the standard library and of NumPy that are slow to import.
SLOW = {
    *(
        "antlr4",
        "cloudpickle",
        "hydra",
        "jinja2",
        "joblib",
        "omegaconf",
        "pandas",
        "penman",
        "platformdirs",
        "pooch",
        "rich",
    ),
    *("scipy", "numpy.ma", "numpy.random", "numpy.typing"),
    *(
        "argparse",
        "asyncio",
        "concurrent.futures.thread",
        "decimal",
        "difflib",
        "email",
        "html",
        "http",
    ),
    *("importlib.metadata", "importlib.resources", "random", "secrets", "shutil", "ssl"),
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
from graphlib import TopologicalSorter
from bamboo.__main__ import main
sys.argv = ["bamboo", *sys.argv[1:]]
assert main() == 0
print("imported", *sys.modules, file=sys.stderr)
"""


def names(*tables):
    """The names of modules in tables by package."""
    return {
        f"{package}.{name}".lstrip(".")
        for table in tables
        for package, listed in table.items()
        for name in listed.split()
    }


def imported(code, *arguments):
    """The names of the modules that a program has imported at its end."""
    words = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].removeprefix("imported ").split())


def of_the_project(modules):
    return {name for name in modules if name.partition(".")[0] in ("amr_metrics", "bamboo")}


def check(modules, allowed, slow, number):
    """Check the names and the number of the project's modules, and that none is slow to import."""
    assert of_the_project(modules) - allowed == set()
    assert len(of_the_project(modules)) <= number
    assert modules & slow == set()


def test_score_of_two_files(home):
    for name in ("src.amr", "tgt.amr"):
        (home / name).write_text(format_graphs([parse_graph("(s / see-01 :ARG0-of (c / cat))")]))
    modules = imported(COMMAND, "score", "src.amr", "tgt.amr")
    check(modules, names(BOTH, SCORE), SLOW, 133)


def test_run_from_the_cache(home):
    words = "run", "metric=smatch", "data=sample"
    imported(COMMAND, *words)
    modules = imported(COMMAND, *words)
    check(modules, names(BOTH, RUN), SLOW - NEEDED_BY_RUN, 149)


def test_compare_imports_no_pandas(home):
    words = (
        "metric=[smatch,sema]",
        "data=sample",
        "partition=main",
        "resamples=100",
        "permutations=100",
    )
    modules = imported(COMMAND, "compare", *words)
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
