"""The significance matrices, with all numbers formatted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bamboo.site.content import Board, Content
from bamboo.site.titles import label, number
from bamboo.statistics.columns import Column


def matrices(content: Content) -> dict[str, Any]:
    """Return the matrices, by protocol."""
    return {
        "protocols": {
            board.results.protocol: {
                "metrics": list(board.comparison.metrics),
                "columns": [_matrix(board, column) for column in board.comparison.columns],
            }
            for board in content.boards
        }
    }


def _matrix(board: Board, column: Column) -> dict[str, Any]:
    count, level = len(column.values), board.comparison.settings.level
    order = [int(k) for k in np.argsort(-column.values, kind="stable")]
    return {
        "name": column.name,
        "label": label(column.name),
        "pairs": f"{column.pairs:,}",
        "values": [number(value) for value in column.values],
        "order": [k for k in order if np.isfinite(column.values[k])],
        "cells": [
            [_difference(column, i, j, level) if i != j else None for j in range(count)]
            for i in range(count)
        ],
    }


def _difference(column: Column, i: int, j: int, level: float) -> dict[str, Any] | None:
    if math.isnan(column.p[i, j]):
        return None
    check = column.check[i, j]
    return {
        "difference": number(column.differences[i, j]),
        "low": number(column.bounds[i, j, 0]),
        "high": number(column.bounds[i, j, 1]),
        "p": f"{column.p[i, j]:.4f}",
        "adjusted": f"{column.p_adjusted[i, j]:.4f}",
        "check": None if math.isnan(check) else f"{check:.4f}",
        "real": bool(column.p_adjusted[i, j] < level),
    }
