"""A table in slices: the legal placements of a material with their values, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, overload

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES, TURN_SQUARE, Color
from tablebase.game.fen import LETTERS
from tablebase.game.position import Position
from tablebase.game.rules import Rules
from tablebase.index import Placing
from tablebase.materials.material import Material, Piece
from tablebase.materials.table import Table
from tablebase.probe import Tablebase
from tablebase.probe.many import decode
from tablebase.statistics.counts import metric_for
from tablebase.values import Metric

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Slice", "Slices"]

_MIRROR: Final = np.array(MIRROR_SQUARE, np.uint8)
_OUTCOMES: Final = ("draw", "win", "loss")
"""By outcome: 0, 1 and, from the end, -1."""


@dataclass(frozen=True, eq=False)
class Slice:
    """``n`` legal placements of a material of ``k`` animals, for both sides to move.

    Arrays are read-only. Where they have an axis for the side to move (0 White, 1 Black), they
    speak from its view.
    """

    material: Material
    rules: Rules
    metric: Metric
    """What ``distance`` counts plies to: the end (``dtw``), or the next capture or den entry."""
    codes: npt.NDArray[np.unsignedinteger[Any]]
    """``(2, n)``: the values as tables store them (:mod:`tablebase.values`)."""
    _standing: _Standing
    _rows: npt.NDArray[np.intp]
    """``(n,)``: which cells of the chunk they are."""
    _mirrored: npt.NDArray[np.bool_] | None = None
    """``(n,)``: which are the mirror images of those; ``None`` where each row counts for both."""

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def squares(self) -> npt.NDArray[np.uint8]:
        """``(n, k)``: where each of ``material.pieces`` stands; ``rank * 7 + file``, a1 = 0."""
        squares = self._standing.squares(self._rows)
        if self._mirrored is not None:
            squares[self._mirrored] = _MIRROR[squares[self._mirrored]]
        return _frozen(squares)

    @cached_property
    def weight(self) -> npt.NDArray[np.uint8]:
        """``(n,)``: how many placements a row stands for: 2 where it is its mirror image too, which
        no other row is, else 1. The weights of all slices add up to all legal placements."""
        if self._mirrored is not None:
            return _frozen(np.ones(len(self), np.uint8))
        return _frozen(self._standing.weight(self._rows))

    @cached_property
    def outcome(self) -> npt.NDArray[np.int8]:
        """``(2, n)``: 1, 0 or -1, won, drawn or lost."""
        return _frozen(decode(self.metric, self.codes)[0])

    @cached_property
    def distance(self) -> npt.NDArray[np.int32]:
        """``(2, n)``: plies of ``metric``, -1 for a draw."""
        return _frozen(decode(self.metric, self.codes)[1])

    def column(self, piece: Piece | str) -> int:
        """The column of ``squares`` for a piece, which may be given by its FEN letter; a
        ``ValueError`` if it is none of the material's."""
        for number, own in enumerate(self.material.pieces):
            if piece in (LETTERS[own], own):
                return number
        raise ValueError(f"{self.material} has no piece {piece!r}")

    def outcome_for(self, color: Color) -> npt.NDArray[np.int8]:
        """``(2, n)``: the outcomes from the view of ``color``, whoever is to move."""
        signs = np.array([1, -1] if color is Color.WHITE else [-1, 1], np.int8)
        return self.outcome * signs[:, None]

    def zugzwangs(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which placements are full zugzwangs (whoever is to move loses) and which half ones (one
        of the two results is a draw, the other a loss of the side to move): two masks, ``(n,)``."""
        white, black = self.outcome
        return (white + black) == -2, ((white + black) == -1) & (white * black == 0)

    def position(self, row: int, turn: Color) -> Position:
        """The position of a row with ``turn`` to move."""
        pieces = zip(self.squares[row].tolist(), self.material.pieces, strict=True)
        return Position.from_pieces(dict(pieces), Color(turn))

    def where(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Slice:
        """The rows of a mask ``(n,)``, or of these numbers, alone."""
        mirrored = None if self._mirrored is None else self._mirrored[rows]
        return replace(
            self, codes=_frozen(self.codes[:, rows]), _rows=self._rows[rows], _mirrored=mirrored
        )

    def unfolded(self) -> Slice:
        """All placements one by one: those of weight 2 are followed by their mirror images."""
        if self._mirrored is not None:
            return self
        twice = np.flatnonzero(self.weight == 2)
        rows = np.concatenate((np.arange(len(self)), twice))
        mirrored = np.arange(len(rows)) >= len(self)
        return replace(
            self,
            codes=_frozen(self.codes[:, rows]),
            _rows=self._rows[rows],
            _mirrored=_frozen(mirrored),
        )

    def to_arrow(self) -> pa.RecordBatch:
        """The rows for White and then for Black to move, as an Arrow batch of ``2 * n`` rows.

        Columns: the square number of each animal by its FEN letter, ``weight``, ``side_to_move``,
        ``outcome`` and the metric, null for a draw. Needs pyarrow (the extra ``jtb[arrow]``).
        """
        import pyarrow as pa

        n = len(self)
        words = [pa.array(names) for names in (("white", "black"), _OUTCOMES)]
        sides = np.repeat(np.arange(2, dtype=np.int8), n)
        distance = self.distance.ravel()
        columns = {
            LETTERS[piece]: pa.array(np.tile(column, 2))
            for piece, column in zip(self.material.pieces, self.squares.T, strict=True)
        }
        columns["weight"] = pa.array(np.tile(self.weight, 2))
        columns["side_to_move"] = pa.DictionaryArray.from_arrays(sides, words[0])
        kinds = self.outcome.ravel() % np.int8(3)
        columns["outcome"] = pa.DictionaryArray.from_arrays(kinds, words[1])
        columns[self.metric] = pa.array(distance.astype(np.int16), mask=distance < 0)
        return pa.RecordBatch.from_pydict(columns)


class Slices(Sequence[Slice]):
    """The table of ``material`` in slices, each read when it is asked for: some hundred thousand
    placements at most. Many threads may read at once. To be used in a ``with`` statement.

    Every legal placement is in one slice, or its mirror image is (:attr:`Slice.weight`). Under
    rules with a ``no_capture_limit`` values are those of counter 0.

    ``MaterialError`` if the name is none; ``MissingTableError`` if there is no table of it;
    ``CorruptTableError`` if its file is damaged.
    """

    def __init__(self, tb: Tablebase, material: Material | str) -> None:
        self.material = Material.parse(material) if isinstance(material, str) else material
        self.rules = tb.rules
        self.placing = Placing.of(tb.rules, self.material)
        self.table = Table(self.placing.table_class, metric_for(tb.rules))
        self._file = Catalog(tb.directories).open(self.table)
        self._cells = _InnerCells(self.placing)
        self.header = self._file.header

    def __len__(self) -> int:
        return self._file.chunks

    @overload
    def __getitem__(self, number: int) -> Slice: ...
    @overload
    def __getitem__(self, number: slice) -> list[Slice]: ...
    def __getitem__(self, number: int | slice) -> Slice | list[Slice]:
        """The slice of that number, or those of a range of numbers."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(f"{self.material} has {len(self)} slices, not one of number {number}")
        standing = self._cells.with_others(number)
        rows = standing.legal_rows()
        codes = np.empty((2, len(rows)), self.header.dtype)
        for turn in Color:
            chunk = self._file.chunk(self.placing.sides[turn], number)
            codes[turn] = chunk.reshape(-1)[rows]
        return Slice(
            self.material, self.rules, self.table.metric, _frozen(codes), standing, _frozen(rows)
        )

    def __iter__(self) -> Iterator[Slice]:
        return (self[number] for number in range(len(self)))

    def numbers(self) -> list[int]:
        """The numbers of the slices that have a placement: where two animals of the leading axes
        share a square there is none."""
        return [n for n in range(len(self)) if self._cells.with_others(n).is_possible]

    def close(self) -> None:
        """Close the file; reading from it is a ``ValueError`` from now on."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _InnerCells:
    """What all chunks of a table have in common: the squares of the last axes, cell by cell."""

    def __init__(self, placing: Placing) -> None:
        table_class, swapped, order = placing.location
        inner = min(3, len(order))
        self.order = order
        self.turned = np.array(TURN_SQUARE if swapped else range(SQUARES), np.uint8)
        self.leading = table_class.squares[:-inner]
        axes = [np.array(squares, np.uint8) for squares in table_class.squares[-inner:]]
        grid = np.meshgrid(*axes, indexing="ij")
        self.squares = np.stack([axis.ravel() for axis in grid], axis=1)
        """``(cells, inner)``, in the order of the axes and on the board of the table."""
        self.legal = np.ones(len(self.squares), np.bool_)
        for column in range(1, inner):
            for other in range(column):
                self.legal &= self.squares[:, column] != self.squares[:, other]
        self.free = np.ones((SQUARES, len(self.squares)), np.bool_)
        """``(63, cells)``: whether none of the inner animals stands on a square."""
        for column in self.squares.T:
            self.free[column, np.arange(len(column))] = False

    def with_others(self, chunk: int) -> _Standing:
        """The same with the animals of the other axes where they stand in a chunk."""
        shape = [len(squares) for squares in self.leading]
        places = np.unravel_index(chunk, shape) if shape else ()
        others = [axis[place] for axis, place in zip(self.leading, places, strict=True)]
        return _Standing(self, tuple(others))


@dataclass(frozen=True, eq=False)
class _Standing:
    """The cells of a chunk."""

    cells: _InnerCells
    others: tuple[int, ...]
    """The squares of the animals of the leading axes."""

    @property
    def is_possible(self) -> bool:
        """Whether the animals of the leading axes stand on different squares."""
        return len(set(self.others)) == len(self.others)

    def legal_rows(self) -> npt.NDArray[np.intp]:
        """The cells that are legal placements."""
        if not self.is_possible:
            return np.empty(0, np.intp)
        legal = self.cells.legal.copy()
        for square in self.others:
            legal &= self.cells.free[square]
        return np.flatnonzero(legal)

    def squares(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """``(n, k)``: the squares in these cells, in the order and colours of the material."""
        order, turned = self.cells.order, self.cells.turned
        found = np.empty((len(rows), len(order)), np.uint8)
        for piece, square in zip(order, self.others, strict=False):
            found[:, piece] = turned[square]
        for piece, column in zip(order[len(self.others) :], self.cells.squares.T, strict=True):
            found[:, piece] = turned[column[rows]]
        return found

    def weight(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """``(n,)``: 2 unless the animal of the first axis is on file d."""
        if self.others:
            return np.full(len(rows), 1 if self.others[0] % FILES == FILES // 2 else 2, np.uint8)
        first = self.cells.squares[rows, 0]
        return np.where(first % FILES == FILES // 2, 1, 2).astype(np.uint8)


def _frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array.flags.writeable = False
    return array
