"""The tables that captures lead to, laid out and sorted by code for the sweeps.

For each axis whose animal can be captured: the placements of the animals that are left, with the
side to move that lost the animal, numbered by word and bit as the sweeps see them, in the order of
their codes. A chain then puts them into sets and takes them out ply by ply, touching each a few
times in all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import SQUARES, Color
from tablebase.index import Placing, is_mirrored
from tablebase.jit import kernel
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.movegraph import MoveGraph
from tablebase.solve.buffers import Buffers
from tablebase.solve.layout import Words
from tablebase.solve.sweep import Smaller

__all__ = [
    "CodeReader",
    "Layers",
    "Sorted",
    "clear",
    "complement",
    "insert",
    "release_layers",
    "remove",
    "settle",
    "smaller_sets",
    "sort_smaller",
]

CodeReader = Callable[[Table, Color], npt.NDArray[np.unsignedinteger]]
"""Gives the codes of a smaller table for one side to move, in the shape of the table."""


class Sorted(NamedTuple):
    """The placements that are left after the capture of one animal, by code."""

    items: npt.NDArray[np.uint32]
    """Numbers ``word * 64 + bit`` of the decided placements, in the order of their codes."""
    starts: npt.NDArray[np.int64]
    """``(codes + 1,)``: where the placements of each code begin in ``items``."""
    rows: int
    width: int
    """The number of words in a row."""
    strides: npt.NDArray[np.int64]
    """``(outer,)``: by how much the row grows with the square number of an outer animal."""

    def with_code(self, code: int) -> npt.NDArray[np.uint32]:
        """The items with that code, ascending."""
        last = len(self.starts) - 1
        return self.items[self.starts[min(code, last)] : self.starts[min(code + 1, last)]]


class Layers(NamedTuple):
    """The sorted smaller tables by victim axis; ``None`` where nobody can capture the animal."""

    sorted: tuple[Sorted | None, ...]

    @property
    def last_code(self) -> int:
        """The highest code in any of them."""
        return max((len(s.starts) - 2 for s in self.sorted if s is not None), default=0)


def sort_smaller(
    table: Table, graph: MoveGraph, read: CodeReader, buffers: Buffers | None = None
) -> Layers:
    """Read and sort what every capture in ``table`` leads to; ``buffers`` is where large arrays
    come from, and :func:`release_layers` gives them back."""
    buffers = buffers or Buffers()
    sides = [piece.color for piece in table.axes]
    found: list[Sorted | None] = []
    try:
        for victim, piece in enumerate(table.axes):
            if not graph.captures[:, victim].any():
                found.append(None)
                continue
            last = sides.count(piece.color) == 1
            source = None if last else _Read(table, victim, table.smaller[piece], read)
            found.append(_sort(graph, victim, source, buffers))
    except BaseException:
        release_layers(Layers(tuple(found)), buffers)
        raise
    return Layers(tuple(found))


def release_layers(layers: Layers, buffers: Buffers) -> None:
    """Give the arrays of ``layers`` back; it may not be used any more."""
    buffers.give(*(part.items for part in layers.sorted if part is not None))


class _Read:
    """The codes of a smaller table, and where in them each square of each remaining axis leads."""

    def __init__(self, table: Table, victim: int, left: Material, read: CodeReader) -> None:
        placing = Placing.of(table.rules, left)
        small = Table(placing.table_class, table.metric)
        codes = read(small, Color(placing.sides[table.axes[victim].color]))
        self.codes = np.ascontiguousarray(codes).reshape(-1)
        axis_of = [table.axes.index(piece) for piece in left.pieces]
        self.offsets = np.zeros((2, len(table.axes), SQUARES), np.int64)
        """``(2, k, 63)``: as in :class:`~tablebase.index.Placing`, by axis of the large table."""
        self.offsets[:, axis_of] = placing.offsets
        self.pivot = axis_of[placing.first]
        """The axis whose animal decides whether the mirror image is looked up."""


def _sort(graph: MoveGraph, victim: int, source: _Read | None, buffers: Buffers) -> Sorted:
    k = graph.animals
    outer, inner, bit = k - 2, k - 2, k - 1
    row_axes = [axis for axis in range(outer) if axis != victim]
    column = inner if victim < outer else None
    bits = inner if victim == bit else bit
    strides = np.zeros(outer, np.int64)
    rows = 1
    for axis in reversed(row_axes):
        strides[axis] = rows
        rows *= len(graph.squares[axis])
    width = len(graph.squares[column]) if column is not None else 1

    # Five levels at most: up to three row axes, the column and the bits; a missing one has the one
    # square 0, which no animal of another level is compared with.
    names = ([-1] * (3 - len(row_axes)) + row_axes, [-1] if column is None else [column], [bits])
    axes = [axis for part in names for axis in part]
    counts = np.array([1 if a < 0 else len(graph.squares[a]) for a in axes], np.int64)
    squares = np.zeros((5, SQUARES), np.int64)
    masks = np.zeros((5, SQUARES), np.uint64)
    offsets = np.zeros((2, 5, SQUARES), np.int64)
    pivot = 0
    for level, axis in enumerate(axes):
        if axis < 0:
            continue
        here = graph.squares[axis]
        squares[level, : len(here)] = here
        masks[level, : len(here)] = np.uint64(1) << here.astype(np.uint64)
        if source is not None:
            offsets[:, level, : len(here)] = source.offsets[:, axis, here]
            if axis == source.pivot:
                pivot = level
    left_half = np.array([not is_mirrored(square) for square in range(SQUARES)])
    # The capture of the last animal leaves its side lost in 0 plies, wherever the others stand.
    codes = np.ones(1, np.uint8) if source is None else source.codes
    table = buffers.take(rows * width * 8 * codes.itemsize).view(codes.dtype)
    table[:] = 0
    histograms = np.zeros((_LANES, int(codes.max()) + 2), np.int64)
    _lay_out(codes, counts, squares, masks, offsets, pivot, left_half, table, histograms)
    histogram = histograms.sum(axis=0)
    starts = np.zeros(len(histogram), np.int64)
    starts[2:] = np.cumsum(histogram[1:-1])
    # Room for all cells, so that the array is of use for other classes too.
    items = buffers.take(table.size // 2).view(np.uint32)[: int(histogram[1:].sum())]
    _scatter(table, table.view(np.uint64), starts.astype(np.uint64), items)
    buffers.give(table)
    return Sorted(items, starts, rows, width, strides)


_LANES = 4


@kernel
def _lay_out(codes, counts, squares, masks, offsets, pivot, left_half, table, histograms):  # type: ignore[no-untyped-def]
    """Copy codes into word-and-bit order, with 0 for collisions, and count them.

    Neighbours mostly have the same code: counted in one place, each would wait for the one before.
    """
    word = np.int64(0)
    for a in range(counts[0]):
        for b in range(counts[1]):
            if masks[0, a] & masks[1, b]:
                word += counts[2] * counts[3]
                continue
            for c in range(counts[2]):
                taken = masks[0, a] | masks[1, b]
                if taken & masks[2, c]:
                    word += counts[3]
                    continue
                taken |= masks[2, c]
                plain = offsets[0, 0, a] + offsets[0, 1, b] + offsets[0, 2, c]
                image = offsets[1, 0, a] + offsets[1, 1, b] + offsets[1, 2, c]
                left = True
                if pivot == 0:
                    left = left_half[squares[0, a]]
                elif pivot == 1:
                    left = left_half[squares[1, b]]
                elif pivot == 2:
                    left = left_half[squares[2, c]]
                for d in range(counts[3]):
                    if taken & masks[3, d]:
                        word += 1
                        continue
                    if pivot == 3:
                        left = left_half[squares[3, d]]
                    taken_now = taken | masks[3, d]
                    plain_now = plain + offsets[0, 3, d]
                    image_now = image + offsets[1, 3, d]
                    for e in range(counts[4]):
                        if pivot == 4:
                            left = left_half[squares[4, e]]
                        cell = np.uint64(
                            plain_now + offsets[0, 4, e] if left else image_now + offsets[1, 4, e]
                        )
                        code = np.uint64(0) if taken_now & masks[4, e] else np.uint64(codes[cell])
                        histograms[e % _LANES, code] += 1
                        table[np.uint64(word * 64 + squares[4, e])] = code
                    word += 1


@kernel
def _scatter(table, eights, ends, items):  # type: ignore[no-untyped-def]
    """Write the numbers of the decided cells of ``table`` in the order of their codes; ``eights``
    is the same with eight cells a word."""
    for i in range(eights.shape[0]):
        if not eights[i]:
            continue
        for cell in range(8 // table.itemsize * i, 8 // table.itemsize * (i + 1)):
            code = table[cell]
            if code:
                end = ends[code]
                items[end] = cell
                ends[code] = end + np.uint64(1)


def smaller_sets(layers: Layers) -> Smaller:
    """Empty sets for a chain."""
    k = len(layers.sorted)
    words, rows = 0, 0
    first_word = np.zeros(k, np.int64)
    first_row = np.zeros(k, np.int64)
    strides = np.zeros((k, k - 2), np.int64)
    for victim, part in enumerate(layers.sorted):
        first_word[victim], first_row[victim] = words, rows
        if part is not None:
            strides[victim] = part.strides
            words += part.rows * part.width
            rows += part.rows
    return Smaller(
        words=np.zeros(words, np.uint64),
        held=np.zeros(rows, np.int64),
        fresh=np.zeros(rows, np.uint8),
        live=np.zeros(k, np.bool_),
        sizes=np.zeros(k, np.int64),
        first_word=first_word,
        first_row=first_row,
        strides=strides,
    )


def clear(layers: Layers, smaller: Smaller, victims: tuple[int, ...]) -> None:
    """Take everything out of the sets of ``victims``, with nothing fresh."""
    for victim, part in _parts(layers, victims):
        words, held = _set_of(smaller, victim, part)
        words[:] = 0
        held[:] = 0
        smaller.sizes[victim] = 0
        _lower_flags(smaller, victim, part)


def complement(layers: Layers, smaller: Smaller, victims: tuple[int, ...]) -> None:
    """Exchange what is in the sets of ``victims`` and what is not, bits without a meaning too."""
    for victim, part in _parts(layers, victims):
        words, held = _set_of(smaller, victim, part)
        np.invert(words, out=words)
        np.subtract(64 * part.width, held, out=held)
        smaller.sizes[victim] = 64 * words.size - smaller.sizes[victim]


def insert(layers: Layers, smaller: Smaller, victims: tuple[int, ...], code: int) -> None:
    """Put the placements with ``code``, none of them there, into the sets of ``victims``, and flag
    their rows."""
    _flip_all(layers, smaller, victims, code, 1)


def remove(layers: Layers, smaller: Smaller, victims: tuple[int, ...], code: int) -> None:
    """Take the placements with ``code``, all of them there, out of the sets of ``victims``, and
    flag their rows."""
    _flip_all(layers, smaller, victims, code, -1)


def settle(layers: Layers, smaller: Smaller, victims: tuple[int, ...]) -> None:
    """Lower the flags that :func:`insert` and :func:`remove` raised."""
    for victim, part in _parts(layers, victims):
        if smaller.live[victim]:
            _lower_flags(smaller, victim, part)


def _flip_all(
    layers: Layers, smaller: Smaller, victims: tuple[int, ...], code: int, step: int
) -> None:
    for victim, part in _parts(layers, victims):
        items = part.with_code(code)
        if len(items):
            smaller.live[victim] = True
            smaller.sizes[victim] += step * len(items)
            words, held = _set_of(smaller, victim, part)
            _flip(items, step, part.width, words, held, smaller.fresh[_rows(smaller, victim, part)])


def _lower_flags(smaller: Smaller, victim: int, part: Sorted) -> None:
    smaller.fresh[_rows(smaller, victim, part)] = 0
    smaller.live[victim] = False


def _set_of(smaller: Smaller, victim: int, part: Sorted) -> tuple[Words, npt.NDArray[np.int64]]:
    """The words of the set of ``victim``, and the numbers of placements in its rows."""
    first = smaller.first_word[victim]
    words = smaller.words[first : first + part.rows * part.width]
    return words, smaller.held[_rows(smaller, victim, part)]


def _rows(smaller: Smaller, victim: int, part: Sorted) -> slice:
    first = int(smaller.first_row[victim])
    return slice(first, first + part.rows)


def _parts(layers: Layers, victims: tuple[int, ...]) -> Iterator[tuple[int, Sorted]]:
    for victim in victims:
        part = layers.sorted[victim]
        if part is not None:
            yield victim, part


@kernel
def _flip(items, step, width, words, held, fresh):  # type: ignore[no-untyped-def]
    """Flip the bits numbered in ``items``, ascending, which adds ``step`` each to ``held``."""
    i = 0
    while i < items.shape[0]:
        first = i
        row = np.int64(items[i] >> np.uint32(6)) // width
        end = (row + 1) * width * 64
        while i < items.shape[0] and items[i] < end:
            # Of one word, many: it is written once.
            word = items[i] >> np.uint32(6)
            mask = np.uint64(0)
            while i < items.shape[0] and items[i] >> np.uint32(6) == word:
                mask |= np.uint64(1) << np.uint64(items[i] & np.uint32(63))
                i += 1
            words[word] ^= mask
        held[row] += step * (i - first)
        fresh[row] = 1
