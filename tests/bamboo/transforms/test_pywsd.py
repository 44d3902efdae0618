"""The real solvers, where pywsd and its data are installed."""

import extras  # noqa: F401  (NLTK's data among the released data)
import numpy as np
import pytest

from amr_metrics import read_graphs
from bamboo.engines import SERIAL
from bamboo.errors import BuildError
from bamboo.transforms import four_solvers
from bamboo.transforms.build_partitions import MainSplit, build_partitions
from bamboo.transforms.four_solvers import Question, decide
from bamboo.transforms.layout import concepts, read_layouts
from bamboo.transforms.synonym import FRAME, synonyms

pytestmark = pytest.mark.filterwarnings("default")

NODES = 5_000


@pytest.fixture(scope="module")
def solvers():
    try:
        four_solvers.versions()
    except BuildError as error:
        pytest.skip(str(error))
    return four_solvers.load()


def test_concepts_of_one_sense_are_replaced(solvers, tmp_path):
    # WordNet has {lawyer, attorney} and {ax, axe}; lawyer and axe are the only other lemmas.
    text = "# ::snt The attorney sold the ax.\n(s / sell-01 :ARG0 (a / attorney) :ARG1 (x / ax))\n"
    for side in ("src", "tgt"):
        (tmp_path / f"{side}.amr").write_text(text)
    split = MainSplit(tmp_path / "src.amr", tmp_path / "tgt.amr", [0], [1.0])
    (manifest,) = build_partitions(["syno"], "own", {"test": split}, tmp_path)
    assert manifest["versions"]["pywsd"] == "1.2.5"
    for side in ("src", "tgt"):
        (graph,) = read_graphs(tmp_path / "syno" / f"{side}.test.amr")
        assert graph.concepts == ("sell-01", "lawyer", "axe")


@pytest.mark.slow
def test_the_solvers_are_pywsds_own(solvers):
    from pywsd.lesk import adapted_lesk, cosine_lesk, simple_lesk
    from pywsd.similarity import max_similarity

    sentences = (
        "The bank raised its interest rates on Monday.",
        "A young child is feeding a mouse to the snake near the bank of the river.",
        "The company's officers denied the charges in court, a spokesman said.",
    )
    agreed = 0
    for sentence in sentences:
        for concept in ("bank", "child", "mouse", "officer", "court", "attorney", "ax", "car"):
            question = Question(sentence, concept)
            senses = [
                solver(sentence, concept, pos="n")
                for solver in (adapted_lesk, simple_lesk, cosine_lesk, max_similarity)
            ]
            assert solvers.max_similarity(question) == senses[-1]
            others = solvers._other_lemmas(senses[0], concept)
            expected = others if all(sense == senses[0] for sense in senses) else ()
            assert solvers.synonyms(question) == expected
            agreed += bool(expected)
    assert agreed >= 2 * len(sentences)  # attorney and ax have one sense each


def population(root):
    """(sentence, concept, whether it was replaced, by which lemma) of all nodes but frames."""
    for main in sorted(root.glob("*/main/*.amr")):
        syno = main.parents[1] / "syno" / main.name
        for old, new in zip(read_layouts(main), read_layouts(syno), strict=True):
            now = {source: target for source, _, target in new.instances()}
            before = {node for _, node, _ in concepts(old)}
            if not before <= set(now):
                continue  # another parse of the sentence
            added = {s: t for s, role, t in new.edges() if role == ":mod" and t not in before}
            for _, node, concept in concepts(old):
                if FRAME.fullmatch(concept):
                    continue
                words, at = [now[node]], node
                while at in added:
                    at = added[at]
                    words.insert(0, now[at])
                replaced = words != [concept]
                yield old.metadata["snt"], concept, replaced, "_".join(words)


def agreement(sample, lemmas_of):
    """Precision and recall of the decision to replace, and how many lemmas are within ours."""
    hits = ours = theirs = within = 0
    for sentence, concept, replaced, lemma in sample:
        lemmas = lemmas_of(sentence, concept)
        ours += bool(lemmas)
        theirs += replaced
        hits += bool(lemmas) and replaced
        within += lemma in lemmas and replaced
    return hits / ours, hits / theirs, within / hits


@pytest.mark.slow
def test_agreement_with_the_release(solvers, shared):
    nodes = list(population(shared / "bamboo-amr-benchmark"))
    assert len(nodes) == pytest.approx(268_000, rel=0.001)
    drawn = np.random.default_rng(0).choice(len(nodes), size=NODES, replace=False)
    sample = [nodes[k] for k in sorted(drawn)]
    senses = decide(
        [Question(node[0], node[1]) for node in sample], SERIAL, lambda what, total: None
    )
    table = synonyms()

    def alone(sentence, concept):
        return senses[Question(sentence, concept)]

    def with_the_table(sentence, concept):
        if concept in table.never:
            return ()
        return table.always.get(concept) or alone(sentence, concept)

    precision, recall, within = agreement(sample, alone)
    print(f"solvers alone: precision {precision:.3f} recall {recall:.3f} lemmas {within:.3f}")
    assert recall >= 0.50
    precision, recall, within = agreement(sample, with_the_table)
    print(f"with the table: precision {precision:.3f} recall {recall:.3f} lemmas {within:.3f}")
    assert precision >= 0.65
    assert recall >= 0.50
    assert within >= 0.99
