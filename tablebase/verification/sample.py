"""Which values of a table a sample takes, and which others follow from them in one ply."""

from __future__ import annotations

import random
from math import prod
from typing import Final, NamedTuple

import numpy as np

from tablebase.materials.table import Table
from tablebase.tablefile import chunk_count, chunk_shape
from tablebase.verification.edges import Edges

__all__ = ["Sample", "choose_sample"]

_CHUNKS: Final = 8
"""A sample is from at most so many chunks for a side to move."""


class Sample(NamedTuple):
    """Evenly spread rows of some chunks; a row is the placements that differ in the last axis."""

    chunks: tuple[int, ...]
    """The numbers of the chunks, ascending."""
    replies: tuple[int, ...]
    """Those to which moves that capture nothing lead from there, and they themselves."""
    step: int
    """Every how many rows of a chunk one is taken."""


def choose_sample(table: Table, edges: Edges, values: int, choose: random.Random) -> Sample:
    """A sample of about ``values`` values of ``table``, half of them for each side to move."""
    count = chunk_count(table.shape)
    *rows, width = chunk_shape(table.shape)
    chunks = sorted(choose.sample(range(count), min(_CHUNKS, count)))
    wanted = -(-values // (2 * len(chunks) * width))
    replies = sorted({reply for chunk in chunks for reply in _reached(table, edges, chunk)})
    return Sample(tuple(chunks), tuple(replies), max(prod(rows) // wanted, 1))


def _reached(table: Table, edges: Edges, chunk: int) -> set[int]:
    """The chunks to which moves that capture nothing lead from ``chunk``, and itself."""
    leading = table.shape[:-3]
    here = [int(place) for place in np.unravel_index(chunk, leading)] if leading else []
    squares = [table.squares[axis][place] for axis, place in enumerate(here)]
    found = {chunk}
    for axis, square in enumerate(squares):
        for target in edges.targets[axis, square].tolist():
            if target < 0 or (axis and edges.places[axis, target] < 0):
                continue
            after = [*squares[:axis], target, *squares[axis + 1 :]]
            if edges.places[axis, target] < 0:
                after = [int(edges.mirror[other]) for other in after]
            places = [int(edges.places[i, other]) for i, other in enumerate(after)]
            # The den, and the mirror image of it, is no place of the table.
            if min(places) >= 0:
                found.add(int(np.ravel_multi_index(places, leading)))
    return found
