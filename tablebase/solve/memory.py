"""How much memory solving a class takes, known before it is begun."""

from __future__ import annotations

from math import prod
from typing import Final

from tablebase.material import TableClass, captured_materials
from tablebase.values import Metric

__all__ = ["memory_needed"]

_SETS: Final[dict[Metric, int]] = {"dtw": 4, "dtc": 5}
"""Of ``dtc`` the losses of two plies are needed at a time."""
_PLANES = 7
"""Bit planes for each of wins and losses: enough for codes of a byte."""
_ITEM_BYTES = 4
_CELL_BYTES = 2


def memory_needed(table: TableClass, metric: Metric = "dtw") -> int:
    """An upper bound, in bytes, on the arrays alive while ``table`` is solved and stored.

    Both of its chains at a time, each with its sets and the planes of its wins and losses, and
    the sorted tables that captures lead to. What most classes touch is less, since late plies
    change little.
    """
    squares = [len(table.rules.squares(piece.animal)) for piece in table.axes]
    rows = prod(table.shape[:-2]) if len(squares) > 2 else 1
    words = rows * squares[-2]
    chains = 2 * 8 * words * (_SETS[metric] + 2 * _PLANES)
    items, largest = 0, 0
    captured = captured_materials(table.rules, table.material)
    for axis, piece in enumerate(table.axes):
        # The last axis that is left counts as the bits of a word.
        left = 64 * prod([count for other, count in enumerate(squares) if other != axis][:-1])
        # The capture of a side's last animal leaves its side lost wherever the others stand.
        last = sum(other.color == piece.color for other in table.axes) == 1
        if last or piece in captured:
            items += _ITEM_BYTES * left
            largest = max(largest, left)
    # While one of them is sorted, its codes are there twice.
    return chains + items + 2 * _CELL_BYTES * largest
