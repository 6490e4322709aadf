"""Small tables with made-up values, for tests of what stores and finds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from tablebase.game.rules import Rules
from tablebase.materials.table import Table
from tablebase.tablefile import (
    Histogram,
    LongestWin,
    TableHeader,
    TableSummary,
    Zugzwangs,
    chunk_shape,
    write_table,
)
from tablebase.values import Metric

__all__ = [
    "LARGE",
    "SMALL",
    "ChunkSource",
    "sample_codes",
    "sample_summary",
    "table_of",
    "write_sample",
]

Codes = NDArray[np.unsignedinteger]


def table_of(name: str, rules: Rules | None = None, metric: Metric = "dtw") -> Table:
    return Table.of(rules or Rules(), name, metric)


SMALL: Final = table_of("EvP")
"""Two animals: one chunk for either side to move."""
LARGE: Final = table_of("ELvTP")
"""Four animals: 28 chunks for either side to move."""


def sample_summary(maximum: int = 200, distances: int = 5) -> TableSummary:
    white = Histogram({2 * n + 1: n + 7 for n in range(distances)}, {0: 1, 2: 30}, 4)
    black = Histogram({}, {2 * n: n + 3 for n in range(distances)}, 0)
    longest = LongestWin(9, "3R3/7/7/7/4r2/7/7/7/6E w")
    return TableSummary(maximum, (white, black), (longest, None), Zugzwangs(3, 14))


def sample_codes(table: Table, dtype: str = "uint8", maximum: int = 200) -> Codes:
    """Codes in runs, as in real tables; shape (2, \\*table.shape)."""
    random = np.random.default_rng(len(table.shape))
    cells = 2 * int(np.prod(table.shape))
    runs = random.integers(0, maximum, size=cells // 40 + 1, endpoint=True).astype(dtype)
    codes: Codes = np.repeat(runs, 40)[:cells].reshape(2, *table.shape)
    codes[1, ..., 0] = maximum
    return codes


class ChunkSource:
    """The chunks of an array, as ``write_table`` asks for them; it remembers what it was asked."""

    def __init__(self, table: Table, codes: Codes) -> None:
        self._chunks = codes.reshape(2, -1, *chunk_shape(table.shape))
        self.asked: list[tuple[int, int]] = []

    def __call__(self, side: int, number: int) -> Codes:
        self.asked.append((side, number))
        chunk: Codes = self._chunks[side, number]
        return chunk


def write_sample(
    path: Path,
    table: Table,
    dtype: Literal["uint8", "uint16"] = "uint8",
    **changes: Any,
) -> TableHeader:
    maximum = 200 if dtype == "uint8" else 1000
    codes = sample_codes(table, dtype, maximum)
    arguments: dict[str, Any] = {
        "summary": sample_summary(maximum),
        "chunks": ChunkSource(table, codes),
    }
    return write_table(path, table, dtype, **(arguments | changes))
