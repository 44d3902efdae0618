"""The smatchpp package's ILP on two files of graphs; prints CPU seconds, reading left out."""

import json
import sys
import time

from smatchpp import Smatchpp, data_helpers, model_factory, solvers

standardizer = model_factory.StandardizerFactory.get_standardizer("generic")
measure = Smatchpp(alignmentsolver=solvers.get_solver("ilp"), graph_standardizer=standardizer)
texts = [data_helpers.read_graphstrings_from_file(path) for path in sys.argv[1:3]]


def standardised(text):
    return standardizer.standardize(data_helpers.PenmanReader().string2graph(text))


start = time.process_time()
for side in texts:
    for text in side:
        standardised(text)
reading = time.process_time() - start
start = time.process_time()
for a, b in zip(*texts, strict=True):
    measure.process_pair(a, b)
spent = time.process_time() - start
# process_pair reads too; what that takes was measured alone.
print(json.dumps({"pairs": len(texts[0]), "cpu": spent - reading}))
