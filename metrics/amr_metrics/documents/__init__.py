"""Documents: DocAMR and UMR files, docSmatch, AnCast++ and juːmæʧ; AnCast of sentences.

>>> from amr_metrics import Pair, parse_graph
>>> gold, parse = (parse_graph(f"(d / document :snt1 (s / see-01 :ARG0 (b / boy)) "
...                            f":snt2 (l / leave-11 :ARG0 {who}))") for who in ("b", "(h / he)"))
>>> round(float(DocSmatch().score([Pair(parse, gold)])[0]), 4)  # 8 of 10 and 9 triples
0.8421
"""

from amr_metrics.documents.ancast import Ancast
from amr_metrics.documents.ancast_sentences import AncastSentences
from amr_metrics.documents.doc_smatch import DocSmatch
from amr_metrics.documents.juumaetsh import Juumaetsh
from amr_metrics.documents.representations import represented
from amr_metrics.documents.sentences import sentences_of
from amr_metrics.documents.umr_document import (
    UmrDocument,
    UmrDocuments,
    parse_umr_documents,
    read_umr_documents,
)
from amr_metrics.reading.umr_parts import UmrSentence

__all__ = [
    "Ancast",
    "AncastSentences",
    "DocSmatch",
    "Juumaetsh",
    "UmrDocument",
    "UmrDocuments",
    "UmrSentence",
    "parse_umr_documents",
    "read_umr_documents",
    "represented",
    "sentences_of",
]
