"""The values of all moves of many placements at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.errors import IllegalPositionError
from tablebase.game.board import DENS, SQUARES, TURN_SQUARE, Color
from tablebase.index import Placing, is_mirrored
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.movegraph import compile_graph
from tablebase.probe import Tablebase
from tablebase.statistics.counts import metric_for
from tablebase.values import after_capture, after_move, distance_of, outcome_of

__all__ = ["MoveValues", "MovesOf"]

Squares = npt.NDArray[np.integer[Any]]
Lookup = tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]


@dataclass(frozen=True, eq=False)
class MoveValues:
    """What the moves of ``n`` placements are worth to the side that makes them.

    Each animal of that side has four columns, some of which are no moves, so there are ``m`` of
    them, 4 for each animal.
    """

    turn: Color
    piece: npt.NDArray[np.int8]
    """``(m,)``: the column of ``squares`` whose animal moves."""
    target: npt.NDArray[np.uint8]
    """``(n, m)``: the square that it enters, 255 where there is no move."""
    capture: npt.NDArray[np.int8]
    """``(n, m)``: the column of ``squares`` whose animal it takes, -1 for none."""
    outcome: npt.NDArray[np.int8]
    """``(n, m)``: 1, 0 or -1: the move wins, draws or loses; 0 where there is none."""
    distance: npt.NDArray[np.int16]
    """``(n, m)``: plies of the metric, the move counted; -1 for a draw or no move."""

    @cached_property
    def legal(self) -> npt.NDArray[np.bool_]:
        """``(n, m)``: where there is a move."""
        return np.asarray(self.target != 255)

    def count(self, outcome: int) -> npt.NDArray[np.int8]:
        """``(n,)``: how many moves have that ``outcome``."""
        return np.asarray((self.legal & (self.outcome == outcome)).sum(axis=1), np.int8)

    @cached_property
    def best(self) -> npt.NDArray[np.int8]:
        """``(n,)``: the outcome of the best move; -2 where there is none."""
        worst = np.where(self.legal, self.outcome, np.int8(-2))
        return np.asarray(worst.max(axis=1, initial=-2), np.int8)

    @cached_property
    def keeping(self) -> npt.NDArray[np.int8]:
        """``(n,)``: how many moves keep the outcome of the placement: have that of the best."""
        same = self.legal & (self.outcome == self.best[:, None])
        return np.asarray(same.sum(axis=1), np.int8)


class MovesOf:
    """The moves of ``turn`` in placements of ``material``, with the tables that they lead to in
    memory: those of the other side to move, one byte or two for each cell of the class.

    Under rules with a ``no_capture_limit`` values are those of counter 0 before the move.
    ``MissingTableError`` if a table is not there; ``CorruptTableError`` if one is damaged.
    """

    def __init__(self, tb: Tablebase, material: Material | str, turn: Color) -> None:
        self.material = Material.parse(material) if isinstance(material, str) else material
        self.turn = Color(turn)
        rules = tb.rules
        self._placing = Placing.of(rules, self.material)
        self._table = table = Table(self._placing.table_class, metric_for(rules))
        self._side = self._placing.sides[self.turn]
        catalog = Catalog(tb.directories)
        with catalog.open(table) as file:
            self._codes = file.read(1 - self._side).reshape(-1)
        graph = compile_graph(table.table_class)
        enemy_den = np.array([DENS[1 - color] for color, _ in table.axes], np.int64)
        self._graph = (
            graph.colors, graph.targets, graph.water, graph.captures, graph.den_entry, enemy_den,
            graph.blocks,
        )  # fmt: skip
        mirrored = np.array([is_mirrored(square) for square in range(SQUARES)])
        self._places = Placing.of_axes(table.table_class).offsets.copy(), mirrored
        self._load_smaller(catalog)
        highest = int(max(self._codes.max(), self._small_codes.max()))
        replies = range(highest + 1)
        moves = [after_move(table.metric, code, table.limit) for code in replies]
        captures = [after_capture(table.metric, code) for code in replies]
        self._quiet, self._capture = (self._lookup(table, values) for values in (moves, captures))

    @property
    def pieces(self) -> tuple[int, ...]:
        """The columns of ``squares`` with animals of the side to move, in the order in which
        :class:`MoveValues` has them."""
        order = self._placing.location.order
        own = (axis for axis, color in enumerate(self._graph[0]) if color == self._side)
        return tuple(order[axis] for axis in own)

    def values(self, squares: Squares) -> MoveValues:
        """The moves of placements: ``squares`` has the shape ``(n, k)``, a row a placement, a
        column one of ``material.pieces``, as in :attr:`Slice.squares
        <tablebase.statistics.Slice.squares>`.

        ``IllegalPositionError`` names the first row that is no placement of an unfinished game.
        """
        from tablebase.statistics.successors import look_up_moves

        illegal = self._placing.numbers(np.asarray(squares)) >= self._table.cells
        if illegal.any():
            row = int(illegal.argmax())
            raise IllegalPositionError(f"row {row} is no placement of {self.material}")
        return self._values(squares, look_up_moves)

    def _values(self, squares: Squares, look_up_moves: Any) -> MoveValues:
        _, swapped, order = self._placing.location
        seen = np.array(TURN_SQUARE if swapped else range(SQUARES), np.uint8)
        rows = np.ascontiguousarray(seen[squares[:, list(order)]])
        pieces = self.pieces
        shape = len(rows), 4 * len(pieces)
        target, taken = np.empty(shape, np.uint8), np.empty(shape, np.int8)
        outcome, distance = np.empty(shape, np.int8), np.empty(shape, np.int16)
        look_up_moves(
            self._side, self._graph, self._places, self._smaller, self._codes, self._small_codes,
            self._quiet, self._capture, rows, target, taken, outcome, distance,
        )  # fmt: skip
        turned = np.full(256, 255, np.uint8)
        turned[:SQUARES] = seen
        column = np.array([*order, -1], np.int8)  # the last one for no capture
        return MoveValues(
            turn=self.turn,
            piece=np.repeat(np.array(pieces, np.int8), 4),
            target=turned[target],
            capture=column[taken],
            outcome=outcome,
            distance=distance,
        )

    def _load_smaller(self, catalog: Catalog) -> None:
        """Read what captures lead to, joined."""
        table = self._table
        k = len(table.axes)
        sides = [piece.color for piece in table.axes]
        last = np.array([sides.count(color) == 1 for color in sides])
        starts, pivots = np.zeros(k, np.int64), np.zeros(k, np.int64)
        offsets = np.zeros((k, 2, k, SQUARES), np.int64)
        parts = [np.zeros(1, np.uint8)]
        for victim, piece in enumerate(table.axes):
            if piece not in table.smaller or piece.color == self._side:
                continue
            left = table.smaller[piece]
            placing = Placing.of(table.rules, left)
            axis_of = [table.axes.index(other) for other in left.pieces]
            offsets[victim][:, axis_of] = placing.offsets
            pivots[victim] = axis_of[placing.first]
            starts[victim] = sum(part.size for part in parts)
            with catalog.open(Table(placing.table_class, table.metric)) as file:
                parts.append(file.read(placing.sides[piece.color]).reshape(-1))
        self._smaller = last, starts, offsets, pivots
        self._small_codes = np.concatenate(parts)

    @staticmethod
    def _lookup(table: Table, values: list[int]) -> Lookup:
        distances = [distance_of(table.metric, value) for value in values]
        return (
            np.array([outcome_of(value) for value in values], np.int8),
            np.array([-1 if plies is None else plies for plies in distances], np.int16),
        )
