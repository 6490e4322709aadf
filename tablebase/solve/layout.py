"""How the solver lays a class out: words of 64 placements, and the moves that lead between them.

The last axis is the *bit animal*: its 63 squares are the bits of a word. The last but one is the
*inner* animal: its squares number the words of a row. The others are *outer*: their squares number
the rows. The first outer animal stands on files a to d only, since the mirror image of a placement
has the same value. With no outer animal, in two-animal classes, there is one row, and nothing is
mirrored.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES
from tablebase.jit import kernel
from tablebase.movegraph import DIRECTIONS, NOWHERE, MoveGraph

__all__ = ["ALL_ONES", "Layout", "Movers", "lay_out", "movers"]

ALL_ONES = np.uint64(2**64 - 1)

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


class Layout(NamedTuple):
    """The rows of a class of ``k`` animals, of which ``k - 2`` are outer."""

    row_squares: npt.NDArray[np.uint8]
    """``(rows, outer)``: where the outer animals stand; a collision makes the row illegal."""
    inner_squares: Words
    """``(words,)``: where the inner animal stands in each word of a row."""
    legal_rows: npt.NDArray[np.uint8]
    """``(rows,)``: 1 unless two outer animals stand on one square."""
    bit_mask: np.uint64
    """The squares of the bit animal."""
    half_index: Ints
    """``(k, 63)``: the number of a square on its axis, or ``NOWHERE``; the first outer axis numbers
    files a to d only."""
    full_index: Ints
    """``(k, 63)``: the same with every file numbered, as smaller tables are laid out."""
    strides: Ints
    """``(outer,)``: by how much the row grows with the number of the square on an outer axis."""
    mirror: Ints
    """``(63,)``: squares with left and right exchanged."""
    inner_mirror: npt.NDArray[np.uint8]
    """``(words,)``: the word in which the inner animal stands on the mirrored square."""


class Movers(NamedTuple):
    """The moves of one side."""

    outer: Ints
    """The outer axes of the side."""
    sources: npt.NDArray[np.uint32]
    """``(rows, 4 * len(outer))``: to which rows the moves of the outer animals lead, four for each
    axis of ``outer``. The number of rows, which stands for an empty row, means that there is no
    such move, be it that another outer animal is in its way, or that it is in ``mirrored``."""
    mirrored: npt.NDArray[np.uint32]
    """``(rows,)``: to which row, mirrored, the first outer animal's move across the middle leads,
    if it is this side's; there is at most one. The number of rows means none."""
    mirrored_edge: npt.NDArray[np.uint8]
    """``(rows,)``: which of the four moves that is."""
    victims: Ints
    """All axes of the other side."""
    targets: Ints
    """``(k, 63, 4)``, as in the move graph."""
    water: Words
    """``(k, 63, 4)``, as in the move graph."""
    clear: Words
    """``(k, 63, 4)``: where the bit animal may be while the move is made: not on the water that it
    jumps over, if it would stop the jump."""
    captures: npt.NDArray[np.uint8]
    """``(k, k, 63)``, as in the move graph."""
    blockers: Ints
    """The outer axes whose animals, in the water on the line, stop this side's jumps."""
    jumped: np.uint64
    """The water that any of this side's animals can jump over."""
    inner_case: npt.NDArray[np.uint16]
    """``(rows,)``: which of the inner animal's jumps the outer animals stop, as a number of
    ``inner_masks`` and ``inner_captures``."""
    den_entry: Words
    """``(k,)``: the squares from which the side's animal enters the enemy den; 0 for the others."""
    inner_offsets: Ints
    """``(offsets,)``, a multiple of four: by how much the word grows with a move of the inner
    animal, if it is this side's."""
    inner_masks: Words
    """``(cases, offsets, words)``: by offset and word: 0 if there is no such move from there, else
    the squares where the bit animal may be meanwhile, as in ``clear``."""
    inner_into: Ints
    """``(k, 63, 4, 2)``: by victim and target: word and direction of the inner animal's captures
    there; ``NOWHERE`` fills up."""
    inner_captures: Words
    """``(cases, words)``: the mask of the targets of the inner animal's captures of the bit
    animal."""
    moves_bit: bool
    """Whether the bit animal is this side's."""
    step_origins: Words
    """``(4,)``: from which squares it steps one file up, one down, one rank up, one down."""
    jump_shifts: Ints
    """``(jumps,)``: target less origin of its jumps."""
    jump_origins: Words
    """``(jumps,)``: from which squares it jumps so."""
    bit_into: Words
    """``(k, 63)``: by victim and target: the squares from which the bit animal captures there."""
    bit_into_inner: Words
    """``(words,)``: the same for the inner animal as the victim, by its word."""


@lru_cache(maxsize=8)
def lay_out(graph: MoveGraph) -> Layout:
    """The layout of a class."""
    k = graph.animals
    outer = k - 2
    axes = list(graph.squares)
    index = graph.index.copy()
    if outer:
        axes[0] = axes[0][axes[0] % FILES <= FILES // 2]
        index[0] = NOWHERE
        index[0, axes[0]] = np.arange(len(axes[0]))
    counts = [len(axis) for axis in axes]
    strides = np.array([int(np.prod(counts[o + 1 : outer])) for o in range(outer)], np.int64)
    rows = int(np.prod(counts[:outer]))
    row_squares = np.empty((rows, max(outer, 1)), np.uint8)
    if outer:
        row_squares[:] = np.stack(np.meshgrid(*axes[:outer], indexing="ij"), -1).reshape(rows, -1)
    mirror = np.array(MIRROR_SQUARE, np.int64)
    inner = k - 2
    taken = np.left_shift(np.uint64(1), row_squares[:, :outer].astype(np.uint64))
    legal = np.bitwise_count(np.bitwise_or.reduce(taken, axis=1)) == outer
    return Layout(
        row_squares=row_squares,
        inner_squares=graph.squares[inner].astype(np.uint64),
        legal_rows=legal.astype(np.uint8),
        bit_mask=np.bitwise_or.reduce(np.uint64(1) << graph.squares[-1].astype(np.uint64)),
        half_index=index,
        full_index=graph.index,
        strides=strides,
        mirror=mirror,
        inner_mirror=graph.index[inner, mirror[graph.squares[inner]]].astype(np.uint8),
    )


_STEPS = (1, -1, FILES, -FILES)


@lru_cache(maxsize=16)
def movers(graph: MoveGraph, color: int) -> Movers:
    """The moves of the side ``color``, prepared for the sweeps."""
    layout = lay_out(graph)
    k = graph.animals
    inner, bit = k - 2, k - 1
    own = graph.colors == color
    inner_squares = graph.squares[inner]
    clear = np.where(graph.blocks[bit][:, None, None], ~graph.water, ALL_ONES)
    inner_moves: dict[int, list[tuple[int, int, int]]] = {}
    inner_into = np.full((k, SQUARES, DIRECTIONS, 2), NOWHERE, np.int64)
    shifts: dict[int, int] = dict.fromkeys(_STEPS, 0)
    bit_into = np.zeros((k, SQUARES), np.uint64)
    for axis in (inner, bit):
        if not own[axis]:
            continue
        for origin in graph.squares[axis].tolist():
            for direction, target in enumerate(graph.targets[axis, origin].tolist()):
                if target == NOWHERE:
                    continue
                victims = [v for v in range(k) if graph.captures[axis, v, origin] >> direction & 1]
                if axis == bit:
                    shift = target - origin
                    shifts[shift] = shifts.get(shift, 0) | 1 << origin
                    for victim in victims:
                        bit_into[victim, target] |= np.uint64(1 << origin)
                    continue
                word = int(graph.index[inner, origin])
                inner_moves.setdefault(int(graph.index[inner, target]) - word, []).append(
                    (word, origin, direction)
                )
                for victim in victims:
                    free = int(np.argmax(inner_into[victim, target, :, 0] == NOWHERE))
                    inner_into[victim, target, free] = word, direction
    outer = np.flatnonzero(own[:inner]).astype(np.int64)
    blockers = np.flatnonzero(graph.blocks[:inner][:, own].any(axis=1)).astype(np.int64)
    rows = len(layout.row_squares)
    sources = np.full((rows, DIRECTIONS * len(outer)), rows, np.uint32)
    mirrored = np.full(rows, rows, np.uint32)
    mirrored_edge = np.zeros(rows, np.uint8)
    _find_sources(
        outer,
        blockers,
        graph.targets,
        graph.water,
        layout.row_squares,
        layout.legal_rows,
        layout.half_index,
        layout.strides,
        layout.mirror,
        sources,
        mirrored,
        mirrored_edge,
    )
    offsets = sorted(inner_moves)
    offsets += [0] * (-len(offsets) % 4)
    inner_jumped = np.bitwise_or.reduce(graph.water[inner], axis=None) if own[inner] else 0
    standing = np.left_shift(np.uint64(1), layout.row_squares[:, blockers].astype(np.uint64))
    stopped, inner_case = np.unique(
        np.bitwise_or.reduce(standing, axis=1) & np.uint64(inner_jumped), return_inverse=True
    )
    inner_masks = np.zeros((len(stopped), len(offsets), len(inner_squares)), np.uint64)
    inner_captures = np.zeros((len(stopped), len(inner_squares)), np.uint64)
    for number, offset in enumerate(sorted(inner_moves)):
        for word, origin, direction in inner_moves[offset]:
            goes = stopped & graph.water[inner, origin, direction] == 0
            inner_masks[goes, number, word] = clear[inner, origin, direction]
            if graph.captures[inner, bit, origin] >> direction & 1:
                target = graph.targets[inner, origin, direction]
                inner_captures[goes, word] |= np.uint64(1 << int(target))
    jumps = [shift for shift in shifts if shift not in _STEPS]
    return Movers(
        outer=outer,
        sources=sources,
        mirrored=mirrored,
        mirrored_edge=mirrored_edge,
        victims=np.flatnonzero(~own).astype(np.int64),
        targets=graph.targets,
        water=graph.water,
        clear=clear,
        captures=graph.captures,
        blockers=blockers,
        jumped=np.bitwise_or.reduce(graph.water[own], axis=None),
        inner_case=inner_case.astype(np.uint16),
        den_entry=np.where(own, graph.den_entry, np.uint64(0)),
        inner_offsets=np.array(offsets, np.int64),
        inner_masks=inner_masks,
        inner_into=inner_into,
        inner_captures=inner_captures,
        moves_bit=bool(own[bit]),
        step_origins=np.array([shifts[step] for step in _STEPS], np.uint64),
        jump_shifts=np.array(jumps, np.int64),
        jump_origins=np.array([shifts[shift] for shift in jumps], np.uint64),
        bit_into=bit_into,
        bit_into_inner=bit_into[inner, inner_squares],
    )


@kernel
def _find_sources(  # type: ignore[no-untyped-def]
    outer, blockers, targets, water, row_squares, legal_rows, index, strides, mirror,
    sources, mirrored, mirrored_edge,
):  # fmt: skip
    axes = strides.shape[0]
    for row in range(sources.shape[0]):
        if not legal_rows[row]:
            continue
        blocked = np.uint64(0)
        for axis in blockers:
            blocked |= np.uint64(1) << np.uint64(row_squares[row, axis])
        for i in range(outer.shape[0]):
            axis = outer[i]
            origin = row_squares[row, axis]
            for d in range(4):
                target = targets[axis, origin, d]
                if target < 0 or water[axis, origin, d] & blocked:
                    continue
                across = index[axis, target] < 0
                source = np.int64(0)
                for other in range(axes):
                    square = target if other == axis else np.int64(row_squares[row, other])
                    if across:
                        square = mirror[square]
                    source += index[other, square] * strides[other]
                if not legal_rows[source]:
                    continue
                if across:
                    mirrored[row] = source
                    mirrored_edge[row] = d
                else:
                    sources[row, 4 * i + d] = source
