"""Several processes that use the same caches and write the same run folder at once."""

import re
import shutil

from tests.fuzz.campaign import home
from tests.fuzz.processes import RUN, finish, leftovers, numbers, start

ORDER = 80


def campaign(rng, budget):
    """Start two to four processes; all must succeed with the same output."""
    tried, failures = 0, []
    with home() as folder:
        expected = None
        for case in budget.cases():
            tried += 1
            count = int(rng.integers(2, 5))
            engine = ("serial", "loky")[int(rng.integers(0, 4) == 0)]
            if rng.integers(0, 2):  # otherwise the caches are full
                shutil.rmtree(folder / "runs", ignore_errors=True)
            processes = [start(*RUN, f"engine={engine}", folder=folder) for _ in range(count)]
            ends = [finish(process) for process in processes]
            what = f"case {case}, {count} processes"
            for status, _, err in ends:
                if status != 0 or "Traceback" in err or "warning" in err:
                    failures.append(f"{what}: status {status}, {err[-300:]!r}")
            outputs = {re.sub(r"\n.*\d+ of \d+ cells from cache\.?", "", out) for _, out, _ in ends}
            folders = [path for path in (folder / "runs").glob("run-*") if path.is_dir()]
            results = [numbers(path) for path in folders]
            expected = expected or results[0]
            if len(outputs) != 1 or results != [expected]:
                failures.append(f"{what}: {len(outputs)} outputs, {len(folders)} folders")
            if left := leftovers(folder / "runs"):
                failures.append(f"{what}: unfinished files {left}")
    return tried, failures
