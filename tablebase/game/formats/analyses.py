"""What other engines and tables answer about a position: moves with scores, in our squares.

``bestmove`` and the analysis of misty-jungle (``jungle-engine/src/main.rs``), and the answer of
Mistboard's tables (``packages/game/src/xiangqi-tablebase.ts``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tablebase.errors import FormatError
from tablebase.game.formats.format import Place
from tablebase.game.formats.jsontext import Fields, parse_json
from tablebase.game.formats.lines import Lines, Source
from tablebase.game.formats.squares import move_table, square_table
from tablebase.game.position import Move

__all__ = ["EngineLine", "TableAnswer", "read_analysis", "read_best_moves", "read_table_answer"]

_MISTY: Final = "misty-jungle"
_TABLES: Final = "mistboard-tablebase"
_MOVES: Final = move_table(mirrored=True)
_SQUARES: Final = square_table(mirrored=True)
_BEST: Final = re.compile(r"bestmove\s+(?:(\(none\))|(\S+))")
_RESULTS: Final = {"win": 1, "draw": 0, "loss": -1}


class EngineLine(NamedTuple):
    """A move and what the engine thinks of it."""

    move: Move
    score: int | None = None
    """In hundredths, from the view of the side to move; ``None`` where it is not said."""
    depth: int | None = None


class TableAnswer(NamedTuple):
    """The value of a position, or of a move: 1, 0 or -1 for the mover, and the plies to the end."""

    outcome: int
    dtw: int | None
    moves: tuple[tuple[Move, TableAnswer], ...] = ()
    """For each move the value for who plays it, the move counted, in the order of the answer."""


def read_best_moves(source: Source) -> Iterator[Move | None]:
    """The moves that misty-jungle chose in a dialogue, in turn; ``None`` where it found none."""
    for line in (lines := Lines(source)):
        if isinstance(line, FormatError):
            raise line
        match = _BEST.match(line)
        if match is not None:
            yield None if match[1] else _move(match[2], Place(_MISTY, lines.number))


def read_analysis(text: str) -> tuple[EngineLine, ...]:
    """The lines of an analysis of misty-jungle in JSON, in its order."""
    answer = _fields(text, _MISTY)
    if "error" in answer.values:
        raise answer.error(f"the engine answers {answer.text('error')!r}", "error")
    found = []
    for index, value in enumerate(answer.array("lines")):
        line = answer.item("lines", index, value)
        move = _move(line.text("uci"), line.place)
        found.append(EngineLine(move, line.number_or_none("cp"), line.number_or_none("depth")))
    return tuple(found)


def read_table_answer(text: str) -> TableAnswer | None:
    """What Mistboard's tables say of a position in JSON; ``None`` if they have none for it."""
    answer = _fields(text, _TABLES)
    if answer.choice("status", {"exact": True, "none": False}) is False:
        return None
    moves = []
    for index, value in enumerate(answer.array("moves")):
        line = answer.item("moves", index, value)
        move = Move(line.choice("from", _SQUARES), line.choice("to", _SQUARES))
        moves.append((move, _value(line)))
    return _value(answer)._replace(moves=tuple(moves))


def _value(fields: Fields) -> TableAnswer:
    return TableAnswer(fields.choice("result", _RESULTS), fields.number_or_none("dtm"))


def _fields(text: str, format_name: str) -> Fields:
    place = Place(format_name, 1)
    return Fields(parse_json(text, place), place)


def _move(text: str, place: Place) -> Move:
    if text not in _MOVES:
        raise place.error(f"{text[:20]!r} is no move such as a1b1")
    return _MOVES[text]
