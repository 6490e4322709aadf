"""``Tablebase``: tables in folders, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, TypeVar

import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.errors import MissingTableError
from tablebase.game.fen import LETTERS, MAX_COUNTER
from tablebase.game.moves import (
    captured,
    drawn_by_limit,
    finished,
    legal_moves,
    play,
    why_finished,
)
from tablebase.game.position import Move, Position
from tablebase.game.rules import Rules, load_rules
from tablebase.index import Placing
from tablebase.materials.material import MAX_ANIMALS, Material
from tablebase.materials.table import Table
from tablebase.probe import many
from tablebase.probe.answers import MoveValue, Probe, Probes, Reason
from tablebase.probe.cache import ChunkCache
from tablebase.tablefile import chunk_shape
from tablebase.values import DRAW, METRICS, Metric, distance_of, outcome_of

__all__ = ["CACHE_BYTES", "MAX_OPEN_FILES", "Tablebase", "open_tablebase"]

MAX_OPEN_FILES: Final = 128
CACHE_BYTES: Final = 1 << 27
"""Some thousand chunks."""

T = TypeVar("T")


_FINISHED: Final = -1
"""In place of a code: the game is over."""
_LOST: Final = 1
"""The code of a loss in 0 plies, under either metric: the side to move has no moves."""


class _Place(NamedTuple):
    """The tables of a material, and where its placements are in them."""

    placing: Placing
    by_metric: dict[Metric, Table]
    cells: int
    """How many of them a chunk has."""


_Cell = tuple[dict[Metric, Table], int, int, int]
"""Where the value of a position is: its tables by metric, the side to move in them, the chunk, and
the number in it."""


def open_tablebase(
    directory: str | Path,
    rules: str | Rules = "standard",
    *,
    max_open_files: int = MAX_OPEN_FILES,
    cache_bytes: int = CACHE_BYTES,
) -> Tablebase:
    """The tables for ``rules`` in ``directory``, to be used in a ``with`` statement.

    ``rules`` are a rule set, the name of one, or a TOML file. The folder need not exist yet, and
    tables that are added to it are found. At most ``max_open_files`` files are open at a time, and
    decoded parts of tables are kept in up to ``cache_bytes`` of memory.
    ``RulesError`` for unknown rules, ``ResourceError`` if the folder cannot be listed.
    """
    return Tablebase([directory], rules, max_open_files=max_open_files, cache_bytes=cache_bytes)


class Tablebase:
    """The tables for one rule set in one or more folders.

    A position is a :class:`~tablebase.game.position.Position` or a FEN. Outcomes are 1, 0 and -1
    for a win, a draw and a loss of the side to move, distances are plies. Positions in which the
    game is over are answered without tables. What the ``probe_`` methods raise:

    * ``MissingTableError`` names the table that is not there, and the position or move that needs
      it;
    * ``CorruptTableError`` if a file is damaged, foreign or of other rules: never a wrong value;
    * ``FenError`` and ``IllegalPositionError`` for what is no position under the rules.

    One object can be used from many threads at once and after a fork. Pickled, it is opened anew on
    the same folders.
    """

    def __init__(
        self,
        directories: Iterable[str | Path],
        rules: str | Rules = "standard",
        *,
        max_open_files: int = MAX_OPEN_FILES,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        if max_open_files < 1 or cache_bytes < 0:
            raise ValueError("max_open_files is 1 or more, and cache_bytes 0 or more")
        self.rules = load_rules(rules) if isinstance(rules, str) else rules
        self._limits = {"max_open_files": max_open_files, "cache_bytes": cache_bytes}
        self._catalog = Catalog(directories)
        self._cache = ChunkCache(self._catalog, max_open_files, cache_bytes)
        self._places: dict[int, _Place] = {}
        self._without_dtc: set[Table] = set()
        self._may_be_stuck = self.rules.no_moves == "draw"

    def add_directory(self, directory: str | Path) -> int:
        """Search ``directory`` too, after the others; the number of tables in it, those of other
        rule sets included. ``ResourceError`` if it cannot be listed."""
        count = self._catalog.add_directory(directory)
        self._without_dtc.clear()
        return count

    @property
    def directories(self) -> tuple[Path, ...]:
        """The folders, in the order in which they are searched."""
        return self._catalog.directories

    def close(self) -> None:
        """Close all files; a question that needs a table is a ``ValueError`` from now on."""
        self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"directories": self.directories, "rules": self.rules, **self._limits}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __repr__(self) -> str:
        folders = ", ".join(map(str, self.directories))
        return f"<Tablebase {folders} rules={self.rules.name!r}>"

    # -- one position --------------------------------------------------------------------------

    def probe(self, position: Position | str) -> Probe:
        """Outcome and distances.

        Tables of the distance to the next capture or den entry are consulted if they are there;
        that they are not is remembered until :meth:`add_directory` is called. With a
        ``no_capture_limit`` they decide the outcome and are needed.
        """
        return self._probe(self._position(position))

    def probe_wdl(self, position: Position | str) -> int:
        """1, 0 or -1: the side to move wins, draws or loses."""
        position = self._position(position)
        limited = self.rules.no_capture_limit is not None
        code = self._code(position, self._find(position), "dtc" if limited else "dtw")
        if code == _FINISHED:
            return self._result(position).outcome
        return self._limited(position, code)[0] if limited else outcome_of(code)

    def probe_dtw(self, position: Position | str) -> int | None:
        """Plies to the end of the game under best play without a limit, ``None`` for a draw.

        The winner takes the shortest way, the loser the longest. Wins take an odd number of plies,
        losses an even one; 0 if the game is over.
        """
        position = self._position(position)
        code = self._code(position, self._find(position), "dtw")
        return 0 if code == _FINISHED else distance_of("dtw", code)

    def get_wdl(self, position: Position | str, default: T | None = None) -> int | T | None:
        """:meth:`probe_wdl`, or ``default`` if a table is missing."""
        try:
            return self.probe_wdl(position)
        except MissingTableError:
            return default

    def get_dtw(self, position: Position | str, default: T | None = None) -> int | T | None:
        """:meth:`probe_dtw`, or ``default`` if a table is missing."""
        try:
            return self.probe_dtw(position)
        except MissingTableError:
            return default

    # -- moves ---------------------------------------------------------------------------------

    def moves(self, position: Position | str) -> list[MoveValue]:
        """Every legal move with its value to the side that makes it, best first.

        That is: wins, the shortest first, then draws, then losses, the longest first; moves that
        are as good by from-square, then to-square, in board order (a1, b1 … g9). Empty if the game
        is over. ``MissingTableError`` says which move leads to a table that is not there.

        With a ``no_capture_limit``, outcomes are those with the counter that the move leaves, and
        what is shortest still goes by ``dtw``; by ``dtc`` where a table of the former is missing.
        """
        position = self._position(position)
        position.validate(self.rules)
        if not position.white or not position.black or drawn_by_limit(position, self.rules):
            return []
        found = [self._value(position, move) for move in legal_moves(position, self.rules)]
        known = all(value.dtw is not None for value in found if value.outcome)
        found.sort(key=_by_dtw if known else _by_dtc)
        return found

    def best_move(self, position: Position | str) -> MoveValue | None:
        """The first of :meth:`moves`, ``None`` if the game is over."""
        return next(iter(self.moves(position)), None)

    def line(self, position: Position | str) -> list[MoveValue]:
        """Best play: the first of :meth:`moves`, again and again until the game is over.

        A draw ends where the position comes up again, which is not played: the ``reason`` of its
        last move is ``repetition``. The shortest win without
        a ``no_capture_limit`` may not be there with it, and who goes after it may come back to
        where it was. So once that would happen, the winner takes the shortest way to the next
        capture or den entry, by ``dtc``. A win is always won, and no position comes up three times.
        """
        position = self._position(position)
        line: list[MoveValue] = []
        seen = {_placement(position)}
        hurry = False
        while moves := self.moves(position):
            best = moves[0]
            if best.outcome > 0 and (hurry or _placement(best.position) in seen):
                hurry = True
                best = min((value for value in moves if value.outcome > 0), key=_by_dtc)
            position = best.position
            reached = _placement(position)
            if reached in seen:
                if best.outcome == 0:
                    if line:
                        line[-1] = line[-1]._replace(reason="repetition")
                    break
                hurry = True
            line.append(best)
            if best.capture is not None:
                seen.clear()
                hurry = False
            seen.add(reached)
        return line

    # -- many placements -----------------------------------------------------------------------

    def probe_many(
        self,
        material: Material | str,
        squares: npt.ArrayLike,
        side: npt.ArrayLike,
        counter: npt.ArrayLike = 0,
    ) -> Probes:
        """Outcomes and distances of ``n`` placements of one material.

        * ``squares``: integers of the shape ``(n, k)``. A row is a placement, a column an animal of
          ``material``: White's, then Black's, each strongest first, whatever the order in a name
          that is given. Squares are ``rank * 7 + file``, a1 = 0, g9 = 62.
        * ``side`` to move: 0 White, 1 Black; one for all rows, or of the shape ``(n,)``.
        * ``counter``: plies since the last capture, in the same way. It matters only with a
          ``no_capture_limit``.

        The answer is ``outcome``, ``int8``, and ``dtw``, ``int32``, each of the shape ``(n,)``; see
        :class:`Probes`. Games must not be over by a den entry: an animal in a den, or where it
        cannot stand, or two on a square are an ``IllegalPositionError`` (a ``ValueError``) that
        names the first such row.
        """
        material = Material.parse(material) if isinstance(material, str) else material
        placing, tables, _ = self._place(material)
        numbers = many.rows_of(placing, material, squares)
        sides = many.per_row("side", side, len(numbers), 0, 1)
        counters = many.per_row("counter", counter, len(numbers), 0, MAX_COUNTER)
        codes = many.codes_of(self._cache, placing, tables["dtw"], numbers, sides)
        outcome, dtw = many.decode("dtw", codes)
        limit = self.rules.no_capture_limit
        if limit is not None:
            codes = many.codes_of(self._cache, placing, tables["dtc"], numbers, sides)
            outcome, dtc = many.decode("dtc", codes)
            outcome[dtc > (limit - counters).clip(0)] = 0
        return Probes(outcome, dtw)

    # -- how it is done ------------------------------------------------------------------------

    def _position(self, position: Position | str) -> Position:
        if isinstance(position, Position):
            return position
        return Position.from_fen(position, self.rules)

    def _probe(self, position: Position, move: Move | None = None) -> Probe:
        """:meth:`probe` of a position that ``move`` led to, if one did."""
        cell = self._find(position, move)
        if self.rules.no_capture_limit is None:
            code = self._code(position, cell, "dtw", move)
            if code == _FINISHED:
                return self._result(position)
            return Probe(outcome_of(code), distance_of("dtw", code), self._dtc_if_known(cell))
        code = self._code(position, cell, "dtc", move)
        if code == _FINISHED:
            return self._result(position)
        outcome, dtc = self._limited(position, code)
        dtw = self._dtw_if_known(position, cell)
        reason: Reason = "table"
        if outcome == 0 and (
            code != DRAW or dtw is not None or drawn_by_limit(position, self.rules)
        ):
            reason = "limit"
        return Probe(outcome, dtw, dtc, reason)

    def _value(self, position: Position, move: Move) -> MoveValue:
        after = play(position, move)
        value = self._probe(after, move)
        taken = captured(position, move)
        letter = None if taken is None else LETTERS[after.turn, taken]
        dtw, dtc = value.dtw, value.dtc
        if value.outcome == 0 and dtw == 0:
            dtw = dtc = None  # for want of moves: a move to a draw has no distance
        elif value.outcome and taken is not None:
            dtc = 0
        return MoveValue(
            move,
            letter,
            -value.outcome,
            None if dtw is None else dtw + 1,
            None if dtc is None else dtc + 1,
            after,
            value.reason,
        )

    def _find(self, position: Position, move: Move | None = None) -> _Cell | None:
        """Where the value is; ``None`` if a den was entered or a side has no animals. With
        :meth:`_code` the path that has to be fast."""
        white, black = position.white, position.black
        if not white or not black:
            return None
        key = 0  # has a bit for each animal of each side
        squares = []
        for animal, square in white:
            key |= 1 << animal
            squares.append(square)
        for animal, square in black:
            key |= 256 << animal
            squares.append(square)
        place = self._places.get(key)
        if place is None:
            try:
                place = self._places[key] = self._place(Material.of(position))
            except MissingTableError as error:
                if finished(position, self.rules) is not None:
                    return None
                raise _missing(position, move, error) from None
        placing, tables, cells = place
        number = placing.number(squares)
        if number >= placing.table_class.cells:
            position.validate(self.rules)  # if nothing is wrong with it, a den was entered
            return None
        return tables, placing.sides[position.turn], *divmod(number, cells)

    def _code(
        self, position: Position, cell: _Cell | None, metric: Metric, move: Move | None = None
    ) -> int:
        """The code at ``cell`` in the table of ``metric``, or ``_FINISHED``."""
        if cell is None:
            return _FINISHED
        tables, side, chunk, number = cell
        try:
            code = self._cache.chunk(tables[metric], side, chunk)[number]
        except MissingTableError as error:
            if finished(position, self.rules) is not None:
                return _FINISHED
            raise _missing(position, move, error) from None
        # Moves are looked for only where there may be none: losses in 0 plies are few.
        if code <= _LOST and (code or self._may_be_stuck) and not legal_moves(position, self.rules):
            return _FINISHED
        return code

    def _result(self, position: Position) -> Probe:
        """The value of a finished game."""
        outcome = finished(position, self.rules)
        assert outcome is not None
        return Probe(outcome, 0, 0, why_finished(position))

    def _dtc_if_known(self, cell: _Cell | None) -> int | None:
        """The distance to the next capture or den entry, if there is a table of them."""
        if cell is None:
            return None
        tables, side, chunk, number = cell
        table = tables["dtc"]
        if table in self._without_dtc:
            return None
        try:
            return distance_of("dtc", self._cache.chunk(table, side, chunk)[number])
        except MissingTableError:
            self._without_dtc.add(table)
            return None

    def _dtw_if_known(self, position: Position, cell: _Cell | None) -> int | None:
        try:
            code = self._code(position, cell, "dtw")
        except MissingTableError:
            return None
        return 0 if code == _FINISHED else distance_of("dtw", code)

    def _limited(self, position: Position, code: int) -> tuple[int, int | None]:
        """The outcome and distance that the limit and the counter leave of a ``dtc`` code.

        The game is drawn once ``no_capture_limit`` plies in a row took nothing, unless the last of
        them ended it. Tables hold what the limit makes of a position at counter 0.
        """
        outcome, dtc = outcome_of(code), distance_of("dtc", code)
        limit = self.rules.no_capture_limit
        if dtc is not None and limit is not None and dtc > max(limit - position.counter, 0):
            return 0, None
        return outcome, dtc

    def _place(self, material: Material) -> _Place:
        """The tables of a material, and where its placements are in them."""
        animals = len(material)
        if animals > MAX_ANIMALS:
            raise MissingTableError(
                f"tables are made for up to {MAX_ANIMALS} animals, and there are {animals}"
            )
        placing = Placing.of(self.rules, material)
        table_class = placing.table_class
        tables = {metric: Table(table_class, metric) for metric in METRICS}
        return _Place(placing, tables, prod(chunk_shape(table_class.shape)))


def _missing(position: Position, move: Move | None, error: MissingTableError) -> MissingTableError:
    """``error``, with the position for which the table is missing."""
    which = "the position itself" if move is None else f"the position after {move}"
    return MissingTableError(
        f"no table for {which} ({Material.of(position)}): {error}",
        materials=error.materials,
        metric=error.metric,
        rules_key=error.rules_key,
        directories=error.directories,
        fen=position.fen(),
        move=None if move is None else str(move),
    )


def _by_dtw(value: MoveValue) -> tuple[int, int]:
    return -value.outcome, value.outcome * (value.dtw or 0)


def _by_dtc(value: MoveValue) -> tuple[int, int]:
    return -value.outcome, value.outcome * (value.dtc or 0)


def _placement(position: Position) -> tuple[object, ...]:
    return position.white, position.black, position.turn
