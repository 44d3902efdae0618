"""The commands whose results are recorded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A command and the files it writes.

    Attributes:
        command: options of ``python -m bamboo``; Python code if it begins with ``-c``.
        files: patterns of files to read besides standard output, in the folder of work.
        needs: a module, or a folder of the shared data; skipped if it is not there.
        built: the entry ``build`` runs first.
        slow: skipped without ``--slow``.
    """

    name: str
    command: str
    files: tuple[str, ...] = ()
    needs: str = ""
    built: bool = False
    slow: bool = False


# Options are complete where the defaults of a metric may change.
METRICS = {
    "smatch": "metric=smatch metric.root=concept",
    "smatch_1.0": "metric=smatch_1.0",
    "wsmatch": "metric=wsmatch",
    "s2match_default": "metric=s2match_default",
    "s2match": "metric=s2match",
    "smatchpp": "metric=smatchpp",
    "sema": "metric=sema metric.variant=corrected metric.hypothesis=src",
    "sema-published": "metric=sema metric.variant=published metric.hypothesis=tgt",
    "sembleu": "metric=sembleu metric.k=3 metric.variant=corrected metric.hypothesis=src",
    "sembleu-published": "metric=sembleu metric.k=3 metric.variant=published metric.hypothesis=tgt",
    "rematch": "metric=rematch",
    "wlk": "metric=wlk metric.variant=definition",
    "wlk-2021": "metric=wlk metric.variant=2021",
    "wlk-2023": "metric=wlk metric.variant=2023",
    "wwlk": "metric=wwlk",
    "wwlk_2021": "metric=wwlk_2021",
    "wwlk_theta": "metric=wwlk_theta",
    "concept_cosine": "metric=concept_cosine",
    "label_overlap": "metric=label_overlap",
    "node_match": "metric=node_match",
    "blend": "metric=blend",
    "blend_cell": "metric=blend_cell",
    "blend_untrained": "metric=blend_untrained",
}
VARIANTS = {
    "smatch-hillclimb": "metric=smatch metric.root=concept solver=hillclimb solver.seed=3",
    "smatch-none": "metric=smatch metric.root=none metric.standardize=[unquote]",
    "smatch-milp": "metric=smatch metric.root=concept solver=milp limit=40",
    "wsmatch-core": "metric=wsmatch metric.weighting=core metric.depth=3",
    "s2match-cityblock": "metric=s2match_default metric.distance=cityblock metric.tau=0.3",
    "smatchpp-reify": "metric=smatchpp metric.standardize=amr-reify metric.root=none",
    "smatchpp-bamboo": "metric=smatchpp metric.standardize=bamboo metric.compression=true",
    "smatchpp-weights": "metric=smatchpp +metric.weights={instance:2} metric.levels=4",
    "sembleu-k1": "metric=sembleu metric.k=1 metric.variant=published metric.hypothesis=tgt",
    "sembleu-k2": "metric=sembleu metric.k=2 metric.variant=published metric.hypothesis=tgt",
    "sembleu-k4": "metric=sembleu metric.k=4 metric.variant=published metric.hypothesis=tgt",
    "sembleu-src": "metric=sembleu metric.k=3 metric.variant=published metric.hypothesis=src",
    "sembleu-2019": "metric=sembleu metric.k=3 metric.variant=2019 metric.hypothesis=src",
    "sembleu-symmetric": "metric=sembleu metric.k=2 metric.variant=corrected metric.symmetric=true",
    "wlk-top_down": "metric=wlk metric.K=3 metric.direction=top_down metric.variant=2021",
    "wlk-two_way": "metric=wlk metric.direction=two_way metric.level_weights=harmonic "
    "metric.variant=definition",
    "wwlk-seed": "metric=wwlk metric.seed=1 metric.K=1 metric.direction=two_way metric.form=recall",
    "wwlk-sif": "metric=wwlk metric.mass=sif metric.edge_to_node=true metric.stability=2",
    "wwlk_2021-seed": "metric=wwlk_2021 metric.seed=7 metric.direction=bottom_up",
    "wwlk-pot": "metric=wwlk metric.transport=pot limit=100",
    "wwlk-wordllama": "metric=wwlk_2021 vectors=wordllama",
    "s2match-wordllama": "metric=s2match_default vectors=wordllama",
}
NEEDS = {"wwlk-pot": "ot", "wwlk-wordllama": "wordllama", "s2match-wordllama": "wordllama"}
NEEDS |= dict.fromkeys(("blend", "blend_cell", "blend_untrained"), "wordllama")

ALL = "data=all partition=all"
MANY = "metric=[smatch,wsmatch,s2match,smatchpp,rematch]"
PARSERS = "score src=main.amr,reify.amr,syno.amr tgt=gold.amr ids=ignore ci=true"
SMALL = "score src=small.amr tgt=small_gold.amr ids=ignore"
SAMPLE = "src=camr/sample_parsed_amr.txt tgt=camr/sample_gold_amr.txt format=camr"
SAMPLE += " lengths=camr/sample_max_len.txt split_ids=true"
CAMR = "score metric=align_smatch format=camr lengths=camr/len_all.txt ids=ignore"
MATRIX = (
    "-c import json; from metrics import get, read_graphs; "
    "src, tgt = read_graphs('small.amr')[:9], read_graphs('small_gold.amr'); print(json.dumps("
    "{name: get(name).matrix(src, tgt).tolist() for name in ('smatch', 'rematch', 'smatchpp')}))"
)

# Name, command (with report=json, unless the name ends with -text), and files.
OTHERS = [
    ("compare-paper", f"compare {MANY} data=all protocol=paper"),
    ("compare-v0.2", f"compare {MANY} data=all protocol=v0.2"),
    ("compare-text", f"compare {MANY} data=all protocol=v0.2 report=markdown"),
    ("split-dev", "run metric=[smatch,rematch] data=sick split=dev partition=all"),
    ("parsers-smatch", f"{PARSERS} metric=smatch worst=5 per_pair=parsers.csv", "parsers.csv"),
    ("parsers-smatch_1.0", f"{PARSERS} metric=smatch_1.0"),
    ("parsers-smatchpp", f"{PARSERS} metric=smatchpp aspects=all worst=5"),
    ("parsers-one", f"{PARSERS} metric=smatchpp aspects=all alignment=one resamples=100"),
    ("parsers-amrlib", f"{PARSERS} metric=smatch aspects=all aspects_definition=amrlib"),
    ("parsers-2017", f"{PARSERS} metric=smatch aspects=all aspects_definition=amr-evaluation"),
    ("parsers-text", f"{PARSERS} metric=smatchpp aspects=[ner,negation] resamples=100 worst=2"),
    ("metrics", "score src=syno.amr tgt=gold.amr ids=ignore metric=smatch,rematch,s2match ci=true"),
    ("pairs-all", f"{SMALL} metric=smatch pairs=all worst=3"),
    ("pairs-all-rematch", f"{SMALL} metric=rematch pairs=all"),
    ("pairs-file", f"{SMALL} metric=smatch pairs=pairs.tsv ci=true"),
    ("broken-stop", "score src=broken.amr tgt=gold.amr metric=smatch"),
    ("broken-nan", "score src=broken.amr tgt=gold.amr metric=smatch ci=true on_error=nan"),
    ("broken-zero", "score src=broken.amr tgt=gold.amr metric=smatch ci=true on_error=zero"),
    ("shards", "score src=parts tgt=gold_parts metric=smatch shards=shards", "shards/**/*.csv"),
    ("prefer", "prefer data=./preferences metric=[smatch,rematch,smatchpp]"),
    ("camr-fig2", f"{CAMR} src=camr/fig2.camr.txt tgt=camr/fig2.tup"),
    ("camr-fig3", f"{CAMR} src=camr/fig3.camr.txt tgt=camr/fig4.camr.txt"),
    ("camr-fig6", f"{CAMR} src=camr/fig6.camr.txt tgt=camr/fig7.camr.txt"),
    ("camr-fig6b", f"{CAMR} src=camr/fig6b.camr.txt tgt=camr/fig7.tup"),
    ("explain-camr", f"explain metric=align_smatch pair=0 {SAMPLE}"),
    ("build-own", "build src=small.amr tgt=small_gold.amr ratings=ratings.txt name=mine out=mine "
     "scale=[0,1]", "mine/**/*.amr", "mine/**/*.y"),
    ("submit", "submit metric=smatch data=sts out=smatch.zip"),
    ("check", "check metric=smatch"),
    ("help-text", "help"),
]  # fmt: skip
COMMANDS = "run score explain compare tables train build check fetch prefer submit site list help"
LISTS = "metrics data partitions protocols tables trainers transforms solvers vectors engines"


def entries() -> list[Entry]:
    """Return all entries; those that compute scores for others come first."""
    build = "build data=[sts,para] partition=[reify,arg] report=json"
    found = [Entry("build", build, ("../data/built/*/*/*.amr",))]

    def add(name: str, command: str, *files: str, needs: str = "", **more: bool) -> None:
        report = "" if name.endswith("-text") else " report=json"
        found.append(Entry(name, command + report, files, needs, **more))

    for protocol in ("paper", "v0.2", "kendall"):
        for name, options in (METRICS | (VARIANTS if protocol == "paper" else {})).items():
            run = f"run {options} {ALL} protocol={protocol}"
            run += " ci=true" if protocol in ("paper", "v0.2") else ""
            files = [f"{name}/scores.csv"] if protocol == "paper" else []
            run += f" out={name}" if files else ""
            # WWLK-theta is trained for para reify on the train split that build makes.
            trained = name == "wwlk_theta"
            add(f"{protocol}-{name}", run, *files, needs=NEEDS.get(name, ""), built=trained)
    for table in ("1", "3", "4", "definitions", "leaderboard", "5", "6", "converged"):
        slow = table in ("5", "6", "converged")
        add(f"tables-{table}", f"tables table={table}", built=True, slow=slow)
    for table in ("sembleu_2", "sembleu_3"):
        add(f"tables-{table}", f"tables table={table}", needs="tripsbleu")
    found.append(Entry("matrix", MATRIX))
    for name, command, *files in OTHERS:
        add(name, command, *files)
    for metric in ("camr_smatch", "concept_smatch", "align_smatch"):
        for fix, mode in (("none", "paper"), ("relations", "paper"), ("all", "camrp2022")):
            options = f"metric.fix={fix} metric.mode={mode} subscores=true ci=true worst=3"
            add(f"{metric}-{fix}", f"score {SAMPLE} metric={metric} {options}")
    for metric, trainer in (("wwlk_theta", "spsa"), ("s2match", "grid"), ("blend_cell", "ridge")):
        out = f"train-{metric}"
        train = f"train metric={metric} data=sts partition=arg trainer={trainer} out={out}"
        files = [f"{out}/weights.json", f"{out}/history.csv"]
        add(out, train, *files, needs=NEEDS.get(metric, ""))
    syno = "build data=sts partition=syno out=syno"
    add("build-syno", syno, "syno/*/*/*.amr", needs="pywsd")
    built = "partition=[reify,arg] partition_source=built"
    add("run-built", f"run metric=smatch data=[sts,para] {built}", built=True)
    for metric in ("smatch", "smatchpp", "s2match", "wsmatch", "wwlk_2021"):
        for pair in (0, 319, 1000):
            add(f"explain-{metric}-{pair}", f"explain metric={metric} pair={pair}")
        add(f"explain-{metric}-text", f"explain metric={metric} pair=57")
    for report in ("table", "csv", "markdown", "latex"):
        run = f"run metric=[smatch,rematch] data=sample partition=all report={report}"
        add(f"run-{report}-text", run)
        add(f"score-{report}-text", f"{SMALL} metric=smatch worst=2 report={report}")
    names = COMMANDS.split() + [f"metric {name}" for name in METRICS if "-" not in name]
    for name in names:
        add(f"help-{name}-text".replace(" ", "-"), f"help {name}")
    for name in LISTS.split():
        add(f"list-{name}-text", f"list {name}")
    return found
