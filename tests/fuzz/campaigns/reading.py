"""Changed graphs, read by the compiled scanner and by penman: equal graphs, or equal refusals."""

from pathlib import Path
from random import Random

from amr_metrics import format_graph
from amr_metrics.graphs.random_graphs import random_graph
from bamboo.installation import resource
from tests.fuzz.campaign import damaged, described
from tests.mutated_graphs import blocks_of, mutated_blocks
from tests.reading_twin import both, both_listed

ORDER = 25
GRAPHS = 20  # of one text; each is a case
RANDOM = 300  # random graphs that are changed, besides those of the sample
DAMAGED = 0.05  # share of texts with damaged bytes, most of which are then refused as a whole
SHOWN = 300  # bytes of a text that a message shows


def campaign(rng, budget):
    """Read texts of changed graphs, as a whole and block by block."""
    tried, failures = 0, []
    blocks = blocks_of(sorted((Path(str(resource("data"))) / "sample").rglob("*.amr")))
    blocks += [format_graph(random_graph(rng, 9)) for _ in range(RANDOM)]
    draw = Random(int(rng.integers(2**62)))
    for batch in budget.batches(GRAPHS):
        parts = [text.encode() for text in mutated_blocks(blocks, draw, len(batch))]
        if draw.random() < DAMAGED:
            k = draw.randrange(len(parts))
            parts[k] = damaged(rng, parts[k])[0]
        tried += len(parts)
        if message := _difference(data := b"".join(parts)):
            shown = next((part for part in parts if _difference(part)), data)[:SHOWN]
            failures.append(f"cases {batch.start} to {batch[-1]}: {message}: {shown!r}")
    return tried, failures


def _difference(data):
    """What the scanner reads other than penman does."""
    try:
        for name, read in (("as a whole", both), ("block by block", both_listed)):
            ours, theirs = read(data)
            if ours != theirs:
                return f"read {name}, the scanner and penman differ"
    except Exception as error:
        return described(error)
    return None
