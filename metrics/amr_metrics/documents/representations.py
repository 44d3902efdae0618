"""DocAMR's representations of a document: chains of coreference, and what is merged in them.

A chain is a node ``coref-entity`` with an edge ``:coref`` to each mention. An implicit mention,
the role of a predicate, has no node: the predicate's edge leads to the chain.
Source: Naseem et al. (2022), DocAMR: multi-sentence AMR representation and evaluation, and its
released code (https://github.com/IBM/docAMR).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from amr_metrics.documents.sentences import BRIDGES, CHAIN, COREF
from amr_metrics.graphs.graph import Attribute, Graph, Relation
from amr_metrics.limits import DocumentSteps
from amr_metrics.reading.labels import deinverted
from amr_metrics.reading.penman_reading import laid_out
from amr_metrics.utils.files import TABLES

Mode = Literal["as-written", "no-merge", "merge-names", "docAMR", "merge-all"]

SAME = ":same-as"
MOVED = [f"{role}-of" for role in BRIDGES]  # as the released code does, only if written so
NAME, WIKI, OTHER_TYPE = ":name", ":wiki", ":additional-type"
SPEAKERS = {"i", "you"}


def represented(graph: Graph, mode: Mode) -> Graph:
    """Return a document in one of DocAMR's representations.

    Pairs of mentions (``:same-as``) become chains in every mode, and edges ``:part`` and
    ``:subset`` then lead from chain to chain.

    Args:
        mode: ``as-written``: nothing else changes. ``no-merge``: chains with one mention are
            dropped. ``merge-names``: so are they, after the mentions of a chain that have a name
            are merged. ``docAMR``: pronouns are merged as well, into the chain, or if it has
            nothing else, into one node. ``merge-all``: all mentions of a chain are merged.
            Documents in which something changes are laid out anew, as by penman.

    Raises:
        PairError: if merging takes more than `amr_metrics.limits.DOCUMENT_WORK` steps.

    >>> from amr_metrics import parse_graph
    >>> graph = parse_graph("(d / document :snt1 (c / cry-01 :ARG0 (b / boy)) "
    ...                     ":snt2 (l / leave-11 :ARG0 (h / he :same-as b)))")
    >>> represented(graph, "docAMR").relations[-1]
    Relation(source='l', role=':ARG0', target='b')
    """
    has_pairs = any(role == SAME for _, role, _ in graph.relations)
    if not graph.variables or (mode == "as-written" and not has_pairs):
        return graph
    draft = _Draft.of(graph)
    if has_pairs:
        draft.chain_pairs()
    if mode in ("merge-names", "docAMR"):
        draft.merge_names()
    if mode == "docAMR":
        draft.merge_pronouns()
    if mode == "merge-all":
        draft.merge_mentions()
    if mode != "as-written":
        draft.drop_single_chains()
    return draft.graph(graph)


def collect_chains(graph: Graph) -> dict[str, list[str]]:
    """Return the mentions of each chain of a document.

    >>> from amr_metrics import parse_graph
    >>> collect_chains(parse_graph("(d / document :snt1 (b / boy) :snt2 (h / he :same-as b))"))
    {'cc': ['h', 'b']}
    """
    return _Draft.of(represented(graph, "as-written")).chains()


@cache
def number_concepts(table: str) -> dict[str, int]:
    """Return the concepts of a table, each with its position; the most specific are first.

    Args:
        table: ``pronouns``, or ``name_types`` of named entities.
    """
    text = (TABLES / f"docamr_{table}.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {concept: k for k, concept in reversed([*enumerate(lines)])}


@dataclass
class _Draft:
    """A document while nodes are merged.

    Attributes:
        concepts: the concept of each node.
        relations: as written, ``:ARG0-of``, in the order of the text; a node's children are those
            that it leads to in this form.
        attributes: in the order of the text.
        top: the root.
        steps: the relations that were looked at to merge nodes.
    """

    concepts: dict[str, str]
    relations: list[Relation]
    attributes: list[Attribute]
    top: str
    steps: DocumentSteps = field(default_factory=DocumentSteps)

    @classmethod
    def of(cls, graph: Graph) -> _Draft:
        concepts = dict(zip(graph.variables, graph.concepts, strict=True))
        attributes = {
            (a.node, a.role, _strip_quotes(a.constant)): a for a in reversed(graph.attributes)
        }
        relations = list(dict.fromkeys(_restore_written_relations(graph)))
        return cls(concepts, relations, [*attributes.values()][::-1], graph.top)

    def graph(self, original: Graph) -> Graph:
        """Return the document as penman lays it out."""
        # Penman follows the triples in their order: the sentences come first. Only mentions are
        # written with an inverse role, as children.
        sentences = [r for r in self.relations if r.source == self.top]
        others = [
            r if r.role in (COREF, f"{COREF}-of") else _deinvert_relation(r)
            for r in self.relations
            if r.source != self.top
        ]
        instances = [(node, ":instance", concept) for node, concept in self.concepts.items()]
        triples = [*sentences, *instances, *others, *self.attributes]
        return replace(laid_out(triples, self.top), metadata=original.metadata)

    def chains(self) -> dict[str, list[str]]:
        """Return the mentions of each chain."""
        chains: dict[str, list[str]] = {}
        for source, role, target in map(_deinvert_relation, self.relations):
            if role == COREF:
                chains.setdefault(source, []).append(target)
        return chains

    def chain_pairs(self) -> None:
        """Replace pairs of mentions by chains, and move bridges to the chains."""
        # Each pair joins the chains of its two mentions, or adds a mention that has no chain. The
        # chain of the first mention remains, with the edges of the other one.
        members = self.chains()
        chain_of = {node: chain for chain, nodes in members.items() for node in nodes}
        for pair in [(r.source, r.target) for r in self.relations if _is(r, SAME)]:
            chains = [chain_of[node] for node in pair if node in chain_of]
            chain = chains[0] if chains else self._new_node("cc", CHAIN)
            for node in pair:
                former = chain_of.get(node)
                if former == chain:
                    continue
                nodes = [node] if former is None else members.pop(former)
                members.setdefault(chain, []).extend(nodes)
                chain_of |= dict.fromkeys(nodes, chain)
                if former is not None:
                    self._redirect(former, chain)
                    del self.concepts[former]
        kept = [
            Relation(chain_of.get(r.source, r.source), r.role, chain_of.get(r.target, r.target))
            if r.role in MOVED
            else r
            for r in self.relations
            if not _is(r, SAME, COREF)
        ]
        mentions = [
            Relation(node, f"{COREF}-of", chain) for chain in members for node in members[chain]
        ]
        self.relations = list(dict.fromkeys([*kept, *mentions]))

    def merge_names(self) -> None:
        """Merge the mentions of each chain that have a name."""
        order = number_concepts("name_types")
        for nodes in self.chains().values():
            named = [n for n in nodes if n in self.concepts and self._targets(n, NAME)]
            if not named:
                continue
            types = [self.concepts[node] for node in named]
            # The most specific one, else the most frequent one.
            kind = min(types, key=lambda kind: (order.get(kind, len(order)), -types.count(kind)))
            head = named[types.index(kind)]
            for node in named:
                self.merge(head, node, additional=True)
            wikis = [a for a in self.attributes if a.node == head and a.role == WIKI]
            if any(_strip_quotes(wiki.constant) != "-" for wiki in wikis):
                self.attributes = [
                    a for a in self.attributes if a not in wikis or _strip_quotes(a.constant) != "-"
                ]

    def merge_pronouns(self) -> None:
        """Merge the pronouns of each chain into it, or into one node if it has nothing else."""
        order = number_concepts("pronouns")
        for chain, nodes in self.chains().items():
            nodes = [node for node in nodes if node in self.concepts]
            pronominal = [node for node in nodes if self.concepts[node] in order]
            forms = {self.concepts[node] for node in pronominal}
            head = chain
            if forms and len(pronominal) == len(nodes):
                has_speaker = len(forms) > 1 and forms & SPEAKERS
                concept = (
                    "interlocutor-entity" if has_speaker else min(forms, key=order.__getitem__)
                )
                head = self._new_node("pro", concept)
            for node in pronominal:
                self.merge(head, node, children=False)

    def merge_mentions(self) -> None:
        """Merge all mentions of each chain into its first."""
        for nodes in self.chains().values():
            for node in nodes[1:]:
                self.merge(nodes[0], node, additional=True)

    def drop_single_chains(self) -> None:
        """Merge each chain that has one mention into this mention."""
        for chain, nodes in self.chains().items():
            if len(nodes) == 1:
                self.merge(nodes[0], chain)

    def merge(
        self, head: str, node: str, *, additional: bool = False, children: bool = True
    ) -> None:
        """Merge a node into another one.

        Names that the head has are dropped with their strings, and so are attributes that it has
        and empty ``:wiki``.

        Args:
            additional: whether a concept that the head does not have is kept as an
                ``:additional-type`` of it.
            children: whether children with the same role and concept are merged in turn.
        """
        if head == node or head not in self.concepts or node not in self.concepts:
            return
        names = {self._name(target) for target in self._targets(head, NAME)}
        types = {self.concepts[t] for t in (head, *self._targets(head, OTHER_TYPE))}
        # A child of the node is merged into the child of the head with the same role and concept.
        twins = {(r.role, self.concepts[r.target]): r.target for r in self._leaving(head)}
        merged = []
        for _, role, target in self._leaving(node):
            if role == NAME:
                if self._name(target) in names:
                    self._drop_name(node, target, head)
            elif target != head:
                merged.append((twins.get((role, self.concepts[target]), target), target))
        self._redirect(node, head)
        dropped = {(a.role, _strip_quotes(a.constant)) for a in self.attributes if a.node == head}
        dropped.add((WIKI, "-"))
        self.attributes = [
            a._replace(node=head) if a.node == node else a
            for a in self.attributes
            if a.node != node or (a.role, _strip_quotes(a.constant)) not in dropped
        ]
        if additional and self.concepts[node] not in types:
            self.relations.append(Relation(head, OTHER_TYPE, node))
        else:
            del self.concepts[node]
        for twin, target in merged if children else ():
            self.merge(twin, target, additional=additional)

    def _redirect(self, node: str, head: str) -> None:
        """Move the edges of a node to another one, without those between the two.

        An edge that the other node has is not moved.

        Raises:
            PairError: if all merges together take more than `amr_metrics.limits.DOCUMENT_WORK`
                steps.
        """
        self.steps.add(len(self.relations))
        present = {*self.relations}
        kept = []
        for relation in self.relations:
            if node in (relation.source, relation.target):
                source, role, target = (head if end == node else end for end in relation)
                relation = Relation(source, role, target)
                if source == target or relation in present:
                    continue
                present.add(relation)
            kept.append(relation)
        self.relations = kept

    def _drop_name(self, node: str, name: str, head: str) -> None:
        """Drop a name that a node has; what else is attached to the name moves to the head."""
        edge = Relation(node, NAME, name)
        self.relations = [r for r in self.relations if r != edge]
        if any(r.target == name for r in self.relations):
            return
        self.attributes = [
            a._replace(node=head) if a.node == name else a
            for a in self.attributes
            if a.node != name or "op" not in a.role
        ]
        self._redirect(name, head)
        del self.concepts[name]

    def _leaving(self, node: str) -> list[Relation]:
        return [relation for relation in self.relations if relation.source == node]

    def _targets(self, node: str, role: str) -> list[str]:
        return [r.target for r in self.relations if r.source == node and r.role == role]

    def _name(self, node: str) -> str:
        """Return the strings of a name, joined."""
        strings = sorted(
            (a.role.removeprefix(":op").zfill(9), _strip_quotes(a.constant))
            for a in self.attributes
            if a.node == node and a.role.startswith(":op")
        )
        return " ".join(string for _, string in strings)

    def _new_node(self, name: str, concept: str) -> str:
        variable, count = name, 0
        while variable in self.concepts:
            count += 1
            variable = f"{name}{count}"
        self.concepts[variable] = concept
        return variable


def _restore_written_relations(graph: Graph) -> list[Relation]:
    """Return the relations with the roles as written, in the order of the text.

    As in the released code, an inverse role other than ``:part-of`` and ``:subset-of`` counts only
    at the definition of a node, and mentions of a node before its definition come after that.
    Mentions always refer to their chain.
    """
    inverted, forward = set(graph.inverted), set(graph.forward)
    written: list[Relation] = []
    waiting: dict[str, list[Relation]] = {}
    defined = 1
    for k, relation in enumerate(graph.relations):
        source, role, target = relation
        child = source if k in inverted else target
        defines = k not in forward and graph.positions[child] == defined
        if role == COREF or (k in inverted and (defines or role in BRIDGES)):
            relation = Relation(target, f"{role}-of", source)
        if k in forward:
            waiting.setdefault(child, []).append(relation)
            continue
        written.append(relation)
        if defines:
            defined += 1
            written += waiting.pop(child, [])
    return [*written, *(relation for others in waiting.values() for relation in others)]


def _deinvert_relation(relation: Relation) -> Relation:
    source, role, target = relation
    plain = deinverted(role)
    return relation if plain is None else Relation(target, plain, source)


def _is(relation: Relation, *roles: str) -> bool:
    """Check that a relation has one of some roles, in either direction."""
    return _deinvert_relation(relation).role in roles


def _strip_quotes(constant: str) -> str:
    return constant.replace('"', "")
