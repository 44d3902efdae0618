"""Hypothesis strategies: small graphs that repeat labels, and the same graphs spelled otherwise."""

from hypothesis import strategies as st

from metrics import Graph, Pair

CONCEPTS = ("dog", "cat", "bark-01", "Dog", "person")
ROLES = (":ARG0", ":ARG1", ":mod", ":domain", ":op1")
CONSTANTS = ("-", "1", '"Rex"', "Rex", "dog")


@st.composite
def graphs(draw, max_size=6):
    """A connected graph: a tree, some further relations (loops and repeats too), attributes."""
    size = draw(st.integers(1, max_size))
    node, role = st.integers(0, size - 1), st.sampled_from(ROLES)
    triples = [(f"v{k}", ":instance", draw(st.sampled_from(CONCEPTS))) for k in range(size)]
    for k in range(1, size):
        ends = f"v{k}", f"v{draw(st.integers(0, k - 1))}"
        source, target = draw(st.sampled_from((ends, ends[::-1])))
        triples.append((source, draw(role), target))
    for source, target in draw(st.lists(st.tuples(node, node), max_size=3)):
        triples.append((f"v{source}", draw(role), f"v{target}"))
    for at, constant in draw(st.lists(st.tuples(node, st.sampled_from(CONSTANTS)), max_size=3)):
        triples.append((f"v{at}", draw(role), constant))
    return Graph.from_triples(triples, f"v{draw(node)}")


pairs = st.builds(Pair, graphs(), graphs())


@st.composite
def reordered(draw, graph):
    """The same graph, its nodes and triples in another order."""
    order = draw(st.permutations(range(len(graph.variables))))
    return Graph(
        tuple(graph.variables[k] for k in order),
        tuple(graph.concepts[k] for k in order),
        tuple(draw(st.permutations(graph.attributes))),
        tuple(draw(st.permutations(graph.relations))),
        graph.top,
    )


def renamed(graph):
    """The same graph with other variables."""
    name = {variable: f"x{k}" for k, variable in enumerate(reversed(graph.variables))}
    return Graph(
        tuple(name[variable] for variable in graph.variables),
        graph.concepts,
        tuple(a._replace(node=name[a.node]) for a in graph.attributes),
        tuple(r._replace(source=name[r.source], target=name[r.target]) for r in graph.relations),
        name[graph.top],
    )
