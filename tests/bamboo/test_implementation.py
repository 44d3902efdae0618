"""A cached score belongs to the code that computed it: whatever changes, the scores are new."""

import importlib
import os
import shutil
import sys

import numpy as np
import pytest
from harness import PLUGINS

import amr_metrics
from amr_metrics.building import build_metric
from amr_metrics.vectors import VectorSource
from bamboo import implementation
from bamboo.errors import BambooError
from bamboo.implementation import code_digests
from bamboo.results import cache

USERS = ("mine", "helper", "near", "far", "pack", "harness_plugins")  # modules of the tests
SIZE = "def score(a, b):\n    return float(len(a.concepts))\n"
TRIPLES = "def score(a, b):\n    return float(len(a.concepts) ** 3)\n"

PROGRAM = """
import sys
text = open(sys.argv[1]).read()
for graph in text.strip().split("\\n\\n"):
    print(graph.count("/"))
"""


@pytest.fixture
def folder(home, monkeypatch):
    """A folder of modules, which are imported anew by each `digest`, as in a new process.

    No bytecode is written, since Python takes it for that of a module that was changed within a
    second and has the same size.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = home / "modules"
    path.mkdir()
    monkeypatch.syspath_prepend(str(path))
    yield path
    forget()


def forget():
    for name in [name for name in sys.modules if name.partition(".")[0] in USERS]:
        del sys.modules[name]
    importlib.invalidate_caches()


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def digest(target, **options):
    """The digest of a metric in a new process."""
    forget()
    return implementation.implementation(build_metric("mine", {"_target_": target, **options}))


def of_function():
    return digest("amr_metrics.external.FunctionMetric", function="mine.score")


def of_command(*words):
    command = " ".join([*(f"'{word}'" for word in words), "{src}", "{tgt}"])
    return digest("amr_metrics.external.CommandMetric", command=command)


def test_a_change_is_scored_anew(cli, user, tiny, monkeypatch):
    """A change gives another value, which is computed and is the one without the cache."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    forget()  # a module `mine` of another test
    target = {"_target_": "amr_metrics.external.FunctionMetric", "function": "mine.score"}
    user.yaml("metric/mine.yaml", target)

    def run(*more):
        arguments = ("run", "metric=mine", "data=tiny", "report=json", user.option, *more)
        document = cli(*arguments).json
        (cell,) = document["rows"][0]["cells"]
        assert cell["cached"] == bool(document["cache"]["from_cache"])
        return cell["value"], document["cache"]["from_cache"]

    write(user.path, {"mine.py": SIZE})
    first = run()[0]
    write(user.path, {"mine.py": TRIPLES})
    assert run() == (first, 1)  # in one process, an edited module is not imported again
    assert run("cache=off") == (first, 0)
    forget()
    second, cached = run()
    assert (second != first, cached) == (True, 0)
    assert run() == (second, 1)
    forget()


class TestCode:
    def test_the_body_of_a_function(self, folder):
        write(folder, {"mine.py": SIZE})
        first = of_function()
        assert of_function() == first
        write(folder, {"mine.py": TRIPLES})
        assert of_function() != first

    def test_the_body_of_a_class(self, folder):
        write(folder, {"harness_plugins.py": PLUGINS})
        first = digest("harness_plugins.Size")
        assert digest("harness_plugins.Size") == first
        write(folder, {"harness_plugins.py": PLUGINS.replace("self.factor *", "2 *")})
        assert digest("harness_plugins.Size") != first

    def test_the_modules_of_the_folder_and_its_packages_and_no_other_file(self, folder):
        write(folder, {"mine.py": SIZE, "helper.py": "", "pack/deep/helper.py": ""})
        write(folder, {"pack/__init__.py": ""})
        first = of_function()
        write(folder, dict.fromkeys(("notes.txt", "data/deep/other.py"), "import mine\n"))
        assert of_function() == first
        digests = [first]
        for name in ("helper.py", "pack/deep/helper.py", "other.py"):
            write(folder, {name: "import mine\n"})
            digests.append(of_function())
        assert len({*digests}) == 4

    def test_installed_packages_are_identified_by_their_version(self):
        digests = code_digests(
            ["numpy.random", "yaml", "json", "bamboo.scoring", "no_such_module.x"]
        )
        assert digests["numpy"] == f"numpy {np.__version__}"
        assert digests["yaml"].startswith("PyYAML ")
        assert set(digests) == {"numpy", "yaml"}

    def test_the_folder_of_a_package_is_that_which_contains_it(self, folder):
        write(
            folder, {f"pack/{name}.py": "" for name in ("__init__", "deep/__init__", "deep/mine")}
        )
        digests = [code_digests(["pack.deep.mine.score"])]
        for name in ("pack/helper.py", "beside.py"):
            write(folder, {name: ""})
            digests.append(code_digests(["pack.deep.mine.score"]))
        assert len({by_module["pack"] for by_module in digests}) == 3


class TestPrograms:
    def test_a_script_and_a_module_next_to_it(self, folder):
        path = folder / "scripts/count.py"
        digests = []
        for name, text in (("count", ""), ("count", "import beside\n"), ("beside", "power = 1\n")):
            write(folder, {f"scripts/{name}.py": text})
            digests.append(of_command(sys.executable, path))
            assert of_command(sys.executable, path) == digests[-1]
        assert len({*digests}) == 3

    def test_a_module_that_python_runs(self, folder, monkeypatch):
        monkeypatch.chdir(folder)
        write(folder, {"tool/__main__.py": "from tool import count\n", "tool/count.py": "a = 1\n"})
        first = of_command(sys.executable, "-m", "tool")
        write(folder, {"tool/count.py": "a = 2\n"})
        assert of_command(sys.executable, "-m", "tool") != first

    def test_a_file_that_an_argument_names(self, folder):
        write(folder, {"model.txt": "1"})
        words = (sys.executable, "-c", "pass", f"--model={folder / 'model.txt'}")
        first = of_command(*words)
        write(folder, {"model.txt": "3"})
        assert of_command(*words) != first

    def test_a_program_found_through_path(self, folder, monkeypatch):
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        digests = []
        for text in ("1", "2"):
            write(folder, {"my-count": f"#!{sys.executable}\nprint({text})\n"})
            (folder / "my-count").chmod(0o755)
            digests.append(of_command("my-count"))
        assert digests[0] != digests[1]

    def test_a_program_that_changes_while_it_runs(self, refused, user, tiny, home):
        path = user.path / "scripts" / "count.py"
        write(user.path, {"scripts/count.py": f"open({str(path)!r}, 'a').write('#')\n" + PROGRAM})
        target = {"_target_": "amr_metrics.external.CommandMetric"}
        command = f"'{sys.executable}' '{path}' {{src}} {{tgt}}"
        user.yaml("metric/mine.yaml", target | {"command": command})
        error = refused("run", "metric=mine", "data=tiny", user.option)
        assert "was changed while tiny main test was being scored: run again" in error
        assert not (home / "runs/cache").exists()


def test_the_projects_code_and_the_users_optimiser(home, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(home))
    metric = amr_metrics.Smatch()
    trainer = {"optimiser": {"_target_": "my_optimiser.Mine"}}
    (home / "my_optimiser.py").write_text("a = 1\n")
    digests = [
        implementation.implementation(metric),
        implementation.implementation(metric, trainer),
    ]
    (home / "my_optimiser.py").write_text("a = 2\n")
    digests.append(implementation.implementation(metric, trainer))
    copy = tmp_path / "amr_metrics"
    shutil.copytree(implementation.LIBRARY, copy)
    monkeypatch.setattr(implementation, "SCORING", (copy, *implementation.SCORING[1:]))
    assert implementation.implementation(metric) == digests[0]
    for name in ("alignment/exact.py", "tables/reify_rules.tsv"):
        with (copy / name).open("a") as lines:
            lines.write("\n")
        implementation.source_digest.cache_clear()
        digests.append(implementation.implementation(metric))
    assert len({*digests}) == 5


def test_the_digest_covers_sources_in_c_and_no_built_library(tmp_path):
    (tmp_path / "kernels.c").write_text("int a;\n")
    digests = []
    for name in ("kernels.linux-x86_64-64.0.0.so", "kernels.h"):
        digests.append(implementation.source_digest(tmp_path))
        (tmp_path / name).write_text("built")
        implementation.source_digest.cache_clear()
    digests.append(implementation.source_digest(tmp_path))
    assert digests[0] == digests[1] != digests[2]


CODE = (*implementation.SCORING, *implementation.TRAINING)


@pytest.mark.parametrize("entry", CODE, ids=lambda path: path.name)
def test_an_edit_of_any_code_that_scores_changes_the_digest(entry, tmp_path, monkeypatch):
    metric, trainer = amr_metrics.Smatch(), {"seed": 1}
    before = implementation.implementation(metric, trainer)
    copy = tmp_path / entry.name
    (shutil.copytree if entry.is_dir() else shutil.copy)(entry, copy)
    for name in ("SCORING", "TRAINING"):
        paths = [copy if path == entry else path for path in getattr(implementation, name)]
        monkeypatch.setattr(implementation, name, tuple(paths))
    assert implementation.implementation(metric, trainer) == before
    file = min(copy.rglob("*.py")) if copy.is_dir() else copy
    file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    implementation.source_digest.cache_clear()
    assert implementation.implementation(metric, trainer) != before
    copy.rename(tmp_path / "moved")
    implementation.source_digest.cache_clear()
    with pytest.raises(BambooError, match=f"{entry.name} is missing"):
        implementation.implementation(metric, trainer)


def write_vectors(path, seed):
    rng = np.random.default_rng(seed)
    words = ("thing", "boy", "girl", "dog")
    rows = (" ".join([word, *(f"{x:+.4f}" for x in rng.normal(size=3))]) for word in words)
    path.write_text("\n".join(rows) + "\n")


def test_vectors_of_the_same_name_size_and_time(home, monkeypatch):
    """The digest is that of the content, also in a process that knows the file from before."""
    path = home / "vectors.txt"
    source = VectorSource(file=path, dimension=3, cache=home / "cache")
    write_vectors(path, 0)
    before, first = path.stat(), source.digest
    write_vectors(path, 1)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert source.digest != first


def test_entries_of_an_older_cache_are_computed_again(user, tiny, home, monkeypatch):
    def cached():
        return user.run("size").to_json()["cache"]["from_cache"]

    with monkeypatch.context() as patch:
        patch.setattr(cache, "SCHEMA", cache.SCHEMA - 1)
        assert [cached(), cached()] == [0, 1]
    (entry,) = (home / "runs/cache").rglob("*.npz")
    entry.write_bytes(b"an older form")
    assert [cached(), cached()] == [0, 1]
