"""Print the fingerprint of each metric's scores on the sample: run by the contract's tests."""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from adapters import missing_extra, ready  # noqa: E402
from conftest import PAIRS, ROOT  # noqa: E402
from contract import fingerprint  # noqa: E402

from bamboo.config.metrics import build_metric  # noqa: E402
from bamboo.config.request import compose_metrics  # noqa: E402
from metrics import pair_up, read_graphs  # noqa: E402

if __name__ == "__main__":
    folder = ROOT / "data" / "sample" / "main"
    pairs = pair_up(*[read_graphs(folder / f"{side}.test.amr")[:PAIRS] for side in ("src", "tgt")])
    jobs = compose_metrics([(name, name, {}) for name in sys.argv[1:]])
    print(
        json.dumps(
            {
                job.name: fingerprint(ready(build_metric(job.name, job.metric), pairs), pairs)
                for job in jobs
                if missing_extra(job.metric) is None
            }
        )
    )
