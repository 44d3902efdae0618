"""The smatch package's hill-climber with 4 restarts on two files of graphs; prints CPU seconds."""

import json
import sys
import time

import smatch
from smatch import amr


def triples(text, prefix):
    graph = amr.AMR.parse_AMR_line(text.replace("\n", " "))
    graph.rename_node(prefix)
    return graph.get_triples()


def graphs(path):
    with open(path, encoding="utf-8") as file:
        blocks = file.read().split("\n\n")
    lines = (block.split("\n") for block in blocks if block.strip())
    return ["\n".join(line for line in block if not line.startswith("#")) for block in lines]


smatch.iteration_num = 5  # the smart start and 4 random ones
pairs = [
    (triples(a, "a"), triples(b, "b"))
    for a, b in zip(graphs(sys.argv[1]), graphs(sys.argv[2]), strict=True)
]
start = time.process_time()
for a, b in pairs:
    smatch.match_triple_dict.clear()
    smatch.get_best_match(*a, *b, "a", "b")
print(json.dumps({"pairs": len(pairs), "cpu": time.process_time() - start}))
