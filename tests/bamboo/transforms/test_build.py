"""Files of a built partition: what they hold, that they are the same again, and refusals."""

import hashlib
import json
from pathlib import Path

import pytest

import bamboo
from amr_metrics import read_graphs
from amr_metrics.errors import GraphError
from bamboo.errors import BuildError
from bamboo.transforms import four_solvers
from bamboo.transforms.build_partitions import FOLDERS, MANIFEST, MainSplit, build_partitions
from bamboo.transforms.four_solvers import Question

SAMPLE = Path(bamboo.__file__).parents[1] / "data" / "sample"
SPLITS = ("train", "dev", "test")


def build_partition(partition, *arguments, **options):
    (manifest,) = build_partitions([partition], *arguments, **options)
    return manifest


def sample(*splits):
    splits_of = {}
    for split in splits or SPLITS:
        ratings = [float(line) / 5 for line in (SAMPLE / f"{split}.y").read_text().split()]
        files = [SAMPLE / "main" / f"{side}.{split}.amr" for side in ("src", "tgt")]
        splits_of[split] = MainSplit(*files, range(len(ratings)), ratings)
    return splits_of


def write(folder, src, tgt, ratings):
    files = [folder / "src.amr", folder / "tgt.amr"]
    for path, text in zip(files, (src, tgt), strict=True):
        path.write_text(text)
    return {"test": MainSplit(*files, range(len(ratings)), ratings)}


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TestFiles:
    def test_arg_pairs_altered_and_original(self, tmp_path):
        manifest = build_partition("arg", "sample", sample("test"), tmp_path)
        src, tgt = (
            read_graphs(tmp_path / "role_confusion" / f"{side}.test.amr") for side in ("src", "tgt")
        )
        counts = manifest["splits"]["test"]
        assert len(src) == len(tgt) == counts["graphs"] == counts["pairs"]
        assert counts["src"] + counts["tgt"] == len(src) / 2
        assert counts["candidates"] == counts["skipped"] + len(src) / 2
        altered = {"src": 0, "tgt": 0}
        for name, side in (("src", src), ("tgt", tgt)):
            assert [g.metadata for g in side] == [
                {"id": str(k), "snt": "NA"} for k in range(len(side))
            ]
            altered[name] = sum(a != b for a, b in zip(side[::2], side[1::2], strict=True))
        assert altered == {"src": counts["src"], "tgt": counts["tgt"]}

    def test_arg_takes_pairs_rated_one_in_their_order(self, tmp_path):
        graphs = "\n\n".join(f"(b{k} / bite-01 :ARG0 (d / dog) :ARG1 (m / man))" for k in range(6))
        splits = write(tmp_path, graphs, graphs, [1.0, 0.9, 1.0, 0.0, 1.0])
        build_partition("arg", "own", splits, tmp_path)
        originals = read_graphs(tmp_path / "role_confusion" / "src.test.amr")[1::2]
        assert [graph.top for graph in originals] == ["b0", "b2", "b4"]

    def test_arg_counts_pairs_as_numbered(self, tmp_path):
        # A header row's graphs come first; they are no pair, whatever stands beside them.
        graphs = "\n\n".join(f"(b{k} / bite-01 :ARG0 (d / dog) :ARG1 (m / man))" for k in range(3))
        split = write(tmp_path, graphs, graphs, [1.0])["test"]
        splits = {"test": MainSplit(split.src, split.tgt, [2], [1.0])}
        build_partition("arg", "own", splits, tmp_path)
        assert read_graphs(tmp_path / "role_confusion" / "src.test.amr")[1].top == "b2"

    def test_without_eligible_pairs_the_files_are_empty(self, tmp_path):
        splits = write(tmp_path, "(a / and)", "(a / and)", [0.5])
        manifest = build_partition("arg", "own", splits, tmp_path)
        assert manifest["splits"]["test"]["pairs"] == 0
        assert (tmp_path / "role_confusion" / "src.test.amr").read_text() == ""


class TestManifest:
    def test_the_manifest_records_the_build(self, tmp_path):
        returned = build_partition("arg", "sample", sample("dev"), tmp_path, seed=7)
        manifest = json.loads((tmp_path / "role_confusion" / MANIFEST).read_text("utf-8"))
        assert manifest == returned
        assert [manifest[key] for key in ("partition", "dataset", "seed")] == ["arg", "sample", 7]
        assert set(manifest["versions"]) == {"bamboo-amr", "numpy", "penman"}
        source = SAMPLE / "main" / "src.dev.amr"
        expected = hashlib.sha256(source.read_bytes()).hexdigest()
        assert manifest["source"]["main/src.dev.amr"] == expected

    def test_operations_are_counted(self, tmp_path):
        graph = "(s / sing-01 :manner (l / loud) :time (n / now))"
        splits = write(tmp_path, graph, "(s / sing-01)", [0.5])
        counts = build_partition("reify", "own", splits, tmp_path)["splits"]["test"]
        assert counts == {"graphs": 1, "pairs": 1, "changed": 1, "operations": 2}


class TestSeeds:
    def test_another_seed_gives_another_draw(self, tmp_path):
        for seed in (0, 1):
            build_partition("arg", "sample", sample("test"), tmp_path / str(seed), seed=seed)
        name = Path("role_confusion") / "src.test.amr"
        assert (tmp_path / "0" / name).read_bytes() != (tmp_path / "1" / name).read_bytes()

    def test_a_split_does_not_depend_on_the_others(self, tmp_path):
        build_partition("arg", "sample", sample(), tmp_path / "all")
        build_partition("arg", "sample", sample("test"), tmp_path / "test")
        name = Path("role_confusion") / "tgt.test.amr"
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "test" / name).read_bytes()

    @pytest.mark.parametrize("name", ["reify", "arg"])
    def test_the_sample_is_what_seed_0_builds(self, name, tmp_path):
        build_partition(name, "sample", sample(), tmp_path, seed=0)
        assert ((tmp_path / FOLDERS[name]).stat().st_mode & 0o777) == 0o755
        built, kept = (content(root / FOLDERS[name]) for root in (tmp_path, SAMPLE))
        built.pop(MANIFEST)  # it holds the versions of packages
        assert built == kept


class TestRefusals:
    def test_an_existing_partition_is_replaced_on_request(self, tmp_path):
        build_partition("arg", "sample", sample(), tmp_path, seed=0)
        build_partition("arg", "sample", sample("dev"), tmp_path, seed=1, overwrite=True)
        assert set(content(tmp_path / "role_confusion")) == {
            "manifest.json",
            "src.dev.amr",
            "tgt.dev.amr",
        }
        assert [path.name for path in tmp_path.iterdir()] == ["role_confusion"]

    def test_only_built_folders_are_replaced(self, tmp_path):
        folder = tmp_path / "reify"
        folder.mkdir()
        (folder / "src.test.amr").write_text("(r / release-01)")
        with pytest.raises(BuildError, match="it has no manifest"):
            build_partition("reify", "sample", sample("dev"), tmp_path, overwrite=True)
        assert content(folder) == {"src.test.amr": b"(r / release-01)"}

    def test_after_a_failure_earlier_files_are_unchanged(self, tmp_path, monkeypatch):
        build_partition("arg", "sample", sample("dev"), tmp_path)
        before = content(tmp_path / "role_confusion")
        (tmp_path / "bad.amr").write_text("(a / and")
        bad = {"test": MainSplit(tmp_path / "bad.amr", tmp_path / "bad.amr", [0], [1.0])}
        with pytest.raises(GraphError, match=r"bad\.amr, graph 0, line 1"):
            build_partition("arg", "sample", bad, tmp_path, overwrite=True)
        assert content(tmp_path / "role_confusion") == before

    def test_sides_of_different_length(self, tmp_path):
        splits = write(tmp_path, "(a / and)\n\n(b / but)", "(a / and)", [1.0])
        with pytest.raises(
            BuildError, match=r"has 2 graphs but .* has 1: pair 1 has only one side"
        ):
            build_partition("reify", "own", splits, tmp_path)

    def test_disambiguation_requires_a_sentence(self, tmp_path, monkeypatch):
        monkeypatch.setattr(four_solvers, "versions", dict)
        splits = write(tmp_path, "# ::id 3\n(c / cat)", "(c / cat)", [1.0])
        with pytest.raises(BuildError, match="::id 3 has no ::snt line"):
            build_partition("syno", "own", splits, tmp_path)

    def test_a_folder_that_cannot_be_created(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(BuildError, match="cannot write to"):
            build_partition("reify", "sample", sample("dev"), tmp_path / "file")


def test_syno_disambiguates_all_splits_at_once(tmp_path, monkeypatch):
    asked = []

    def decide(questions, engine, progress):
        asked.append(list(questions))
        return dict.fromkeys(asked[-1], ("kitty",))

    monkeypatch.setattr(four_solvers, "versions", lambda: {"fake": "1"})
    monkeypatch.setattr(four_solvers, "decide", decide)
    text = "# ::tok A cat sees a cat.\n(s / see-01 :ARG0 (c / cat) :ARG1 (c2 / cat))"
    split = write(tmp_path, text, text, [1.0])["test"]
    manifest = build_partition("syno", "own", {"dev": split, "test": split}, tmp_path)
    assert asked == [[Question("A cat sees a cat.", "cat")] * 8]
    assert manifest["versions"]["fake"] == "1"
    graph = read_graphs(tmp_path / "syno" / "src.test.amr")[0]
    assert graph.concepts == ("see-01", "kitty", "kitty")


def test_an_existing_partition_stops_the_build(tmp_path):
    build_partition("arg", "sample", sample("dev"), tmp_path)
    with pytest.raises(BuildError, match="role_confusion exists already"):
        build_partitions(["reify", "arg"], "sample", sample("dev"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["role_confusion"]
