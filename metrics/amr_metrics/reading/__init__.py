"""Read graphs from files and strings, and write them."""

from amr_metrics.reading.labels import deinverted
from amr_metrics.reading.read import (
    from_penman,
    parse_amr,
    parse_graph,
    read_graphs,
    read_text,
)
from amr_metrics.reading.writing import format_graph, format_graphs

__all__ = [
    "deinverted",
    "format_graph",
    "format_graphs",
    "from_penman",
    "parse_amr",
    "parse_graph",
    "read_graphs",
    "read_text",
]
