"""Many placements of one material at once: sorted by chunk, each chunk is looked at once."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from tablebase.errors import IllegalPositionError
from tablebase.index import Placing
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.probe.cache import ChunkCache
from tablebase.tablefile import chunk_count, chunk_shape
from tablebase.values import Metric, distance_of, outcome_of

__all__ = ["codes_of", "decode", "per_row", "rows_of"]

Integers = npt.NDArray[np.integer[Any]]


def rows_of(placing: Placing, material: Material, squares: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The number of each row of ``squares``, shape ``(n, k)``; ``IllegalPositionError`` names the
    first row that is no placement of an unfinished game."""
    rows = np.asarray(squares)
    numbers = placing.numbers(rows)
    illegal = numbers >= placing.table_class.cells
    if illegal.any():
        row = int(illegal.argmax())
        raise IllegalPositionError(
            f"row {row} is no placement of {material} in an unfinished game:"
            f" squares {rows[row].tolist()}"
        )
    return numbers


def per_row(name: str, values: npt.ArrayLike, rows: int, least: int, most: int) -> Integers:
    """``values``, one for all rows or one for each, as an array of one for each; ``ValueError``
    names the first that is not from ``least`` to ``most``."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.shape not in ((), (rows,)):
        raise ValueError(
            f"{name} is {array.dtype} of the shape {array.shape};"
            f" an integer, or integers of the shape ({rows},), are wanted"
        )
    array = np.broadcast_to(array, (rows,))
    wrong = (array < least) | (array > most)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"row {row}: {name} is {least} to {most}; {array[row]} is not")
    return array


def codes_of(
    cache: ChunkCache,
    placing: Placing,
    table: Table,
    numbers: npt.NDArray[np.int64],
    sides: Integers,
) -> npt.NDArray[np.uint16]:
    """The code of each number in ``table``, with each side to move (in the material's colours)."""
    chunks, cells = chunk_count(table.shape), prod(chunk_shape(table.shape))
    codes = np.empty(len(numbers), np.uint16)
    group = np.array(placing.sides)[sides] * chunks + numbers // cells
    # Small keys are sorted by radix, several times as fast.
    order = np.argsort(group.astype(np.min_scalar_type(2 * chunks)), kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=2 * chunks))
    start = 0
    for number, end in enumerate(ends.tolist()):
        if end > start:
            rows = order[start:end]
            chunk = np.asarray(cache.chunk(table, *divmod(number, chunks)))
            codes[rows] = chunk[numbers[rows] % cells]
            start = end
    return codes


def decode(
    metric: Metric, codes: npt.NDArray[np.uint16]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """The outcome and the distance of each code, -1 for that of a draw."""
    outcomes, distances = _decoded(metric, int(codes.max(initial=0)).bit_length())
    return outcomes[codes], distances[codes]


@lru_cache(maxsize=32)
def _decoded(metric: Metric, bits: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """The same of every code of so many bits."""
    codes = range(1 << bits)
    distances = [distance_of(metric, code) for code in codes]
    return (
        np.array([outcome_of(code) for code in codes], np.int8),
        np.array([-1 if distance is None else distance for distance in distances], np.int32),
    )
