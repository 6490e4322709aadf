"""Every legal placement of a material with its values, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES, TURN_SQUARE, Color
from tablebase.game.position import Position
from tablebase.game.rules import Rules
from tablebase.materials.classes import Location, Material, Piece, locate
from tablebase.probe import Tablebase
from tablebase.probe.many import decode
from tablebase.statistics.counts import metric_for
from tablebase.values import Metric

__all__ = ["ValueArrays", "value_arrays"]

Codes = npt.NDArray[np.unsignedinteger[Any]]


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
    location = locate(tb.rules, material)
    standing = [
        np.array(sorted(tb.rules.squares(piece.animal)), np.intp) for piece in material.pieces
    ]
    legal = _legal(standing)
    squares = np.empty((int(legal.sum()), len(standing)), np.uint8)
    for column, where in enumerate(standing):
        shape = [-1 if axis == column else 1 for axis in range(len(standing))]
        spread = np.broadcast_to(where.astype(np.uint8).reshape(shape), legal.shape)
        squares[:, column] = spread[legal]
    outcome = np.empty((2, len(squares)), np.int8)
    distance = np.empty((2, len(squares)), np.int32)
    with Catalog(tb.directories).open(location.table, metric) as file:
        for turn in Color:
            codes = _expanded(file.read(turn ^ location.swapped), location, standing)
            outcome[turn], distance[turn] = decode(metric, codes[legal])
    for array in (squares, outcome, distance):
        array.flags.writeable = False
    return ValueArrays(material, tb.rules, metric, squares, outcome, distance)


def _legal(standing: list[npt.NDArray[np.intp]]) -> npt.NDArray[np.bool_]:
    """Whether all animals stand on different squares; an axis for each, with its squares."""
    legal = np.ones([len(where) for where in standing], np.bool_)
    axes = np.ix_(*standing)
    for number, axis in enumerate(axes):
        for other in axes[:number]:
            legal &= axis != other
    return legal


def _expanded(
    codes: Codes, location: Location, standing: list[npt.NDArray[np.intp]]
) -> npt.NDArray[np.uint16]:
    """The codes of a table, mirror images and all, with an axis for each piece of the material."""
    table, swapped, order = location
    axis_of = [order.index(piece) for piece in range(len(order))]
    by_piece = codes.transpose(axis_of)
    seen = np.array(TURN_SQUARE if swapped else range(SQUARES))
    numbers = np.zeros((len(order), SQUARES), np.intp)
    for piece, axis in enumerate(axis_of):
        numbers[piece, list(table.squares[axis])] = np.arange(len(table.squares[axis]))
    out = np.empty([len(where) for where in standing], np.uint16)
    first = standing[order[0]]
    for mirrored in (False, True):
        view = np.array(MIRROR_SQUARE)[seen] if mirrored else seen
        half = np.flatnonzero((first % FILES > FILES // 2) == mirrored)
        wanted = [
            numbers[piece][view[where[half] if piece == order[0] else where]]
            for piece, where in enumerate(standing)
        ]
        place: list[slice | npt.NDArray[np.intp]] = [slice(None)] * len(order)
        place[order[0]] = half
        out[tuple(place)] = by_piece[np.ix_(*wanted)]
    return out
