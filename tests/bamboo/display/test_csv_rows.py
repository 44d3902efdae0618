"""Rows of CSV files: the same as those of `csv.writer`."""

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bamboo.display.csv_rows import format_rows

texts = st.none() | st.text(st.sampled_from("a,\"\n\r 'é"))
cells = texts | st.booleans() | st.integers() | st.floats()
numbers = st.sampled_from([0.0, -0.0, 1 / 3, 1e300, 5e-324, 2.0]) | st.floats(allow_nan=False)


def written(columns, line_end):
    file = io.StringIO()
    csv.writer(file, lineterminator=line_end).writerows(zip(*columns, strict=True))
    return file.getvalue()


@given(st.lists(st.tuples(numbers, st.booleans(), cells, texts)), st.sampled_from(["\n", "\r\n"]))
def test_rows_are_those_of_the_writer(rows, line_end):
    floats, flags, mixed, names = ([row[k] for row in rows] for k in range(4))
    arrays = [np.array(floats, np.float64), np.array(flags, np.bool_)]
    # Before Python 3.13 the writer leaves a carriage return without quotation marks.
    mixed, names = (
        [text.replace("\r", "\n") if isinstance(text, str) else text for text in column]
        for column in (mixed, names)
    )
    expected = written([range(len(rows)), floats, flags, mixed, names], line_end)
    columns = [range(len(rows)), *arrays, mixed, names]
    assert format_rows(len(rows), columns, line_end) == expected


def test_a_string_is_that_of_all_rows_and_nan_is_written_as_chosen():
    columns = ["a,b", np.array([np.nan, 0.5], np.float32)]
    assert format_rows(2, columns) == '"a,b",\n"a,b",0.5\n'
    assert format_rows(2, columns, nan="nan") == '"a,b",nan\n"a,b",0.5\n'
    assert format_rows(0, ["a", []]) == ""
