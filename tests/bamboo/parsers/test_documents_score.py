"""Documents on the command line."""

import gzip

import pytest

from tests.metrics.documents.builders import umr

DOG = "(s1d / dog)"
BARK = "(s2b / bark-01 :ARG0 (s2i / it))"
COREF = ":coref ((s1d :same-entity s2i))"
GOLD = umr((DOG,), (BARK, COREF)) + umr(("(s1r / rain-01)",))
# Coreference is missing, and the rain has become snow.
PARSE = umr((DOG,), (BARK,)) + umr(("(s1r / snow-01)",))
METRICS = "metric=[ancast,juumaetsh,doc_smatch]"
CHAIN = (
    "(d / document :snt1 (s1.b / bark-01 :coref-of (c / coref-entity)) "
    ":snt2 (s2.r / run-02 :coref-of c))"
)


@pytest.fixture
def files(tmp_path):
    """A parse and a gold file of two documents."""
    for name, text in (("parse", PARSE), ("gold", GOLD)):
        (tmp_path / f"{name}.umr").write_text(text, "utf-8")
    return [f"src={tmp_path}/parse.umr", f"tgt={tmp_path}/gold.umr"]


def test_metrics_of_documents(cli, files):
    outcome = cli("score", *files, METRICS)
    assert "gold.umr: 2 documents, 3 sentences" in outcome.err
    assert "parse.umr: no document level annotation: only sentences are compared" in outcome.err
    for name in ("ancast", "juumaetsh", "doc_smatch"):
        assert name in outcome.out


def test_a_pair_is_a_document(cli, files):
    document = cli("score", *files, "metric=juumaetsh", "report=json", "ci=true").json
    # 4 triples of 4 and 5 (the relation of the document), and 0 of 1.
    assert document["scores"] == [2 * 4 / (4 + 5), 0.0]
    assert document["corpus"]["f1"] == 2 * 4 / (5 + 6)


@pytest.mark.parametrize("form", ["folder", "pattern", "gzip", "one file"])
def test_folders_of_umr_files(cli, files, tmp_path, form):
    document = cli("score", *files, "metric=juumaetsh", "report=json").json
    sides = []
    for name, text in (("parse", PARSE), ("gold", GOLD)):
        folder = tmp_path / f"{name}s"
        folder.mkdir()
        (folder / "README.md").write_text("Two documents.")
        if form == "gzip":
            (folder / "1.umr.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / "1.UMR").write_text(text, "utf-8")
        if form == "pattern":
            (folder / "README.md").unlink()
        sides.append(str(folder / "*") if form == "pattern" else str(folder))
    if form == "one file":
        sides[1] = files[1].partition("=")[2]
    outcome = cli("score", *sides, "metric=juumaetsh", "report=json")
    assert outcome.json["scores"] == document["scores"]
    assert "2 documents, 3 sentences" in outcome.err
    words = [f"{side}={path}" for side, path in zip(("src", "tgt"), sides, strict=True)]
    assert "juumaetsh" in cli("explain", *words, "metric=juumaetsh").out


def test_documents_in_penman_are_a_file_or_a_folder_without_its_umr_files(cli, tmp_path):
    (tmp_path / "chain.amr").write_text(CHAIN, "utf-8")
    (tmp_path / "other.umr").write_text(GOLD, "utf-8")
    for path in (str(tmp_path), f"{tmp_path}/chain.amr"):
        words = ("score", path, path, "metric=doc_smatch", "report=json")
        assert cli(*words).json["scores"] == [1.0]


def test_several_parsers(cli, files, tmp_path):
    (tmp_path / "better.umr").write_text(GOLD, "utf-8")
    better = str(tmp_path / "better.umr")
    parse, gold = (word.partition("=")[2] for word in files)
    out = cli("score", parse, better, gold, "metric=doc_smatch").out
    assert "better" in out
    assert "coref F1" in out


def test_aspects(cli, files):
    document = cli("score", *files, "metric=doc_smatch", "aspects=coreference", "report=json").json
    (coreference,) = document["aspects"]
    assert (coreference["aspect"], coreference["corpus"]["f1"]) == ("coreference", 0.0)
    assert (coreference["pairs"], coreference["left_out"]) == (1, 1)
    parts = cli("score", *files, "metric=ancast", "aspects=all", "report=json").json["aspects"]
    assert [part["aspect"] for part in parts] == ["sentence", "temporal", "modal", "coreference"]


@pytest.mark.parametrize("metric", ["ancast", "juumaetsh", "doc_smatch"])
def test_aspects_of_sentences_are_not_mentioned(cli, files, metric):
    words = ["score", *files, f"metric={metric}", "aspects=all"]
    assert cli(*words, "report=json").json["aspects_definition"] is None
    text = cli(*words).out
    assert f"signature: {metric}|bamboo" in text
    assert "smatchpp" not in text
    assert "compared" not in text


def test_an_unknown_aspect(refused, files):
    message = refused("score", *files, "metric=doc_smatch", "aspects=modal")
    assert "unknown part 'modal': Use one of coreference" in message


def test_explain_shows_the_chains(cli, files, tmp_path):
    for metric in ("doc_smatch", "ancast"):
        text = cli("explain", files[1].replace("tgt=", "src="), files[1], f"metric={metric}").out
        assert "s1.s1d / dog, s2.s2i / it" in text, metric
    (tmp_path / "chain.amr").write_text(CHAIN, "utf-8")
    sides = [f"{side}={tmp_path}/chain.amr" for side in ("src", "tgt")]
    text = cli("explain", *sides, "metric=doc_smatch").out
    assert "s1.b / bark-01, s2.r / run-02" in text


def test_metrics_of_sentences_read_sentences(cli, files):
    document = cli("score", *files, "metric=smatch", "format=umr", "report=json").json
    assert len(document["scores"]) == 3


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["metric=[doc_smatch,smatch]"], "doc_smatch compare documents, smatch sentences"),
        (["metric=ancast", "format=penman"], ""),
    ],
)
def test_what_cannot_be_compared(refused, cli, files, words, problem):
    if problem:
        assert problem in refused("score", *files, *words)
    else:
        assert cli("score", *files, *words).out


def test_two_documents_with_one_id(refused, tmp_path):
    (tmp_path / "twice.amr").write_text(f"# ::id a\n{CHAIN}\n\n# ::id a\n{CHAIN}\n", "utf-8")
    sides = [f"{name}={tmp_path}/twice.amr" for name in ("src", "tgt")]
    message = refused("score", *sides, "metric=doc_smatch", "ids=check")
    assert "graphs 0 and 1 have the same ::id a" in message


def test_a_sentence_given_as_a_document(refused, tmp_path):
    (tmp_path / "one.amr").write_text("(s / sleep-01)", "utf-8")
    sides = [f"{name}={tmp_path}/one.amr" for name in ("src", "tgt")]
    message = refused("score", *sides, "metric=doc_smatch")
    assert "the graph of 'sleep-01' is not a document" in message


@pytest.mark.parametrize(("on_error", "scores"), [("nan", 1), ("zero", 2)])
def test_what_cannot_be_read(cli, refused, files, tmp_path, on_error, scores):
    broken = PARSE.replace(BARK, BARK[:-1])
    (tmp_path / "parse.umr").write_text(broken, "utf-8")
    assert "parse.umr, graph 1, line" in refused("score", *files, "metric=juumaetsh")
    outcome = cli("score", *files, "metric=juumaetsh", f"on_error={on_error}", "report=json")
    values = [score for score in outcome.json["scores"] if score is not None]
    assert len(values) == scores
    if on_error == "zero":
        assert "what cannot be read counts as empty" in outcome.err
        assert 0 < values[0] < 1


def test_what_stands_before_a_fault_is_kept(cli, refused, tmp_path):
    relations = ":temporal ((document-creation-time :before s1b)) {} :modal ((author :modal s1b))"
    good, cut = (umr(("(s1b / bark-01)", relations.format(mark))) for mark in ("", ")"))
    text = umr(("(s1r / rain-01) :time (s1n / now))",))
    (tmp_path / "gold.umr").write_text(good + umr(("(s1r / rain-01)",)), "utf-8")
    (tmp_path / "parse.umr").write_text(cut + text, "utf-8")
    sides = [f"{side}={tmp_path}/{name}.umr" for side, name in (("src", "parse"), ("tgt", "gold"))]
    words = ["score", *sides, "metric=juumaetsh"]
    assert "parse.umr, graph 1, line 17: text outside" in refused(*words)
    outcome = cli(*words, "on_error=zero", "report=json")
    assert outcome.json["scores"] == [2 * 2 / (2 + 3), 1.0]
    assert "parse.umr: 1 relation and 1 node are dropped; complete graphs, and" in outcome.err
    (tmp_path / "parse.umr").write_text(cut + umr(("(s1r / rain-01)",)), "utf-8")
    assert "parse.umr, graph 0, line 11: ':modal' follows the end" in refused(*words)
    assert cli(*words, "on_error=nan", "report=json").json["scores"] == [None, 1.0]


def test_a_range_without_words_is_noted(cli, tmp_path):
    (tmp_path / "a.umr").write_text(umr((DOG, "", "s1d: 2-1", "a dog")), "utf-8")
    sides = [f"{side}={tmp_path}/a.umr" for side in ("src", "tgt")]
    outcome = cli("score", *sides, "metric=juumaetsh", "report=json")
    assert outcome.json["scores"] == [1.0]
    assert "1 alignment has a range without words (the first in line 8: 's1d: 2-1')" in outcome.err


@pytest.mark.parametrize("metric", ["ancast", "juumaetsh", "doc_smatch"])
def test_a_document_that_cannot_be_read_lowers_recall(cli, tmp_path, metric):
    dog, rain = umr(("(s1d / dog :mod (s1b / big))",)), umr(("(s1r / rain-01 :time (s1n / now))",))
    (tmp_path / "gold.umr").write_text(dog + rain, "utf-8")
    (tmp_path / "parse.umr").write_text(dog.replace("))", ")") + rain, "utf-8")
    sides = [f"{side}={tmp_path}/{name}.umr" for side, name in (("src", "parse"), ("tgt", "gold"))]
    document = cli("score", *sides, f"metric={metric}", "on_error=zero", "report=json").json
    assert document["scores"] == [0.0, 1.0]
    assert document["corpus"]["f1"] == pytest.approx(2 / 3)


@pytest.fixture
def folders(tmp_path):
    """A parser that has no cs-0002, and gold files of two languages, one without a prefix."""
    dog, cat = umr(("(s1d / dog)", "", "s1d: 1-1", "x")), umr(("(s1c / cat)", "", "s1c: 1-1", "x"))
    gold = {"cs-0001.umr": dog, "cs-0002.umr": dog, "en-0001.umr": dog, "Other.umr": dog}
    parse = {"cs-0001.umr": dog, "en-0001.umr": cat, "Other.umr": dog, "fr-0001.umr": dog}
    for side, files in (("gold", gold), ("sys", parse)):
        (tmp_path / side).mkdir()
        for name, text in files.items():
            (tmp_path / side / name).write_text(text, "utf-8")
    return [str(tmp_path / side) for side in ("sys", "gold")]


def test_folders_are_paired_by_the_names_of_files(cli, folders):
    words = ["score", *folders, "metric=juumaetsh"]
    outcome = cli(*words, "report=json")
    # In the order of gold: Other, cs-0001, cs-0002, en-0001.
    assert outcome.json["scores"] == [1.0, 1.0, 0.0, 0.0]
    assert outcome.json["corpus"]["recall"] == 2 / 4
    assert "gold is missing and counts as empty: cs-0002.umr" in outcome.err
    assert "has none of this name: fr-0001.umr" in outcome.err
    assert "1 of 4 pairs counts as an empty parse and scores 0" in outcome.err
    for on_error in ("nan", "zero"):
        assert cli(*words, f"on_error={on_error}", "report=json").json["scores"] == [1, 1, 0, 0]


def test_languages(cli, folders):
    rows = cli("score", *folders, "metric=juumaetsh", "by=language", "report=json").json["buckets"]
    buckets = {row["bucket"]: (row["pairs"], row["corpus"]["f1"]) for row in rows}
    expected = {"cs": (2, 2 / 3), "en": (1, 0.0), "(none)": (1, 1.0)}
    assert buckets == {**expected, "(macro)": (3, pytest.approx(1 / 3))}


def test_groups_of_files(cli, folders, tmp_path):
    (tmp_path / "groups.tsv").write_text("cs-0001.umr\tPUD\nen-0001.umr\tPUD\n", "utf-8")
    words = ["score", *folders, "metric=juumaetsh", f"by={tmp_path}/groups.tsv"]
    rows = cli(*words, "report=json").json["buckets"]
    buckets = {row["bucket"]: (row["pairs"], row["corpus"]["f1"]) for row in rows}
    assert buckets == {"PUD": (2, 0.5), "(none)": (2, 2 / 3)}


def test_pairs_without_an_id_have_the_names_of_files(cli, folders):
    pairs = cli("score", *folders, "metric=juumaetsh", "report=json").json["pairs"]
    names = ["Other.umr", "cs-0001.umr", "cs-0002.umr", "en-0001.umr"]
    assert [pair["id"] for pair in pairs] == names
    assert "1      cs-0001.umr" in cli("score", *folders, "metric=juumaetsh").out


def test_a_role_that_no_graph_has(cli, folders):
    words = ["score", *folders, "metric=juumaetsh"]
    assert "neither these graphs" not in cli(*words, "metric.only=[concept]").err
    outcome = cli(*words, "metric.only=[aspekt]")
    assert "sys: neither these graphs nor the gold graphs have a role" in outcome.err


def test_signatures_list_the_roles_of_a_word_for_several(cli, folders):
    words = ["score", *folders, "metric=juumaetsh", "report=json"]
    signature = cli(*words, "metric.only=[argn,aspect]").json["short_signature"]
    assert signature.startswith("juumaetsh only=[argn,aspect]|only=:ARG0,:ARG0-of,:ARG1,")
    assert ":ARG9-of,:aspect|bamboo v" in signature
    signature = cli(*words, "metric.only=[aspect]").json["short_signature"]
    assert signature.startswith("juumaetsh only=[aspect]|bamboo v")


def test_languages_of_single_files(refused, files):
    message = refused("score", *files, "metric=juumaetsh", "by=language")
    assert "no file of two folders with equal names a name such as en-0001.umr" in message
