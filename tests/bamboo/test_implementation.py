"""A cached score belongs to the code that computed it: whatever changes, the scores are new."""

import importlib
import os
import shutil
import sys
from collections.abc import Callable

import numpy as np
import pytest

import amr_metrics
from amr_metrics.vectors import VectorSource
from bamboo import implementation
from bamboo.implementation import code_digests
from bamboo.scoring import cache

Score = Callable[..., tuple[float, int]]

USERS = ("mine", "helper", "near", "far", "pack", "harness_plugins")  # modules of the tests
SIZE = "def score(a, b):\n    return float(len(a.concepts))\n"
TRIPLES = "def score(a, b):\n    return float(len(a.concepts) ** 3)\n"

PROGRAM = """
import sys
text = open(sys.argv[1]).read()
for graph in text.strip().split("\\n\\n"):
    print(graph.count("/") {change})
"""


@pytest.fixture
def score(cli, user, tiny, monkeypatch):
    """``run metric=mine data=tiny`` as a process of its own: the value, and the cells from cache.

    The user's modules are imported anew, as in a new process. No bytecode is written, since Python
    takes it for that of a module that was changed within a second and has the same size.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    def forget():
        for name in [name for name in sys.modules if name.partition(".")[0] in USERS]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def run(*more):
        forget()
        arguments = ("run", "metric=mine", "data=tiny", "report=json", user.option, *more)
        outcome = cli(*arguments)
        assert outcome.status == 0, outcome.err
        (cell,) = outcome.json["rows"][0]["cells"]
        assert cell["cached"] == bool(outcome.json["cache"]["from_cache"])
        return cell["value"], outcome.json["cache"]["from_cache"]

    yield run
    forget()


def function(user, source, name="mine"):
    """``metric=mine`` as the function ``score`` of a module of the user's."""
    target = {"_target_": "amr_metrics.external.FunctionMetric", "function": f"{name}.score"}
    user.yaml("metric/mine.yaml", target)
    path = user.path / f"{name}.py"
    path.write_text(source)
    return path


def changes(score, change):
    """A change gives another value, which is computed and is the one without the cache."""
    first, cached = score()
    assert cached == 0
    assert score() == (first, 1)
    change()
    second, cached = score()
    assert cached == 0
    assert second != first
    assert score("cache=off") == (second, 0)
    assert score() == (second, 1)


class TestCode:
    def test_the_body_of_a_function(self, score, user):
        path = function(user, SIZE)
        changes(score, lambda: path.write_text(TRIPLES))

    def test_the_body_of_a_class(self, score, user):
        user.metric("mine", "Size")
        path = user.path / "harness_plugins.py"
        source = path.read_text()
        changed = source.replace("len(pair.src.variables) for", "len(pair.src.variables) ** 3 for")
        assert changed != source
        changes(score, lambda: path.write_text(changed))

    @pytest.mark.parametrize(
        ("statement", "file"),
        [
            ("import importlib\nh = importlib.import_module('helper')", "helper.py"),
            ("from pack import relative as h", "pack/deep/helper.py"),
        ],
    )
    def test_a_module_that_it_imports(self, score, user, statement, file):
        helper = "def power(n):\n    return float(n{})\n"
        (user.path / "pack/deep").mkdir(parents=True)
        (user.path / "pack/__init__.py").write_text("")
        (user.path / "pack/relative.py").write_text("from .deep.helper import power\n")
        (user.path / file).write_text(helper.format(""))
        function(user, f"{statement}\n\ndef score(a, b):\n    return h.power(len(a.concepts))\n")
        changes(score, lambda: (user.path / file).write_text(helper.format(" ** 3")))

    def test_the_modules_of_the_folder_count_and_no_other_file(self, score, user):
        function(user, SIZE)
        first = score()[0]
        (user.path / "data/deep").mkdir(parents=True)
        for name in ("notes.txt", "data/notes.txt", "data/deep/other.py"):
            (user.path / name).write_text("import mine\n")
        assert score() == (first, 1)
        (user.path / "other.py").write_text("import mine\n")
        assert score() == (first, 0)

    def test_installed_packages_are_identified_by_their_version(self):
        found = code_digests(["numpy.random", "yaml", "json", "bamboo.train", "no_such_module.x"])
        assert found["numpy"] == f"numpy {np.__version__}"
        assert found["yaml"].startswith("PyYAML ")
        assert set(found) == {"numpy", "yaml"}

    def test_the_folder_of_a_package_is_that_which_contains_it(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / "pack/deep").mkdir(parents=True)
        for name in ("pack/__init__.py", "pack/deep/__init__.py", "pack/deep/mine.py"):
            (tmp_path / name).write_text("")
        found = [code_digests(["pack.deep.mine.score"])]
        for name in ("pack/helper.py", "beside.py"):
            (tmp_path / name).write_text("")
            found.append(code_digests(["pack.deep.mine.score"]))
        assert len({digests["pack"] for digests in found}) == 3

    def test_loaded_code_is_identified_by_its_content_when_loaded(self, cli, user, tiny):
        """In one process an edited module is not imported again, so its scores are the old ones."""
        path = function(user, SIZE)
        arguments = ("run", "metric=mine", "data=tiny", "report=json", user.option)
        first = cli(*arguments)
        path.write_text(TRIPLES)
        assert cli(*arguments).json["cache"]["from_cache"] == 1
        assert (
            cli(*arguments, "cache=off").result["rows"][0]["cells"][0]["value"]
            == (first.json["rows"][0]["cells"][0]["value"])
        )
        del sys.modules["mine"]


class TestPrograms:
    @pytest.fixture
    def program(self, user):
        """``metric=mine`` runs this script of the user's."""
        path = user.path / "scripts" / "count.py"
        path.parent.mkdir()
        path.write_text(PROGRAM.format(change=""))
        self.command(user, f"'{sys.executable}' '{path}' {{src}} {{tgt}}")
        return path

    def command(self, user, command):
        target = {"_target_": "amr_metrics.external.CommandMetric", "command": command}
        user.yaml("metric/mine.yaml", target)

    def test_a_module_next_to_a_script(self, score, program):
        (program.parent / "beside.py").write_text("power = 1\n")
        program.write_text("import beside\n" + PROGRAM.format(change="** beside.power"))
        changes(score, lambda: (program.parent / "beside.py").write_text("power = 3\n"))

    def test_a_module_that_python_runs(self, score, user, home):
        (home / "tool").mkdir()
        (home / "tool/__main__.py").write_text("from tool import count\n")
        (home / "tool/count.py").write_text(PROGRAM.format(change=""))
        self.command(user, f"'{sys.executable}' -m tool {{src}} {{tgt}}")
        cubed = PROGRAM.format(change="** 3")
        changes(score, lambda: (home / "tool/count.py").write_text(cubed))

    def test_a_file_that_an_argument_names(self, score, user, program):
        model = user.path / "model.txt"
        model.write_text("1")
        program.write_text(PROGRAM.format(change="** int(open(sys.argv[3][8:]).read())"))
        command = f"'{sys.executable}' '{program}' {{src}} {{tgt}} '--model={model}'"
        self.command(user, command)
        changes(score, lambda: model.write_text("3"))

    def test_a_program_found_through_path(self, score, user, monkeypatch):
        folder = user.path / "bin"
        folder.mkdir()
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

        def write(change):
            source = f"#!{sys.executable}\n{PROGRAM.format(change=change)}"
            (folder / "my-count").write_text(source)
            (folder / "my-count").chmod(0o755)

        write("")
        self.command(user, "my-count {src} {tgt}")
        changes(score, lambda: write("** 3"))

    def test_a_program_that_changes_while_it_runs(self, refused, user, tiny, program, home):
        program.write_text(f"open({str(program)!r}, 'a').write('#')\n" + PROGRAM.format(change=""))
        error = refused("run", "metric=mine", "data=tiny", user.option)
        assert "was changed while tiny main test was being scored: run again" in error
        assert not (home / "runs/cache").exists()


def test_the_projects_code_and_the_users_optimiser(home, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(home))
    metric = amr_metrics.Smatch()
    trainer = {"optimiser": {"_target_": "my_optimiser.Mine"}}
    (home / "my_optimiser.py").write_text("a = 1\n")
    found = [implementation.implementation(metric), implementation.implementation(metric, trainer)]
    (home / "my_optimiser.py").write_text("a = 2\n")
    found.append(implementation.implementation(metric, trainer))
    copy = tmp_path / "amr_metrics"
    shutil.copytree(implementation.LIBRARY, copy)
    monkeypatch.setattr(implementation, "SCORING", (copy, *implementation.SCORING[1:]))
    assert implementation.implementation(metric) == found[0]
    for name in ("alignment/exact.py", "tables/reify_rules.tsv"):
        with (copy / name).open("a") as lines:
            lines.write("\n")
        implementation.source_digest.cache_clear()
        found.append(implementation.implementation(metric))
    assert len({*found}) == 5


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


def test_entries_of_an_older_cache_are_computed_again(score, user, home, monkeypatch):
    function(user, SIZE)
    with monkeypatch.context() as patch:
        patch.setattr(cache, "SCHEMA", cache.SCHEMA - 1)
        value, _ = score()
        assert score() == (value, 1)
    (entry,) = (home / "runs/cache").rglob("*.npz")
    entry.write_bytes(b"an older form")
    assert score() == (value, 0)
    assert score() == (value, 1)
