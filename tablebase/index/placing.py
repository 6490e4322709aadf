"""From where the animals of a material stand to the number of the placement in its table, and back.

This is the one place in which a material's squares become a class's: sides swapped and the board
turned, animals put on their axes, the mirror image taken, and a number made of it all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import getitem
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES, TURN_SQUARE
from tablebase.game.rules import Rules
from tablebase.materials.classes import Location, TableClass, locate
from tablebase.materials.material import Material

__all__ = ["ILLEGAL", "Placing", "is_mirrored"]

ILLEGAL: Final = 1 << 60
"""Added for a square on which an animal cannot stand: no number of a cell is as high."""


def is_mirrored(square: int) -> bool:
    """Whether a placement is looked up by its mirror image, as its first animal, that of axis 0, is
    on ``square``: on files e to g."""
    return square % FILES > FILES // 2


class Placing:
    """The placements of a material of ``k`` animals in the table of its class.

    Squares are given in the order of :attr:`Material.pieces
    <tablebase.materials.material.Material.pieces>` (White's animals, then Black's, each strongest
    first), in the material's own colours; those of :meth:`of_axes` in the order of the axes.
    """

    __slots__ = ("_addends", "_ways", "first", "location", "offsets", "sides", "table_class")

    location: Location
    table_class: TableClass
    offsets: npt.NDArray[np.int64]
    """``(2, k, 63)``, read-only: what each animal on each square adds to the number of a placement,
    which is looked up as it stands (0) or mirrored (1); :data:`ILLEGAL` where it cannot stand."""
    first: int
    """Which of the animals is on axis 0, and so decides whether the mirror image is looked up."""
    sides: tuple[int, int]
    """By the side to move: the side to move in the table."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self.table_class, swapped, order = location
        self.first = order[0]
        self.sides = (1, 0) if swapped else (0, 1)
        self.offsets = np.full((2, len(order), SQUARES), ILLEGAL, np.int64)
        stride = self.table_class.cells
        for piece, squares in zip(order, self.table_class.squares, strict=True):
            stride //= len(squares)
            for place, square in enumerate(squares):
                # To turn leaves the files alone, so it does not meddle with the mirror.
                here = TURN_SQUARE[square] if swapped else square
                self.offsets[0, piece, here] = stride * place
                self.offsets[1, piece, MIRROR_SQUARE[here]] = stride * place
        self.offsets.flags.writeable = False
        self._ways = tuple(tuple(map(tuple, way)) for way in self.offsets.tolist())
        self._addends = tuple(self._ways[is_mirrored(square)] for square in range(SQUARES))

    @classmethod
    def of(cls, rules: Rules, material: Material) -> Placing:
        """The placing of ``material`` under ``rules``."""
        return _placing(locate(rules, material))

    @classmethod
    def of_axes(cls, table_class: TableClass) -> Self:
        """The same with squares in the order of the axes of ``table_class``, in its colours."""
        return cls(Location(table_class, False, tuple(range(len(table_class.axes)))))

    # -- one placement -------------------------------------------------------------------------

    def number(self, squares: Sequence[int]) -> int:
        """The number of a placement of animals that stand on different squares.

        ``table_class.cells`` or more if one cannot stand on its square in an unfinished game.
        """
        return sum(map(getitem, self._addends[squares[self.first]], squares))

    def placement(self, number: int) -> tuple[int, ...]:
        """The square of each animal in the cell of that number, the first on files a to d. If two
        are the same the cell is no legal placement. ``IndexError`` if there is no such cell."""
        if not 0 <= number < self.table_class.cells:
            raise IndexError(self._no_cell(number))
        places = np.unravel_index(number, self.table_class.shape)
        axes = zip(self.table_class.squares, places, strict=True)
        return self.from_axes([squares[place] for squares, place in axes])

    def from_axes(self, squares: Sequence[int]) -> tuple[int, ...]:
        """The squares of the material's animals, given those of the axes, in the colours and on the
        board of the table; the mirror image is not taken."""
        _, swapped, order = self.location
        found = [0] * len(order)
        for piece, square in zip(order, squares, strict=True):
            found[piece] = TURN_SQUARE[square] if swapped else square
        return tuple(found)

    # -- arrays of them ------------------------------------------------------------------------

    def numbers(self, squares: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """The numbers of placements, ``ILLEGAL`` or more for those that are not legal.

        ``squares`` has the shape ``(n, k)``: a row a placement, a column an animal. ``ValueError``
        if it has not, or does not hold integers.
        """
        pieces = len(self.location.order)
        if squares.ndim != 2 or squares.shape[1] != pieces or squares.dtype.kind not in "iu":
            raise ValueError(
                f"squares is {squares.dtype} of the shape {squares.shape};"
                f" integers of the shape (n, {pieces}) are wanted"
            )
        # A row of addends is that of an animal: as it stands, filled up, mirrored, filled up.
        addends = np.full((pieces, 256), ILLEGAL)
        for image, way in enumerate(self.offsets):
            addends[:, 128 * image : 128 * image + SQUARES] = way
        images = np.array([128 * is_mirrored(square) for square in range(SQUARES)] + [0], np.uint8)

        # A square that is on no board becomes 63, to which no animal has an addend.
        rows = np.where((squares >= 0) & (squares < SQUARES), squares, SQUARES).astype(np.uint8)
        columns = np.ascontiguousarray(rows.T)
        image = images[columns[self.first]]
        numbers = np.zeros(len(rows), np.int64)
        for piece, column in enumerate(columns):
            numbers += addends[piece][column + image]
        for piece, column in enumerate(columns):
            for other in columns[:piece]:
                numbers[column == other] = ILLEGAL
        return numbers

    def placements(
        self, numbers: npt.NDArray[np.integer[Any]]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """The squares of the cells of these numbers, shape ``(n, k)``, and which of them are legal
        placements, shape ``(n,)``. ``IndexError`` if there is no such cell."""
        beyond = (numbers < 0) | (numbers >= self.table_class.cells)
        if beyond.any():
            raise IndexError(self._no_cell(int(numbers[beyond.argmax()])))
        _, swapped, order = self.location
        squares = np.empty((len(numbers), len(order)), np.uint8)
        taken = np.zeros(len(numbers), np.uint64)
        places = np.unravel_index(numbers, self.table_class.shape)
        for piece, axis, place in zip(order, self.table_class.squares, places, strict=True):
            seen = np.array([TURN_SQUARE[s] if swapped else s for s in axis], np.uint8)
            squares[:, piece] = seen[place]
            taken |= np.uint64(1) << squares[:, piece].astype(np.uint64)
        return squares, np.bitwise_count(taken) == len(order)

    def _no_cell(self, number: int) -> str:
        table_class = self.table_class
        return f"{table_class.name} has no cell {number}: 0 to {table_class.cells - 1}"


@lru_cache(maxsize=256)
def _placing(location: Location) -> Placing:
    return Placing(location)
