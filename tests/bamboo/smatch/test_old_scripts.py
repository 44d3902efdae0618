"""The ways in which scripts call the smatch package print what they print with smatch 1.0.4.

The graphs are such that each pair has only one best alignment, and that the package finds it.
"""

import subprocess
import sys
from types import ModuleType

import pytest

import bamboo.smatch
import bamboo.smatch.amr
from bamboo.errors import BambooError

NAMES = ("smatch", "amr", "smatch.smatch", "smatch.amr")
FILES = {
    "a.amr": """# ::id 1
(s / say-01
   :ARG0 (p / person :name (n / name :op1 "Ada" :op2 "de Lima") :mod (o / old))
   :ARG1 (l / leave-11 :ARG0 p :polarity - :time-of (t / thing)))

# ::id 2
(b / bark-01 :ARG0 (d / dog :quant 2))
""",
    "b.amr": """# ::id 1
(s / say-01
   :ARG0 (p / person :name (n / name :op1 "Ada"))
   :ARG1 (l / leave-11 :ARG0 p))

# ::id 2
(b / Bark-01 :ARG0 (w / wolf :quant 2))
""",
}
READ = """
import amr
with open("a.amr") as file:
    first, second = amr.AMR.get_amr_line(file), amr.AMR.get_amr_line(file)
"""
OPEN = """
import smatch
with open("a.amr") as first, open("b.amr") as second:
"""
ATOMS = """
import smatch
first = [("instance", "a0", "C"), ("instance", "a1", "O")], [("charge", "a1", "-")], [
    ("bond", "a0", "a1"), ("bond", "a1", "a0")]
second = [("instance", "b0", "n"), ("instance", "b1", "c"), ("instance", "b2", "o_")], [
    ("charge", "b2", "-"), ("charge", "b0", "-")], [("bond", "b1", "b2"), ("BOND", "b2", "b1")]
"""
SCRIPTS = {
    "get_amr_match": (
        """
import smatch
texts = "(s / sleep-01 :ARG0 (c / cat))", "(s / sleep-01 :ARG0 (d / dog))"
print(smatch.get_amr_match(*texts), smatch.get_amr_match(*texts, 2, justinstance=True))
""",
        "(3, 4, 4) (1, 2, 2)",
    ),
    "match_triple_dict": (
        f"""{OPEN}
    for pair in smatch.generate_amr_lines(first, second):
        print(smatch.get_amr_match(*pair))
        smatch.match_triple_dict.clear()
        smatch.match_triple_dict = {{}}
""",
        """(10, 16, 10)
(4, 5, 5)""",
    ),
    "compute_f": (
        """
import smatch
print(smatch.compute_f(3, 4, 6), smatch.compute_f(0, 4, 6), smatch.compute_f(0, 0, 6))
""",
        "(0.75, 0.5, 0.6) (0.0, 0.0, 0.0) (0.0, 0.0, 0.0)",
    ),
    "AMR.parse_AMR_line": (
        """
import amr
for text in ("(d / dog", "(d / dog :mod (d / dog))", "(d / dog)"):
    graph = amr.AMR.parse_AMR_line(text)
    print("none" if graph is None else graph)
""",
        """none
none
Node 0 d
Value: dog
Relations:
Attribute: TOP value top""",
    ),
    "score_amr_pairs": (
        f"""{OPEN}
    for precision, recall, f in smatch.score_amr_pairs(first, second):
        print("%.4f %.4f %.4f" % (precision, recall, f))
""",
        "0.6667 0.9333 0.7778",
    ),
    "get_best_match": (
        f"""{ATOMS}
for options in {{}}, {{"dorelation": False}}:
    print(smatch.get_best_match(*first, *second, "a", "b", **options))
    smatch.match_triple_dict.clear()
""",
        """([1, 2], 5)
([1, 2], 3)""",
    ),
    "from amr import AMR": (
        """
from amr import AMR
graph = AMR(["b", "d"], ["bark-01", "dog"], [[["ARG0", "d"]], []], [[["TOP", "top"]], []])
print(graph, graph.root, AMR().root, AMR().nodes, sep="\\n")
""",
        """Node 0 b
Value: bark-01
Relations:
Node d via ARG0
Attribute: TOP value top
Node 1 d
Value: dog
Relations:
b
None
[]""",
    ),
    "rename_node and get_triples": (
        f"""{READ}
graph = amr.AMR.parse_AMR_line(first)
graph.rename_node("a")
print(*graph.get_triples(), graph.get_triples2()[1][:3], sep="\\n")
""",
        """[('instance', 'a0', 'say-01'), ('instance', 'a1', 'person'), \
('instance', 'a2', 'name'), ('instance', 'a3', 'old'), ('instance', 'a4', 'leave-11'), \
('instance', 'a5', 'thing')]
[('TOP', 'a0', 'top'), ('op1', 'a2', 'Ada_'), ('op2', 'a2', 'de'), ('polarity', 'a4', '-')]
[('ARG0', 'a0', 'a1'), ('ARG1', 'a0', 'a4'), ('name', 'a1', 'a2'), ('domain', 'a3', 'a1'), \
('ARG0', 'a4', 'a1'), ('time', 'a5', 'a4')]
[('ARG0', 'a0', 'a1'), ('ARG1', 'a0', 'a4'), ('TOP', 'a0', 'top')]""",
    ),
    "iteration_num": (
        """
import smatch
smatch.iteration_num = 20
print(smatch.get_amr_match("(d / dog)", "(d / dog)"), smatch.iteration_num)
""",
        "(2, 2, 2) 20",
    ),
    "get_amr_line": (
        f"""{READ}
print(first, second, sep="\\n")
""",
        '(s / say-01:ARG0 (p / person :name (n / name :op1 "Ada" :op2 "de Lima") :mod (o / old))'
        ":ARG1 (l / leave-11 :ARG0 p :polarity - :time-of (t / thing)))\n"
        "(b / bark-01 :ARG0 (d / dog :quant 2))",
    ),
    "nodes and node_values": (
        f"""{READ}
graph = amr.AMR.parse_AMR_line(first)
print(dict(zip(graph.nodes, graph.node_values)), graph.root)
print(graph.relations, graph.attributes, sep="\\n")
""",
        """{'s': 'say-01', 'p': 'person', 'n': 'name', 'o': 'old', 'l': 'leave-11', 't': 'thing'} s
[[['ARG0', 'p'], ['ARG1', 'l']], [['name', 'n']], [], [['domain', 'p']], [['ARG0', 'p']], \
[['time', 'l']]]
[[['TOP', 'top']], [], [['op1', 'Ada_'], ['op2', 'de']], [], [['polarity', '-']], []]""",
    ),
    "print_alignment": (
        f"""{ATOMS}
mapping, count = smatch.get_best_match(*first, *second, "a", "b")
print(smatch.print_alignment(mapping, first[0], second[0]))
print(smatch.print_alignment([-1, 0], first[0], second[0]))
""",
        """a0(C)-b1(c) a1(O)-b2(o_)
a0(C)-Null a1(O)-b0(n)""",
    ),
    "generate_amr_lines": (
        f"""{OPEN}
    print([len(text) for pair in smatch.generate_amr_lines(first, second) for text in pair])
""",
        "[149, 86, 38, 39]",
    ),
    "single_score, verbose and pr_flag": (
        """
import smatch, sys
smatch.single_score, smatch.verbose, smatch.pr_flag = False, True, True
smatch.DEBUG_LOG = sys.stdout
first, second = ["(b / bark-01", " :ARG0 (d / dog :quant 2))"], ["(b / Bark-01 :ARG0 (w / wolf))"]
for scores in smatch.score_amr_pairs(iter(first), iter(second)):
    print("%.4f %.4f %.4f" % scores)
""",
        f"""AMR pair 1
{"=" * 44}
AMR 1 (one-line): (b / bark-01:ARG0 (d / dog :quant 2))
AMR 2 (one-line): (b / Bark-01 :ARG0 (w / wolf))
Instance triples of AMR 1: 2
[('instance', 'a0', 'bark-01'), ('instance', 'a1', 'dog')]
Attribute triples of AMR 1: 2
[('TOP', 'a0', 'top'), ('quant', 'a1', '2')]
Relation triples of AMR 1: 1
[('ARG0', 'a0', 'a1')]
Instance triples of AMR 2: 2
[('instance', 'b0', 'Bark-01'), ('instance', 'b1', 'wolf')]
Attribute triples of AMR 2: 1
[('TOP', 'b0', 'top')]
Relation triples of AMR 2: 1
[('ARG0', 'b0', 'b1')]
best match number 3
best node mapping [0, 1]
Best node mapping alignment: a0(bark-01)-b0(Bark-01) a1(dog)-b1(wolf)
0.6000 0.7500 0.6667
Total match number, total triple number in AMR 1, and total triple number in AMR 2:
3 5 4
{"-" * 81}""",
    ),
    "ERROR_LOG and DEBUG_LOG": (
        """
import amr, io, smatch
smatch.ERROR_LOG = smatch.DEBUG_LOG = amr.ERROR_LOG = amr.DEBUG_LOG = log = io.StringIO()
print(amr.AMR.parse_AMR_line("(d / dog"), len(log.getvalue()) > 0)
try:
    smatch.get_amr_match("(d / dog)", "no graph")
except Exception:
    print("an exception")
amr.DEBUG_LOG = log = io.StringIO()
amr.AMR.parse_AMR_line("(d / dog)").output_amr()
print(log.getvalue())
""",
        """None True
an exception
Node 0 d
Value: dog
Relations:
Attribute: TOP value top
""",
    ),
    "compute_match replaced": (
        """
import smatch
smatch.compute_match = smatch.__dict__.get("compute_match")
print(smatch.get_amr_match("(d / dog)", "(d / dog)"))
""",
        "(2, 2, 2)",
    ),
}


@pytest.fixture
def uninstalled(tmp_path, monkeypatch):
    """The files in the working directory; afterwards the modules are as they were before."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    modules = bamboo.smatch, bamboo.smatch.amr
    before = [dict(vars(module)) for module in modules]
    assert not {*NAMES} & {*sys.modules}
    yield
    for name in NAMES:
        sys.modules.pop(name, None)
    for module, variables in zip(modules, before, strict=True):
        vars(module).clear()
        vars(module).update(variables)


@pytest.mark.parametrize("script", SCRIPTS)
def test_script(uninstalled, capsys, script):
    code, expected = SCRIPTS[script]
    bamboo.smatch.install()
    exec(compile(code, script, "exec"), {})
    assert capsys.readouterr().out == f"{expected}\n"


def test_ways_of_earlier_versions(uninstalled, capsys):
    bamboo.smatch.install()
    code = """
import smatch, smatch.smatch, smatch.amr, amr
from smatch import smatch as module
module.iteration_num = 3
assert smatch.smatch is module and smatch.iteration_num == 3 and smatch.amr is amr
with open("b.amr") as file:
    print(len(smatch.get_amr_line(file)), smatch.get_amr_line(file))
"""
    exec(code, {})
    assert capsys.readouterr().out == "86 (b / Bark-01 :ARG0 (w / wolf :quant 2))\n"


@pytest.mark.parametrize("name", ["smatch", "amr"])
def test_installed_too_late(uninstalled, monkeypatch, name):
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, name, ModuleType(name))
        with pytest.raises(BambooError, match=rf"^the module {name} is already imported: call"):
            bamboo.smatch.install()
    assert not {*NAMES} & {*sys.modules}
    bamboo.smatch.install()
    bamboo.smatch.install()
    assert sys.modules["amr"] is bamboo.smatch.amr


WORKERS = """
import bamboo.smatch
bamboo.smatch.install()
import amr, smatch
from multiprocessing import get_context

def match(pair):
    smatch.match_triple_dict.clear()
    try:
        return smatch.get_amr_match(*pair)
    except Exception:
        return 0, 0, 0

if __name__ == "__main__":
    pairs = [("(d / dog)", "(d / dog)"), ("(d / dog", "(d / dog)")]
    with get_context("spawn").Pool(1) as pool:
        print(pool.map(match, pairs))
"""


def test_worker_processes(uninstalled, tmp_path):
    """As amrlib calls the package, in processes that import everything again."""
    (tmp_path / "workers.py").write_text(WORKERS)
    words = [sys.executable, "workers.py"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "[(2, 2, 2), (0, 0, 0)]\n"
    assert done.stderr == "Error in parsing amr 1: (d / dog\n"
