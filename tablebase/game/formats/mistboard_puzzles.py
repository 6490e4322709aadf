"""A file of puzzles of Mistboard: positions with a solution and a goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tablebase.errors import FormatError, IllegalPositionError
from tablebase.game.board import SQUARES, Color
from tablebase.game.fen import LETTERS, Piece, shown
from tablebase.game.formats.format import Format, Games, Place, Wanted
from tablebase.game.formats.jsontext import Fields, parse_json
from tablebase.game.formats.lines import Lines
from tablebase.game.formats.mistboard import COLORS, RULES, SIDES, VARIANT
from tablebase.game.formats.records import Record
from tablebase.game.formats.replay import replayed
from tablebase.game.formats.squares import square_table
from tablebase.game.position import Move, Position
from tablebase.game.rules import Animal

__all__ = ["FORMAT"]

_NAME: Final = "mistboard-puzzles"
_FORMAT: Final = "mistboard-puzzle-seed-v1"
_SQUARES: Final = square_table(mirrored=True)
_UNMIRRORED: Final = square_table(mirrored=False)
_ANIMALS: Final = {animal.name.lower(): animal for animal in Animal}


def _sniff(head: Sequence[str]) -> bool:
    begin = "".join(head[:40])[:4000].lstrip()
    return begin.startswith("{") and _FORMAT in begin


def _read(lines: Lines, wanted: Wanted) -> Games:
    place = Place(_NAME, 1)
    try:
        file = Fields(parse_json(lines.document(_NAME), place), place)
        if file.text("format") != _FORMAT:
            raise file.error(f"only {_FORMAT} is known", "format")
        puzzles = file.array("puzzles")
    except FormatError as error:
        yield error
        return
    for index, value in enumerate(puzzles):
        try:
            puzzle = file.item("puzzles", index, value)
            if puzzle.text("variant") == VARIANT:
                yield _puzzle(puzzle, wanted)
        except FormatError as error:
            yield error


def _puzzle(puzzle: Fields, wanted: Wanted) -> Record:
    initial = puzzle.fields("initial")
    moves = []
    for index, value in enumerate(puzzle.array("solution")):
        step = puzzle.item("solution", index, value)
        moves.append(Move(step.choice("from", _SQUARES), step.choice("to", _SQUARES)))
    goal = puzzle.fields("goal")
    metadata: dict[str, Any] = {
        "title": puzzle.text_or_none("title"),
        "goal": goal.text("type"),
        "winner": SIDES[goal.choice("winner", COLORS)],
        "centipawns": goal.number_or_none("centipawns"),
        "themes": puzzle.texts("themes"),
        "move_number": initial.number_or_none("moveNumber"),
    }
    return replayed(
        FORMAT,
        puzzle.place,
        wanted,
        _position(initial),
        moves,
        field=(puzzle.path("solution") + "[{}]").format,
        id=puzzle.text("id"),
        metadata={key: value for key, value in metadata.items() if value is not None},
    )


def _position(initial: Fields) -> Position:
    status = initial.fields("status")
    if status.text("type") != "playing":
        raise status.error("a puzzle begins while the game goes on", "type")
    turn = status.choice("turn", COLORS)
    pieces: dict[int, Piece] = {}
    board = initial.fields("board")
    for name in board.values:
        if name not in _UNMIRRORED:
            raise initial.error(f"no square is called {shown(name)}", "board")
        piece = board.fields(name)
        pieces[_UNMIRRORED[name]] = piece.choice("color", COLORS), piece.choice("role", _ANIMALS)
    try:
        position = Position.from_pieces(pieces, turn, initial.number("progressClock"))
    except IllegalPositionError as error:
        raise initial.error(str(error), "board") from None
    counts = initial.fields_or_none("positionCounts")
    if counts is not None and counts.values and _key(pieces, turn) not in counts.values:
        raise initial.error("its key is not that of the board and the turn", "positionCounts")
    return position.mirrored()


def _key(pieces: dict[int, Piece], turn: Color) -> str:
    """The turn and all squares in a row, by which Mistboard counts repetitions."""
    squares = (LETTERS[pieces[s]] if s in pieces else "." for s in range(SQUARES))
    return f"{SIDES[turn]}|{''.join(squares)}"


FORMAT = Format(
    name=_NAME,
    title="puzzles of Mistboard",
    source="brianhliou/mistboard, seed/puzzles/jungle.json",
    mirrored=True,
    rules=RULES,
    sniff=_sniff,
    read_games=_read,
)
