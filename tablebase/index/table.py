"""The index of one table: squares in the order of its axes <-> number."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt

from tablebase.errors import IllegalPositionError
from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES
from tablebase.materials.classes import TableClass

__all__ = ["ILLEGAL", "TableIndex", "mirrors"]

ILLEGAL: Final = 1 << 60
"""Added for a square on which the animal of the axis cannot stand: no number of a cell is as
high."""


def mirrors(square: int) -> bool:
    """Whether a placement is looked up by its mirror image: its first animal, on ``square``, is on
    files e to g."""
    return square % FILES > FILES // 2


class TableIndex:
    """Placements of a table and their numbers; see the package for what they are.

    ``addends[m][i][s]`` is what the animal of axis ``i`` on square ``s`` adds to the number of a
    placement, which is taken as it stands (``m`` = 0) or mirrored (``m`` = 1), or :data:`ILLEGAL`.
    """

    def __init__(self, table: TableClass) -> None:
        self.table = table
        self.strides = tuple(prod(table.shape[i + 1 :]) for i in range(len(table.shape)))
        plain = []
        for squares, stride in zip(table.squares, self.strides, strict=True):
            addends = [ILLEGAL] * SQUARES
            for position, square in enumerate(squares):
                addends[square] = position * stride
            plain.append(tuple(addends))
        mirrored = [tuple(addends[m] for m in MIRROR_SQUARE) for addends in plain]
        self.addends = (tuple(plain), tuple(mirrored))

    # -- one placement -------------------------------------------------------------------------

    def number(self, squares: Sequence[int]) -> int:
        """The number of a placement, given as the square of the animal of each axis.

        ``IllegalPositionError`` if an animal cannot stand on its square or two share one.
        """
        number = sum(
            addends[square]
            for addends, square in zip(self.addends[mirrors(squares[0])], squares, strict=True)
        )
        if number >= ILLEGAL or len(set(squares)) < len(squares):
            raise IllegalPositionError(f"no placement of {self.table.name}: squares {squares}")
        return number

    def placement(self, number: int) -> tuple[int, ...]:
        """The square of the animal of each axis in the cell of that number, the first on files a
        to d. If two squares are the same the cell is no legal placement.

        ``IndexError`` if there is no such cell.
        """
        if not 0 <= number < self.table.cells:
            raise IndexError(f"{self.table.name} has no cell {number}: 0 to {self.table.cells - 1}")
        return tuple(
            axis[number // stride % len(axis)]
            for axis, stride in zip(self.table.squares, self.strides, strict=True)
        )

    # -- arrays of them ------------------------------------------------------------------------

    def numbers(self, squares: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        """The numbers of placements, -1 for those that are not legal.

        ``squares`` has the shape ``(n, k)``: a row a placement, a column an axis. Compiled: the
        first call in a process takes a moment, and the first ever some seconds.
        """
        from tablebase.index.kernels import number_all

        rows = np.ascontiguousarray(squares, np.uint8)
        if rows.ndim != 2 or rows.shape[1] != len(self.strides):
            raise ValueError(f"squares has the shape {squares.shape}, not (n, {len(self.strides)})")
        found = np.empty(len(rows), np.int64)
        addends = np.array(self.addends)
        addends[addends == ILLEGAL] = -1
        mirrored = np.array([mirrors(square) for square in range(SQUARES)])
        number_all(rows, addends, mirrored, found)
        return found

    def placements(
        self, numbers: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """The squares of the cells of these numbers, shape ``(n, k)``, and which of them are legal
        placements, shape ``(n,)``. ``IndexError`` if there is no such cell. Compiled."""
        from tablebase.index.kernels import place_all

        wanted = np.ascontiguousarray(numbers, np.int64)
        if wanted.size and not 0 <= wanted.min() <= wanted.max() < self.table.cells:
            raise IndexError(f"{self.table.name} has the cells 0 to {self.table.cells - 1}")
        axes = np.zeros((len(self.strides), SQUARES), np.uint8)
        for axis, standing in enumerate(self.table.squares):
            axes[axis, : len(standing)] = standing
        squares = np.empty((len(wanted), len(self.strides)), np.uint8)
        legal = np.empty(len(wanted), np.bool_)
        place_all(wanted, np.array(self.table.shape), axes, squares, legal)
        return squares, legal
