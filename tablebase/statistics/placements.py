"""Every legal placement of a material with its values, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import Rules
from tablebase.index import Placing
from tablebase.materials.material import Material, Piece
from tablebase.materials.table import Table
from tablebase.probe import Tablebase
from tablebase.probe.many import decode
from tablebase.statistics.counts import metric_for
from tablebase.values import Metric

__all__ = ["ValueArrays", "value_arrays"]


@dataclass(frozen=True, slots=True, eq=False)
class ValueArrays:
    """All ``n`` legal placements of a material of ``k`` animals, mirror images included.

    The rows are in the order of their squares. Arrays are indexed by side to move (0 White, 1
    Black) where they have an axis for it, and speak from its view.
    """

    material: Material
    rules: Rules
    metric: Metric
    """What ``distance`` counts plies to: the end (``dtw``), or the next capture or den entry."""
    squares: npt.NDArray[np.uint8]
    """``(n, k)``: where each of ``material.pieces`` stands; ``rank * 7 + file``, a1 = 0."""
    outcome: npt.NDArray[np.int8]
    """``(2, n)``: 1, 0 or -1, won, drawn or lost."""
    distance: npt.NDArray[np.int32]
    """``(2, n)``: plies, -1 for a draw."""

    def __len__(self) -> int:
        return len(self.squares)

    def column(self, piece: Piece | str) -> int:
        """The column of ``squares`` for a piece, which may be given by its FEN letter; a
        ``ValueError`` if it is none of the material's."""
        for number, (color, animal) in enumerate(self.material.pieces):
            letter = animal.letter.lower() if color else animal.letter
            if piece in (letter, (color, animal)):
                return number
        raise ValueError(f"{self.material} has no piece {piece!r}")

    def outcome_for(self, color: Color) -> npt.NDArray[np.int8]:
        """``(2, n)``: the outcomes from the view of ``color``, whoever is to move."""
        signs = np.array([1, -1] if color is Color.WHITE else [-1, 1], np.int8)
        return self.outcome * signs[:, None]

    def position(self, row: int, turn: Color) -> Position:
        """The position of a row with ``turn`` to move."""
        squares = self.squares[row].tolist()
        return Position.from_pieces(
            dict(zip(squares, self.material.pieces, strict=True)), Color(turn)
        )


def value_arrays(tb: Tablebase, material: Material | str) -> ValueArrays:
    """The outcome and distance of every legal placement of ``material``, for both sides to move.

    The whole table is read: 0.1 s for three animals, some seconds and 100 MB for four, gigabytes
    for five. ``MaterialError`` if the name is none; ``MissingTableError`` if there is no table of
    it; ``CorruptTableError`` if its file is damaged.
    """
    material = Material.parse(material) if isinstance(material, str) else material
    metric = metric_for(tb.rules)
    placing = Placing.of(tb.rules, material)
    # Opened first: without the table, to enumerate placements would be a long way for nothing.
    with Catalog(tb.directories).open(Table(placing.table_class, metric)) as file:
        standing = [np.array(sorted(tb.rules.squares(p.animal)), np.uint8) for p in material.pieces]
        squares = _legal_placements(standing)
        numbers = placing.numbers(squares)
        outcome = np.empty((2, len(squares)), np.int8)
        distance = np.empty((2, len(squares)), np.int32)
        for turn in Color:
            codes = file.read(placing.sides[turn]).reshape(-1)
            outcome[turn], distance[turn] = decode(metric, codes[numbers])
    for array in (squares, outcome, distance):
        array.flags.writeable = False
    return ValueArrays(material, tb.rules, metric, squares, outcome, distance)


def _legal_placements(standing: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """``(n, k)``: every way to put each animal on one of its squares and no two on one."""
    rows = np.empty((1, 0), np.uint8)
    for where in standing:
        # Animal by animal, so that no more rows are ever made than stay.
        placed = np.repeat(rows, len(where), axis=0)
        new = np.tile(where, len(rows))
        free = ~(placed == new[:, None]).any(axis=1)
        rows = np.column_stack((placed[free], new[free]))
    return rows
