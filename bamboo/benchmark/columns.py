"""The benchmark's data sets, partitions and cells by name, in the order of the papers."""

from bamboo.config.groups import all_names

BENCHMARK = tuple(all_names("data"))  # the data sets
PARTITIONS = ("main", "reify", "syno", "arg")


def column_name(dataset: str, partition: str) -> str:
    """Return the name of a cell's column in tables.

    >>> column_name("sts", "main")
    'main_sts'
    """
    return f"{partition}_{dataset}"


def mean_name(cells: int) -> str:
    """Return the name of the arithmetic mean over cells that are not the benchmark's twelve.

    >>> mean_name(4)
    'mean of 4 cells'
    """
    return f"mean of {cells} cells"


# The twelve cells, as (data set, partition), and their columns.
TWELVE = tuple((dataset, partition) for partition in PARTITIONS for dataset in BENCHMARK)
COLUMNS = tuple(column_name(*cell) for cell in TWELVE)
MEANS = ("amean", "hmean")
SENTENCES = "sentences"  # the column of tables of preferences
PROTOCOLS = ("paper", "v0.2")  # the protocols of results on the site
