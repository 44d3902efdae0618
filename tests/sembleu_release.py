"""The layout of the SemBleu paper's data, with three sentences."""

from bamboo.config.groups import compose_group

REFERENCES = [
    "(s / sleep-01 :ARG0 (c / cat))",
    "(b / bark-01 :ARG0 (d / dog))",
    "(r / read-01 :ARG0 (g / girl) :ARG1 (k / book))",
]
SYSTEMS = {
    "jonas": REFERENCES,  # the best
    "jamr": [
        "(s / sleep-01 :ARG0 (k / kitten))",
        "(b / bark-01 :ARG0 (d / dog :mod (l / loud)))",
        "(r / read-01 :ARG0 (g / girl))",
    ],
    "lyu_titov": ["(s / sleep-01)", "(b / bark-01)", "(r / read-01)"],
    "camr": ["(d / dance-01)", "(d / dance-01 :mod (s / slow))", "(e / eat-01)"],
}
# The systems of the parses shown as 1 to 4, and three annotators' choices between 1 and 2 and
# between 3 and 4, for each sentence.
SHOWN = [
    ("jonas", "lyu_titov", "jamr", "camr"),
    ("camr", "jamr", "lyu_titov", "jonas"),
    ("jonas", "jamr", "lyu_titov", "camr"),
]
VOTES = ["1,1,2,3,3,3", "2,2,2,4,4,3", "2,2,1,3,3,3"]
HEADER = "NO.,A1-1_2,A2-1_2,A3-1_2,A1-3_4,A2-3_4,A3-3_4"


def write(path, graphs):
    path.write_text("\n\n".join(graphs) + "\n", "utf-8")


def write_release(root):
    """Write the files of the release to a new folder."""
    root.mkdir()
    write(root / "0.e86_test.ref_filtered", REFERENCES)
    for name, graphs in SYSTEMS.items():
        write(root / f"0.e86_test.{name}_filtered", graphs)
    for k in range(4):
        # Written on one line in the release, on several in the systems' own files.
        parses = [SYSTEMS[systems[k]][n] for n, systems in enumerate(SHOWN)]
        write(root / f"e86_test.ans{k + 1}", [text.replace(" :", "\n   :") for text in parses])
    rows = [f"{k + 1},{votes}" for k, votes in enumerate(VOTES)]
    (root / "amr_human.csv").write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")


def list_options(folder):
    """The options that make ``data=sembleu`` that of a folder with three sentences."""
    options = (f"root={folder}", "registry=null", "partitions.main.pairs.test=12")
    return [f"data.sembleu.{option}" for option in options]


def describe_data(folder):
    """The same as a configuration."""
    data = {"name": "sembleu", **compose_group("data", "sembleu")}
    data |= {"root": str(folder), "registry": None}
    return data | {"partitions": {"main": {**data["partitions"]["main"], "pairs": {"test": 12}}}}
