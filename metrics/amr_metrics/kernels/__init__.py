"""Kernels: functions in C on arrays, which Python calls by ctypes.

To add a kernel:

1. Write the function in the C file of its subject, with a comment on the idea, the invariant, the
   equation and the source. Mark it with ``EXPORT``; functions that only C calls are ``static``, and
   what several files use is in ``kernels.h``. Integers that are sizes come first, then the inputs
   with ``const``, then working memory and outputs. Write the shape of each array that depends on
   sizes alone; a matrix is then indexed as in NumPy::

       EXPORT double sum_rows(int64_t n, int64_t m, const double matrix[n][m], double sums[n])

2. Declare it where Python calls it: its prototype is read from the C source. Allocate outputs and
   memory there; kernels allocate nothing::

       _sum_rows = declare_kernel("sum_rows")

       def sum_rows(matrix: Floats) -> Floats:
           sums = np.empty(len(matrix))
           _sum_rows(*matrix.shape, np.ascontiguousarray(matrix), sums)
           return sums

   Each call checks types, shapes and contiguity, and that outputs are writable; an input of
   ``uint8_t`` may also be `bytes`. It does not check what the arrays contain: check indices that
   come from a file or a user where they enter.
3. A table of many arrays, a named tuple in Python, is a ``typedef struct`` in C whose members
   have the names of the fields. Pass the tuple for ``const Table *table``. Its
   arrays may have any shape: the kernel takes their sizes from the arrays or from parameters.
   Members may be structs themselves. A struct that is passed thousands of times is packed once:
   `amr_metrics.kernels.library.pack_struct`.
4. A kernel that may take longer than a second returns to Python from time to time, so that Ctrl-C
   is noticed, and goes on when it is called again: see ``pause.h``. Its first parameter is its
   state, which Python allocates for each call of the function::

       EXPORT bool sum_rows(Features *now, int64_t n, ...)

   It returns whether it is finished; results are outputs. After Ctrl-C it is never finished: what
   is used again later, such as a table with marks, is set at the start and not reset at the end.
5. Test it through its Python function; ``tests/metrics/kernels/test_pause.py`` has an example of
   each kernel that pauses.

Sums keep the order of the paper's or tool's implementation. Integers that may overflow are
unsigned. Division of floats by zero gives infinity or NaN; integers must not be divided by zero.
A changed source is compiled at the next use.
"""
