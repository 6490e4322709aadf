"""From where the animals of a material stand to the number of the placement in its table."""

from __future__ import annotations

from collections.abc import Sequence
from operator import getitem
from typing import Any

import numpy as np
import numpy.typing as npt

from tablebase.game.board import SQUARES, TURN_SQUARE
from tablebase.game.rules import Rules
from tablebase.index.table import ILLEGAL, TableIndex, mirrors
from tablebase.materials.classes import Material, TableClass, locate

__all__ = ["Route"]


class Route:
    """The way from one material to its table: renaming, swapped sides and the mirror in one.

    Squares are given in the order of :attr:`Material.pieces <tablebase.materials.Material.pieces>`
    (White's animals, then Black's, each strongest first), in the material's own colours.
    """

    __slots__ = ("_ways", "addends", "first", "sides", "table")

    table: TableClass
    first: int
    """Which of the pieces is on axis 0, and so decides whether the mirror image is looked up."""
    addends: tuple[tuple[tuple[int, ...], ...], ...]
    """By the square of that piece: for each piece, what each of its squares adds to the number."""
    sides: tuple[int, int]
    """By the side to move: the side to move in the table."""

    def __init__(self, rules: Rules, material: Material) -> None:
        self.table, swapped, order = locate(rules, material)
        seen = TURN_SQUARE if swapped else tuple(range(SQUARES))
        axis_of = [order.index(piece) for piece in range(len(order))]
        self._ways = [
            tuple(tuple([by_axis[axis][square] for square in seen]) for axis in axis_of)
            for by_axis in TableIndex(self.table).addends
        ]
        self.first = order[0]
        self.addends = tuple(self._ways[mirrors(square)] for square in seen)
        self.sides = (1, 0) if swapped else (0, 1)

    def number(self, squares: Sequence[int]) -> int:
        """The number of a placement of animals that stand on different squares.

        ``table.cells`` or more if one of them cannot stand on its square in an unfinished game.
        """
        return sum(map(getitem, self.addends[squares[self.first]], squares))

    def numbers(self, squares: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """The numbers of placements, ``ILLEGAL`` or more for those that are not legal.

        ``squares`` has the shape ``(n, k)``: a row a placement, a column a piece.
        """
        pieces = len(self.addends[0])
        if squares.ndim != 2 or squares.shape[1] != pieces or squares.dtype.kind not in "iu":
            raise ValueError(
                f"squares is {squares.dtype} of the shape {squares.shape};"
                f" integers of the shape (n, {pieces}) are wanted"
            )
        # A column of addends is that of the piece: as it stands, filled up, mirrored, filled up.
        addends = np.full((pieces, 256), ILLEGAL)
        for mirrored, way in enumerate(self._ways):
            addends[:, 128 * mirrored : 128 * mirrored + SQUARES] = way
        offsets = np.array([128 * (way is self._ways[1]) for way in self.addends], np.uint8)

        # A square that is on no board becomes 63, to which no animal has an addend.
        rows = np.where((squares >= 0) & (squares < SQUARES), squares, SQUARES).astype(np.uint8)
        columns = np.ascontiguousarray(rows.T)
        mirrored = np.append(offsets, np.uint8(0))[columns[self.first]]
        numbers = np.zeros(len(rows), np.int64)
        for piece, column in enumerate(columns):
            numbers += addends[piece][column + mirrored]
        for piece, column in enumerate(columns):
            for other in columns[:piece]:
                numbers[column == other] = ILLEGAL
        return numbers
