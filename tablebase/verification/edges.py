"""The moves of a table's animals as the checking kernel wants them, compiled from the rules alone.

This is on purpose not the solver's move graph: a mistake there must not be repeated here. Where
captures lead is said by the index.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import DENS, FILES, MIRROR_SQUARE, SQUARES, Color
from tablebase.index import Placing
from tablebase.materials.table import Table

__all__ = ["Edges", "Smaller", "compile_edges", "smaller_tables"]

Ints = npt.NDArray[np.int64]

_WAYS = 4
_STRETCH = 3
"""No jump crosses more water squares than the lakes are long."""
_NONE = -1


class Edges(NamedTuple):
    """The moves of the ``k`` animals of a table, and their places in it.

    Edges are numbered from 0 to 3 for each animal and square.
    """

    colors: Ints
    """``(k,)``."""
    counts: Ints
    """``(k,)``: the length of each axis."""
    strides: Ints
    """``(k,)``: by how many cells the table advances with each place on an axis."""
    squares: Ints
    """``(k, 63)``: the square of each place on an axis."""
    places: Ints
    """``(k, 63)``: the place of each square, or -1."""
    targets: Ints
    """``(k, 63, 4)``: where each edge leads; -1 fills up."""
    dens: npt.NDArray[np.bool_]
    """``(k, 63, 4)``: whether the edge enters the enemy den."""
    water: Ints
    """``(k, 63, 4, 3)``: the water squares that the edge jumps over; -1 fills up."""
    takes: npt.NDArray[np.bool_]
    """``(k, 63, 4, k)``: whether the animal may take that of another axis along the edge."""
    stops: npt.NDArray[np.bool_]
    """``(k, k)``: whether the first animal, standing in the water, stops the second's jumps."""
    alone: npt.NDArray[np.bool_]
    """``(k,)``: whether the animal is its side's last, so that its capture ends the game."""
    mirror: Ints
    """``(63,)``: squares with left and right exchanged."""


class Smaller(NamedTuple):
    """Where what is left after each capture is, when the codes of the smaller tables are joined."""

    parts: tuple[tuple[Table, Color], ...]
    """What to join, in this order: the tables, each with the side to move in it."""
    starts: Ints
    """``(k,)``: by victim, where its part begins; 0 if nobody can capture it."""
    offsets: Ints
    """``(k, 2, k, 63)``: by victim, image (as it stands, mirrored), axis and square: what the
    square adds to the number of the placement, as in :class:`~tablebase.index.Placing`."""
    pivots: Ints
    """``(k,)``: the axis whose animal decides which image is looked up: that on files a to d."""


def compile_edges(table: Table) -> Edges:
    """The moves of the animals of ``table``."""
    rules, axes = table.rules, table.axes
    k = len(axes)
    targets = np.full((k, SQUARES, _WAYS), _NONE, np.int64)
    dens = np.zeros((k, SQUARES, _WAYS), np.bool_)
    water = np.full((k, SQUARES, _WAYS, _STRETCH), _NONE, np.int64)
    takes = np.zeros((k, SQUARES, _WAYS, k), np.bool_)
    stops = np.zeros((k, k), np.bool_)
    places = np.full((k, SQUARES), _NONE, np.int64)
    squares = np.zeros((k, SQUARES), np.int64)
    for axis, (color, animal) in enumerate(axes):
        for place, square in enumerate(table.squares[axis]):
            places[axis, square] = place
            squares[axis, place] = square
        for edge in rules.edges(animal, color):
            way = int(np.argmax(targets[axis, edge.origin] == _NONE))
            targets[axis, edge.origin, way] = edge.target
            dens[axis, edge.origin, way] = edge.target == DENS[color.other]
            water[axis, edge.origin, way, : len(edge.water)] = edge.water
            for victim, (side, defender) in enumerate(axes):
                takes[axis, edge.origin, way, victim] = side != color and rules.may_capture(
                    animal, color, defender, edge
                )
        for other, (side, _) in enumerate(axes):
            stops[other, axis] = rules.blocks_jump(side, color)
    sides = [color for color, _ in axes]
    counts = np.array(table.shape, np.int64)
    return Edges(
        colors=np.array(sides, np.int64),
        counts=counts,
        strides=np.append(np.cumprod(counts[:0:-1])[::-1], 1),
        squares=squares,
        places=places,
        targets=targets,
        dens=dens,
        water=water,
        takes=takes,
        stops=stops,
        alone=np.array([sides.count(color) == 1 for color in sides]),
        mirror=np.array(MIRROR_SQUARE, np.int64),
    )


def smaller_tables(table: Table) -> Smaller:
    """The smaller tables that the captures in ``table`` lead to."""
    k = len(table.axes)
    parts: list[tuple[Table, Color]] = []
    starts = np.zeros(k, np.int64)
    offsets = np.zeros((k, 2, k, SQUARES), np.int64)
    pivots = np.zeros(k, np.int64)
    total = 0
    for victim, piece in enumerate(table.axes):
        left = table.smaller.get(piece)
        if left is None:
            continue
        placing = Placing.of(table.rules, left)
        small = Table(placing.table_class, table.metric)
        # Whoever lost an animal is to move.
        parts.append((small, Color(placing.sides[piece.color])))
        starts[victim] = total
        total += small.cells
        axes = [table.axes.index(other) for other in left.pieces]
        offsets[victim][:, axes] = placing.offsets
        pivots[victim] = axes[placing.first]
    assert FILES == 7  # the kernel tells the halves of the board by it
    return Smaller(tuple(parts), starts, offsets, pivots)
