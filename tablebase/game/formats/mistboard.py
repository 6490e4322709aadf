"""The FEN of the site Mistboard, and what its other formats share: words, reasons, rules.

Read in brianhliou/mistboard and copies of it: ``packages/game/src/jungle-fen.ts``,
``variants-jungle.ts``, ``apps/server/src/jungle-tenant.ts``. Its board is our mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tablebase.errors import FormatError
from tablebase.game.board import DENS, WATER, Color
from tablebase.game.fen import shown
from tablebase.game.formats.fens import (
    board_of,
    fields_of,
    has_letter,
    is_number,
    parse_board,
    parse_counter,
)
from tablebase.game.formats.format import Format, Place, Wanted
from tablebase.game.formats.records import EndingReason, Record, Written
from tablebase.game.formats.replay import START, replayed
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Animal

__all__ = [
    "COLORS",
    "FORMAT",
    "OUTCOMES",
    "REASONS",
    "RULES",
    "SIDES",
    "TERMINATIONS",
    "VARIANT",
    "WINNERS",
    "fits",
    "parse",
    "print_position",
    "replayed_by_date",
    "write_fen",
]

VARIANT: Final = "jungle"
COLORS: Final = {"red": Color.WHITE, "black": Color.BLACK}
SIDES: Final = {color: word for word, color in COLORS.items()}
WINNERS: Final[dict[str, Color | None]] = {**COLORS, "draw": None}
OUTCOMES: Final[dict[str, Color | None]] = {
    "1-0": Color.WHITE,
    "0-1": Color.BLACK,
    "1/2-1/2": None,
}
_OFF_THE_BOARD: Final[dict[str, EndingReason]] = {
    "timeout": "timeout",
    "resignation": "resignation",
    "abandonment": "abandonment",
}
TERMINATIONS: Final[dict[str, EndingReason]] = {
    "race": "den",
    "no-legal-moves": "no animals",
    "stalemate": "no moves",
    "progress-clock": "limit",
    "repetition": "repetition",
    **_OFF_THE_BOARD,
}
"""The words of exported games."""
REASONS: Final[dict[str, EndingReason]] = {
    "den-entered": "den",
    "pieces-captured": "no animals",
    "stalemate": "no moves",
    "no-progress": "limit",
    "repetition": "repetition",
    **_OFF_THE_BOARD,
}
"""The words of the rules kernel and of match files."""

RULES: Final = RULE_SETS["mistboard"]
_OLD_RULES_UNTIL: Final = "2026-09-21"
"""The day on which the tiger learned to jump sideways."""
_OLD_RULES: Final = replace(RULES, tiger_jumps="vertical")
_OLD_UNHELD: Final = ("an earlier no_capture_limit was 100; the record does not say which it had",)

_TURNS: Final = {"r": Color.WHITE, "w": Color.WHITE, "b": Color.BLACK}


def parse(text: str) -> tuple[Position, tuple[str, ...]]:
    """The position of ``<board> <r|b> <plies since the last capture> <move number>``."""
    board, *rest = fields_of(text)
    turn, counter, number = [*rest, *("r", "0", "1")[len(rest) :]][:3]
    if len(rest) > 3:
        raise FormatError(f"a FEN ends after the move number: {shown(rest[3])} is too much")
    if turn not in _TURNS:
        raise FormatError(f"the side to move is r or b; {shown(turn)} is neither")
    plies = parse_counter(counter, "the counter of plies since the last capture")
    parse_counter(number, "the move number")
    notes: tuple[str, ...] = () if rest else ("it names no side to move: red, our White, is",)
    if number != "1":
        notes += (f"the move number {number} is left out",)
    return parse_board(board, _TURNS[turn], plies, mirrored=True), notes


def fits(text: str) -> bool:
    """Whether ``text`` is a FEN there by its words."""
    board, *rest = fields_of(text)
    numbers = all(map(is_number, rest[1:]))
    words = len(rest) <= 3 and rest[:1] in ([], ["r"], ["w"], ["b"]) and numbers
    return words and not has_letter(board, "J")


def write_fen(position: Position) -> str:
    """The FEN of ``position`` there; ``FormatError`` for what its reader refuses."""
    for color, side in ((Color.WHITE, position.white), (Color.BLACK, position.black)):
        if not side:
            raise FormatError(f"{color.name.capitalize()} has no animals, which Mistboard refuses")
        for animal, square in side:
            if square == DENS[color.other]:
                raise FormatError("an animal is in a den, which Mistboard refuses")
            if square in WATER and animal is not Animal.RAT:
                raise FormatError(f"a {animal.name.lower()} is in water, which Mistboard refuses")
    board = board_of(position, mirrored=True)
    return f"{board} {'rb'[position.turn]} {position.counter} 1"


def print_position(position: Position) -> Written:
    """The FEN as a line."""
    return Written(f"{write_fen(position)}\n")


def replayed_by_date(
    kind: Format,
    place: Place,
    wanted: Wanted,
    day: str | None,
    moves: Sequence[Move],
    **facts: Any,
) -> Record:
    """A game from the start by the rules of its ``day`` (``2026-09-21``), if that is known.

    A game that began under the old rules may have gone on under the new ones. See :func:`replayed`.
    """
    if wanted.rules is not None or day is None or day >= _OLD_RULES_UNTIL:
        return replayed(kind, place, wanted, START, moves, **facts)
    try:
        return replayed(
            kind, place, wanted, START, moves, recorded=_OLD_RULES, unheld=_OLD_UNHELD, **facts
        )
    except FormatError:
        notes = ("it began before tigers jumped sideways, and one did",)
        return replayed(kind, place, wanted, START, moves, notes=notes, **facts)


FORMAT = Format(
    name="mistboard",
    title="Mistboard's FEN",
    source="brianhliou/mistboard, packages/game/src/jungle-fen.ts",
    mirrored=True,
    rules=RULES,
    fits=fits,
    parse=parse,
    print=print_position,
)
