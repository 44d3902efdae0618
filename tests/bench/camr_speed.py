"""Measure the speed of Align-Smatch on random graphs of about 75 tuples and perturbed copies.

    python tests/bench/camr_speed.py

Prints one line per configuration: pairs, tuples per graph, pairs per second in the fastest of five
rounds, and the number of alignments that are not proven optimal.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from metrics import Pair
from metrics.camr import AlignSmatch, parse_camr

PAIRS = 1000
REPEATS = 5
WORDS = 26
FRAMES = (
    "说-01",
    "看-02",
    "买-01",
    "去-01",
    "认为-01",
    "提高-01",
    "影响-01",
    "发展-01",
    "研究-01",
    "希望-01",
)
NOUNS = (
    "人",
    "经济",
    "国家",
    "问题",
    "政府",
    "公司",
    "社会",
    "市场",
    "工作",
    "技术",
    "and",
    "cause",
    "person",
    "thing",
)
ROLES = (
    ":arg0",
    ":arg0",
    ":arg1",
    ":arg1",
    ":arg2",
    ":mod",
    ":time",
    ":manner",
    ":op1",
    ":op2",
    ":arg0-of",
    ":poss",
)
WORDS_ON_ARCS = ("的", "在", "把", "被", "对", "关于", "因为", "里")


def random_rows(rng, nodes):
    """The rows of a random graph: a tree with a few re-entrant and a few aligned relations."""
    ids = [f"x{k}" for k in rng.permutation(WORDS)[:nodes] + 1]
    for k in rng.permutation(nodes)[: nodes // 5]:
        ids[k] = f"x{WORDS + 1 + k}"
    concepts = [str(rng.choice(FRAMES if rng.random() < 0.4 else NOUNS)) for _ in ids]
    rows = [["x0", "root", ":top", "-", "-", ids[0], concepts[0]]]
    tree = [(int(rng.integers(max(0, k - 6), k)), k) for k in range(1, nodes)]
    reentrant = [(0, int(k)) for k in rng.permutation(nodes)[: nodes // 8]]
    for source, target in [*tree, *(ends for ends in reentrant if ends not in [*tree, (0, 0)])]:
        aligned = (f"x{rng.integers(1, WORDS + 1)}", str(rng.choice(WORDS_ON_ARCS)))
        rid, word = aligned if rng.random() < 0.15 else ("-", "-")
        role = str(rng.choice(ROLES))
        rows.append([ids[source], concepts[source], role, rid, word, ids[target], concepts[target]])
    return rows


def perturbed(rng, rows, share):
    """Rows with a share of roles, words, concepts and ids replaced, a node's everywhere."""
    concepts = {}
    ids = {}
    for k, node in enumerate(dict.fromkeys(row[5] for row in rows)):
        if rng.random() < share:
            concepts[node] = str(rng.choice(FRAMES + NOUNS))
        if rng.random() < share / 2:
            ids[node] = f"x{3 * WORDS + k}"
    found = []
    for a, ca, role, rid, word, b, cb in rows:
        if role != ":top" and rng.random() < share:
            role = str(rng.choice(ROLES))
        if rid != "-" and rng.random() < share:
            rid, word = "-", "-"
        new = [
            ids.get(a, a),
            concepts.get(a, ca),
            role,
            rid,
            word,
            ids.get(b, b),
            concepts.get(b, cb),
        ]
        found.append(new)
    return found


def tuple_text(sentences):
    """Rows as a file in tuple form."""
    lines = []
    for sid, rows in enumerate(sentences):
        lines += [
            "\t".join([str(sid), a, ca, "-", role, rid, word, b, cb, "-"])
            for a, ca, role, rid, word, b, cb in rows
        ]
        lines.append("")
    return "\n".join(lines) + "\n"


def texts(pairs, nodes, share, seed=0):
    """Perturbed and original graphs as two files in tuple form."""
    rng = np.random.default_rng(seed)
    gold = [random_rows(rng, nodes) for _ in range(pairs)]
    return tuple_text([perturbed(rng, rows, share) for rows in gold]), tuple_text(gold)


def graphs(text):
    """The graphs of a text in tuple form, each sentence of the same length."""
    from metrics.camr.draft import Sentence

    lengths = {line.partition("\t")[0]: Sentence(WORDS) for line in text.split("\n") if line}
    return parse_camr(text, lengths=lengths)


def main():
    """Measure."""
    for share in (0.1, 0.3, 0.6):
        pairs = [Pair(*p) for p in zip(*map(graphs, texts(PAIRS, WORDS - 2, share)), strict=True)]
        for fix, mode in (("none", "paper"), ("all", "paper"), ("all", "camrp2022")):
            metric = AlignSmatch(fix=fix, mode=mode)
            metric.evaluate(pairs[:2])
            times = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                scores = metric.evaluate(pairs)
                times.append(time.perf_counter() - start)
            size = (scores.details["src_total"].mean() + scores.details["tgt_total"].mean()) / 2
            print(
                f"{share:.0%} changed, fix={fix} mode={mode}: {PAIRS} pairs of {size:.0f} tuples, "
                f"{PAIRS / min(times):.0f} pairs/s, F1 {metric.corpus(scores)['f1']:.4f}, "
                f"{int((~scores.details['optimal']).sum())} not proven"
            )


if __name__ == "__main__":
    main()
