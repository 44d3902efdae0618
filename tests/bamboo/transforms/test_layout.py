"""Reading and writing with layout, and the way to and from the graphs that metrics compare."""

import penman
import pytest
from hypothesis import given
from strategies import as_layout, graphs

from amr_metrics import parse_graph
from amr_metrics.errors import GraphError
from bamboo.errors import BuildError
from bamboo.transforms.layout import (
    convert_to_graph,
    drop_layout,
    parse_layouts,
    read_layouts,
    same_graph,
    to_text,
)

TEXT = """\
# ::id 0
# ::snt The choir that likes to sing sings.
(s / sing-01
      :ARG0 (c / choir
            :ARG0-of (l / like-01
                  :ARG1 s)))

# ::id 1
# ::snt It is not large.
(l / large
      :domain (i / it)
      :polarity -)"""


def test_files_are_rewritten_byte_for_byte(tmp_path):
    path = tmp_path / "graphs.amr"
    path.write_text(TEXT)
    assert to_text(read_layouts(path)) == TEXT


def test_a_graph_without_its_layout():
    graph = parse_layouts(TEXT)[0]
    assert same_graph(convert_to_graph(drop_layout(graph)), convert_to_graph(graph))
    assert drop_layout(graph).metadata == graph.metadata


@given(graphs(loops=True))
def test_writing_and_reading_a_layout_gives_the_same_graph(graph):
    layout = as_layout(graph)
    assert same_graph(convert_to_graph(layout), graph)
    assert same_graph(parse_graph(to_text([layout])), graph)


class TestRefusals:
    def test_a_graph_whose_roles_are_inverted_when_read(self):
        # Under AMR's model :ARG0-of is an inverse; here it is stated as a role of its own.
        graph = penman.Graph(
            [("s", ":instance", "sing-01"), ("s", ":ARG0-of", "c"), ("c", ":instance", "choir")]
        )
        with pytest.raises(BuildError, match="graph 0 would read back as another graph"):
            to_text([graph])

    def test_a_graph_in_two_pieces(self):
        graph = penman.Graph([("s", ":instance", "sing-01"), ("c", ":instance", "choir")], top="s")
        with pytest.raises(BuildError, match="graph 1 cannot be written"):
            to_text([*parse_layouts("(a / and)"), graph])

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "contains no graph"),
            ("(s / sing-01", "never ends"),
            ("(s / sing-01)) (c / choir)", "outside of any graph"),
            ("(s / sing-01)\n\nbut\n\n(c / choir)", "outside of any graph"),
        ],
    )
    def test_unreadable_files(self, tmp_path, text, problem):
        path = tmp_path / "graphs.amr"
        path.write_text(text)
        with pytest.raises(GraphError, match=problem):
            read_layouts(path)
