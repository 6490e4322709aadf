"""How much memory solving a class takes, known before it is begun."""

from __future__ import annotations

from math import prod
from typing import Final

from tablebase.materials.table import Table
from tablebase.solve.buffers import SLACK
from tablebase.values import BYTE_CODES, Metric

__all__ = ["memory_needed", "planes_reserved"]

_SETS: Final[dict[Metric, int]] = {"dtw": 4, "dtc": 5}
"""Of ``dtc`` the losses of two plies are needed at a time."""
_ITEM_BYTES = 4
_CELL_BYTES = 2
_SMALLER_BYTES = 2 * (8 + 8 + 1)
"""For each word of the sets of a smaller table, in both chains: the word and, at most one a word,
the number and the flag of a row."""


def planes_reserved(metric: Metric, limit: int | None) -> int:
    """How many bit planes are set aside for wins and for losses: as many as half of a code of a
    byte has bits, and with ``dtc``, which may need codes twice as high, one more if ``limit``, the
    ``no_capture_limit``, allows such distances."""
    bits = (BYTE_CODES - 1).bit_length() - 1
    return bits + (metric == "dtc" and (limit is None or limit >> bits > 0))


def memory_needed(table: Table) -> int:
    """An upper bound, in bytes, on the arrays alive while ``table`` is solved and stored.

    Both of its chains at a time, each with its sets and the planes of its wins and losses, and
    the sorted tables that captures lead to. What most classes touch is less, since late plies
    change little. Of the planes more may turn out to be needed, where distances of more than 254
    plies are found, which no rule set is known to have.
    """
    squares = [len(table.rules.squares(piece.animal)) for piece in table.axes]
    rows = prod(table.shape[:-2]) if len(squares) > 2 else 1
    words = (rows + 1) * squares[-2]
    planes = planes_reserved(table.metric, table.limit)
    chains = 2 * 8 * words * (_SETS[table.metric] + 2 * planes)
    items, largest = 0, 0
    for axis, piece in enumerate(table.axes):
        # The last axis that is left counts as the bits of a word.
        left = prod([count for other, count in enumerate(squares) if other != axis][:-1])
        # The capture of a side's last animal leaves its side lost wherever the others stand.
        last = sum(other.color == piece.color for other in table.axes) == 1
        if last or piece in table.smaller:
            items += left * (64 * _ITEM_BYTES + _SMALLER_BYTES)
            largest = max(largest, 64 * left)
    # While one of them is sorted, its codes are there twice.
    needed = chains + items + 2 * _CELL_BYTES * largest
    return needed + needed // SLACK
