"""From a start and moves to a record: all are played, and the first illegal move is an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tablebase.errors import IllegalPositionError
from tablebase.game.board import Color
from tablebase.game.formats.format import Format, Place, Wanted
from tablebase.game.formats.records import Ending, Record, RulesFrom
from tablebase.game.formats.squares import text_of
from tablebase.game.games import Game, Result
from tablebase.game.moves import finished, follow
from tablebase.game.position import Move, Position
from tablebase.game.rules import Rules

__all__ = ["START", "replayed", "replayed_branch"]

START: Final = Position.start()

_ON_THE_BOARD: Final = ("den", "no animals", "no moves")


def replayed(
    kind: Format,
    place: Place,
    wanted: Wanted,
    start: Position,
    moves: Sequence[Move],
    *,
    recorded: Rules | None = None,
    unheld: tuple[str, ...] = (),
    result: Ending | None = None,
    notes: tuple[str, ...] = (),
    field: Callable[[int], str] | None = None,
    **rest: Any,
) -> Record:
    """The record of a game of that ``kind``; ``FormatError`` if it cannot have been played so.

    ``recorded`` are the rules that the record itself states, ``unheld`` what they cannot hold; else
    those of the format count. ``field`` says in which field the move of a ply (from 0) stood.
    """
    said_by: RulesFrom = "format"
    if wanted.rules is not None:
        rules, said_by, unheld = wanted.rules, "caller", ()
    elif recorded is not None:
        rules, said_by = recorded, "record"
    else:
        rules, unheld = kind.rules, kind.unheld
    last = replayed_branch(kind, place, rules, start, moves, 1, field)
    ended = _ended(last, rules)
    if result is not None and result.reason == "pass" and ended is not None:
        result = Ending(result.winner, ended.reason)
    notes += _contradictions(ended, result)
    return Record(
        kind.name,
        start,
        tuple(moves),
        rules,
        said_by,
        unheld,
        result,
        notes=notes,
        mirrored=kind.mirrored,
        line=place.line,
        **rest,
    )


def replayed_branch(
    kind: Format,
    place: Place,
    rules: Rules,
    start: Position,
    moves: Sequence[Move],
    first: int,
    field: Callable[[int], str] | None = None,
) -> Position:
    """The position after ``moves``, of which the first has the ply number ``first``."""
    try:
        start.validate(rules)
    except IllegalPositionError as error:
        raise place.error(str(error)) from None
    last, played = follow(start, moves, rules)
    if played < len(moves):
        move = moves[played]
        written = text_of(move, mirrored=kind.mirrored)
        said = f"{written} ({move} here)" if kind.mirrored else written
        over = _ended(last, rules)
        why = (
            f"{said} comes after the game was over ({over.reason})"
            if over is not None
            else f"{said} is no legal move in {last.fen()} under the rules {rules.name!r}"
        )
        raise place.error(why, ply=first + played, field=field(played) if field else None)
    return last


def _ended(position: Position, rules: Rules) -> Result | None:
    """How a game ended by what is on the board, ``None`` if it goes on."""
    if finished(position, rules) is None:
        return None
    return Game(position, rules.without_limit()).result()


def _contradictions(ended: Result | None, result: Ending | None) -> tuple[str, ...]:
    """Where the result of a record is not what the last position shows."""
    if result is None:
        return ()
    if ended is None:
        if result.reason in _ON_THE_BOARD:
            return (f"the record says that it ended by {result.reason}, the board does not",)
        return ()
    if ended.winner is not result.winner:
        return (f"the record says {_who(result.winner)}, the board {_who(ended.winner)}",)
    return ()


def _who(winner: Color | None) -> str:
    return "that nobody won" if winner is None else f"that {winner.name.capitalize()} won"
