"""A site of the sample: three metrics of ours, one of them without alignments, and a submission."""

import json

import pytest

from bamboo.cli import main

TOY = '''
def concepts(a, b):
    """Share of the concepts that both graphs have. Source: Jaccard (1901), On flora."""
    return len(set(a.concepts) & set(b.concepts)) / len(set(a.concepts) | set(b.concepts))
'''
MARKUP = "<img src=x onerror=alert(1)> & co"


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    mine = folder / "mine"
    (mine / "metric").mkdir(parents=True)
    (mine / "sitetoy.py").write_text(TOY)
    (mine / "metric" / "toy.yaml").write_text(
        "_target_: metrics.external.FunctionMetric\nfunction: sitetoy.concepts\n"
    )
    (mine / "metric" / "rootless.yaml").write_text(
        "_target_: metrics.Smatch\nsolver: ${solver}\nroot: none\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BAMBOO_RUNS_DIR", str(folder / "runs"))
        submitted = folder / "submissions" / "theirs.json"
        assert (
            main(["submit", "metric=smatch", "data=sample", "partition=main", f"out={submitted}"])
            == 0
        )
        document = json.loads(submitted.read_text())
        submitted.write_text(json.dumps(document | {"name": MARKUP}))
        command = [
            "site",
            "metric=[smatch,rootless,toy]",
            "data=sample",
            "partition=main",
            "permutations=199",
        ]
        command += ["engine=serial"]
        command += [f"--config-dir={mine}", f"submissions={submitted.parent}"]
        assert main([*command, f"out={folder / 'out'}"]) == 0
    return folder / "out"


@pytest.fixture(scope="session")
def submitted_name():
    return MARKUP
