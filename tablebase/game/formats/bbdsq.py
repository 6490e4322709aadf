"""A game saved by bbdsq: its boards as sets of squares; the moves are the differences.

Read in JSettler/bbdsq, ``board_state_io.cpp`` (92b31cf). Its Player 2 is at the bottom: our White.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tablebase.errors import FormatError, IllegalPositionError
from tablebase.game.board import SQUARES, Color
from tablebase.game.fen import Piece, shown
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.records import Ending, Record
from tablebase.game.formats.replay import replayed
from tablebase.game.position import Move, Position
from tablebase.game.rules import Animal, Rules

__all__ = ["FORMAT"]

_NAME: Final = "bbdsq"
_VERSION: Final = "DSQSaveFormatVersion"
_SET: Final = re.compile(r"0[xX]([0-9a-fA-F]{1,16})")
_NUMBER: Final = re.compile("[0-9]{1,9}")
_PLAYERS: Final = {1: Color.BLACK, 2: Color.WHITE}
_WINNERS: Final = {0: None, **_PLAYERS}
_SETS: Final[tuple[Piece | None, ...]] = (
    None,
    None,
    *((color, animal) for animal in Animal for color in (Color.BLACK, Color.WHITE)),
)
"""Whose squares each set of a state has: none, rat … elephant, each of Player 1, then of 2."""


class _State(NamedTuple):
    """One board of the game, and the line on which it begins."""

    pieces: dict[int, Piece]
    turn: Color | None
    line: int


class _Text:
    """The lines of a save in turn."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._iterator = iter(lines)

    @property
    def place(self) -> Place:
        return Place(_NAME, self._lines.number)

    def line(self, what: str) -> str:
        found = next(self._iterator, None)
        if isinstance(found, FormatError):
            raise found
        if found is None:
            raise self.place.error(f"the text ends where {what} is wanted")
        return found.strip()

    def marker(self, name: str) -> None:
        found = self.line(f"{name}:")
        if found != f"{name}:":
            raise self.place.error(f"{name}: is wanted, not {shown(found)}", field=name)

    def number(self, name: str, most: int) -> int:
        found = self.line(f"{name}:")
        label, _, value = found.partition(": ")
        if label != name:
            raise self.place.error(f"{name}: is wanted, not {shown(found)}", field=name)
        if not _NUMBER.fullmatch(value) or int(value) > most:
            raise self.place.error(
                f"a number from 0 to {most} is wanted, not {shown(value)}", field=name
            )
        return int(value)

    def state(self) -> _State:
        pieces: dict[int, Piece] = {}
        begin = self._lines.number + 1
        for piece in _SETS:
            text = self.line("a set of squares")
            match = _SET.fullmatch(text)
            if match is None:
                raise self.place.error(
                    f"a set of squares such as 0x4000 is wanted, not {shown(text)}"
                )
            squares = int(match[1], 16)
            if squares >> SQUARES or (squares and piece is None) or squares & (squares - 1):
                raise self.place.error("a set has the square of one animal, or none")
            if squares:
                square = squares.bit_length() - 1
                if square in pieces:
                    raise self.place.error("two animals share a square")
                assert piece is not None
                pieces[square] = piece
        text = self.line("the side to move")
        if text not in ("0", "1", "2"):
            raise self.place.error(
                f"the side to move is 1 or 2, or 0 at the end; {shown(text)} is not"
            )
        return _State(pieces, _WINNERS[int(text)], begin)


_MOST: Final = 100_000
"""More states than this no game has, and no reader should hold."""


def _sniff(head: Sequence[str]) -> bool:
    return next((line for line in head if line.strip()), "").startswith(_VERSION)


def _read(lines: Lines, wanted: Wanted) -> Games:
    try:
        yield _game(_Text(lines), wanted)
        for line in lines:
            if isinstance(line, FormatError) or line.strip():
                raise Place(_NAME, lines.number).error(
                    "nothing more is wanted after the last state"
                )
    except FormatError as error:
        error.format = _NAME
        yield error


def _game(text: _Text, wanted: Wanted) -> Record:
    if text.number(_VERSION, 1_000_000) != 1:
        raise text.place.error("only version 1 is known", field=_VERSION)
    place = text.place
    text.marker("CurrentBoardStateMarker")
    now = text.state()
    over = text.number("GameOverStatus", 1)
    winner = _WINNERS[text.number("WinnerStatus", 2)]
    size = text.number("HistorySize", _MOST)
    if not size:
        raise text.place.error("there is no state of the game", field="HistorySize")
    current = text.number("CurrentHistoryPly", size - 1)
    text.marker("HistoryStatesMarker")
    states = [text.state() for _ in range(size)]
    if states[current].pieces != now.pieces:
        raise place.error(
            f"the current board is not that of state {current}", field="CurrentHistoryPly"
        )
    start = _start(states[0], place)
    moves = [
        _move(before, after, Color((start.turn + ply) & 1), ply + 1, place)
        for ply, (before, after) in enumerate(pairwise(states))
    ]
    undone = size - 1 - current
    notes = (f"the last {undone} plies were taken back",) if undone else ()
    return replayed(
        FORMAT,
        place,
        wanted,
        start,
        moves,
        result=Ending(winner) if over else None,
        notes=notes,
        metadata={"current_ply": current} if undone else {},
    )


def _start(state: _State, place: Place) -> Position:
    here = place._replace(line=state.line)
    if state.turn is None:
        raise here.error("the first state is that of a finished game")
    try:
        return Position.from_pieces(state.pieces, state.turn)
    except IllegalPositionError as error:
        raise here.error(str(error)) from None


def _move(before: _State, after: _State, mover: Color, ply: int, place: Place) -> Move:
    """The one move between two states."""
    here = place._replace(line=after.line)
    if before.turn is not mover:
        raise here._replace(line=before.line).error("the sides do not take turns", ply=ply)
    left = [square for square in before.pieces if square not in after.pieces]
    entered = [
        square for square, piece in after.pieces.items() if before.pieces.get(square) != piece
    ]
    if len(left) == len(entered) == 1 and before.pieces[left[0]] == after.pieces[entered[0]]:
        return Move(left[0], entered[0])
    raise here.error("it is not one move away from the state before", ply=ply)


FORMAT = Format(
    name=_NAME,
    title="a game saved by bbdsq",
    source="JSettler/bbdsq, board_state_io.cpp",
    rules=Rules(),
    unheld=("repetition: no move may lead to a position, with the turn, that was there twice",),
    sniff=_sniff,
    read_games=_read,
)
