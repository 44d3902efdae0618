"""Documents for the tests of this folder, and the reference values."""

import csv
from dataclasses import replace

from released import shared_file

from amr_metrics.documents import UmrDocument, parse_umr_documents


def umr(*sentences):
    """The text of a UMR file: of each sentence its graph, and optionally its relations, alignment
    and words."""
    blocks = []
    for n, sentence in enumerate(sentences, 1):
        graph, annotation, alignment, words = (*sentence, "", "", "")[:4]
        blocks.append(
            f"# :: snt{n}\nWords: {words}\n\n# sentence level graph:\n{graph}\n\n"
            f"# alignment:\n{alignment}\n\n"
            f"# document level annotation:\n(s{n}s0 / sentence {annotation})\n\n"
        )
    return "\n".join(blocks)


def document(*sentences):
    """The document of `umr`."""
    (only,) = parse_umr_documents(umr(*sentences).encode(), list_errors=True).documents
    return only


def lenient(path):
    """All sentences of a file as one document, as tools read it: what is wrong stays as written."""
    documents = parse_umr_documents(path.read_bytes(), path.name, list_errors=True).documents
    if len(documents) == 1:
        return documents[0]
    sentences = [sentence for each in documents for sentence in each.sentences]
    return UmrDocument.of([replace(s, number=k) for k, s in enumerate(sentences, 1)])


def reference(shared, table):
    """The rows of a table of reference values whose files are there, and the folder."""
    folder = shared_file(shared, "reference/documents")
    with (folder / table).open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file, delimiter="\t")]
    return folder, [r for r in rows if all((folder / r[s]).exists() for s in ("pred", "gold"))]
