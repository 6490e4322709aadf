"""The FEN of netcan/AnimalChess: our letters and turn; what follows the turn is ignored.

Read in netcan/AnimalChess, ``core/src/board.rs`` (3db39ce).
"""

from __future__ import annotations

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.fen import shown
from tablebase.game.formats.fens import board_of, fields_of, has_letter, is_number, parse_board
from tablebase.game.formats.format import Format
from tablebase.game.formats.records import Written
from tablebase.game.position import Position
from tablebase.game.rules import RULE_SETS

__all__ = ["FORMAT"]


def _parse(text: str) -> tuple[Position, tuple[str, ...]]:
    board, *rest = fields_of(text)
    if not rest:
        raise FormatError("the side to move is missing after the board: add w or b")
    notes: tuple[str, ...] = ()
    if rest[0] not in ("w", "b"):
        notes = (f"any turn but w is Black's there: {shown(rest[0])} is",)
    if len(rest) > 1:
        notes += (f"what follows the side to move is left out: {shown(' '.join(rest[1:]))}",)
    return parse_board(board, Color.WHITE if rest[0] == "w" else Color.BLACK), notes


def _fits(text: str) -> bool:
    """As it writes, or in the six fields of chess, which it reads."""
    board, *rest = fields_of(text)
    six = len(rest) == 5 and rest[1:3] == ["-", "-"] and all(map(is_number, rest[3:]))
    words = rest in (["w"], ["b"]) or (six and rest[0] in ("w", "b"))
    return words and not has_letter(board, "J")


def _print(position: Position) -> Written:
    lost = ("the plies since the last capture",) if position.counter else ()
    return Written(f"{board_of(position)} {'wb'[position.turn]}\n", lost)


FORMAT = Format(
    name="netcan",
    title="netcan's FEN",
    source="netcan/AnimalChess, core/src/board.rs",
    rules=RULE_SETS["netcan"],
    unheld=(
        "repetition: the third time that a placement comes up, whoever moves, who is to move loses",
    ),
    fits=_fits,
    parse=_parse,
    print=_print,
)
