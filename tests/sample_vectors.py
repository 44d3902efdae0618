"""Word vectors for the concepts of the bundled sample."""

import hashlib
from pathlib import Path

from amr_metrics import read_graphs

SAMPLE = Path(__file__).parents[1] / "data" / "sample"


def write_vectors(path):
    """Write vectors in which words with the same first letter are similar."""
    graphs = [graph for path in sorted(SAMPLE.glob("*/*.amr")) for graph in read_graphs(path)]
    words = {part for graph in graphs for c in graph.concepts for part in c.lower().split("-")}

    def bytes_of(text):
        return b"".join(hashlib.sha256(f"{text} {k}".encode()).digest() for k in range(4))[:100]

    lines = []
    for word in sorted(word for word in words if word.isalpha()):
        both = zip(bytes_of(word[0]), bytes_of(word), strict=True)
        lines.append(" ".join([word, *(str(4 * a + b - 640) for a, b in both)]))
    path.write_text("\n".join(lines) + "\n", "utf-8")
