"""The moves of a class as the checking kernel wants them, compiled from the rules alone.

This is on purpose not the solver's move graph: a mistake there must not be repeated here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import DENS, FILES, MIRROR_SQUARE, SQUARES, TURN_SQUARE, Color
from tablebase.materials.classes import Location, TableClass, locate
from tablebase.materials.material import captured_materials

__all__ = ["Edges", "Smaller", "compile_edges", "side_after_capture", "smaller_tables"]

Ints = npt.NDArray[np.int64]

_WAYS = 4
_STRETCH = 3
"""No jump crosses more water squares than the lakes are long."""
_NONE = -1


class Edges(NamedTuple):
    """The moves of a class of ``k`` animals and the places of its table.

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
    """How to find what is left after each capture in a smaller table."""

    locations: tuple[Location | None, ...]
    """By victim axis: the smaller table; ``None`` if there is none."""
    starts: Ints
    """``(k,)``: where the codes of a victim's smaller table begin when all are joined."""
    offsets: Ints
    """``(k, 2, k, 63)``: by victim, image (as it stands, mirrored), axis and square: what the
    square adds to the cell of the smaller table."""
    pivots: Ints
    """``(k,)``: the axis whose animal decides which image is stored: that on files a to d."""


def compile_edges(table: TableClass) -> Edges:
    """The moves of the class of ``table``."""
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


def smaller_tables(table: TableClass) -> Smaller:
    """The smaller tables that the captures in the class of ``table`` lead to."""
    k = len(table.axes)
    lefts = captured_materials(table.rules, table.material)
    locations: list[Location | None] = []
    starts = np.zeros(k, np.int64)
    offsets = np.zeros((k, 2, k, SQUARES), np.int64)
    pivots = np.zeros(k, np.int64)
    total = 0
    for victim, piece in enumerate(table.axes):
        if piece not in lefts:
            locations.append(None)
            continue
        location = locate(table.rules, lefts[piece])
        small = location.table
        locations.append(location)
        starts[victim] = total
        total += small.cells
        pieces = lefts[piece].pieces
        stride = small.cells
        for level, squares in enumerate(small.squares):
            stride //= len(squares)
            axis = table.axes.index(pieces[location.order[level]])
            if level == 0:
                pivots[victim] = axis
            for place, square in enumerate(squares):
                here = TURN_SQUARE[square] if location.swapped else square
                offsets[victim, 0, axis, here] = stride * place
                offsets[victim, 1, axis, MIRROR_SQUARE[here]] = stride * place
    assert FILES == 7  # the kernel tells the halves of the board by it
    return Smaller(tuple(locations), starts, offsets, pivots)


def side_after_capture(table: TableClass, victim: int, location: Location) -> Color:
    """The side to move in the smaller table after the capture of the animal of axis ``victim``:
    its own, or the other if that table has the sides exchanged."""
    return Color(table.axes[victim].color ^ location.swapped)
