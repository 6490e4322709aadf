"""The FEN of Dandelion, the board for KataGo: its letters, and the turn may be missing.

Read in lxsgx23/Dandelion-Chess, ``main.py`` (18366bf).
"""

from __future__ import annotations

from typing import Final

from tablebase.errors import FormatError
from tablebase.game.board import Color
from tablebase.game.fen import shown
from tablebase.game.formats import katago
from tablebase.game.formats.fens import fields_of, has_letter, parse_board
from tablebase.game.formats.format import Format
from tablebase.game.position import Position

__all__ = ["FORMAT"]

_RULES: Final = katago.KataRules(judge="WEIGHT", mm=300, mc=0)


def _parse(text: str) -> tuple[Position, tuple[str, ...]]:
    board, *rest = fields_of(text)
    notes: tuple[str, ...] = ()
    if not rest:
        notes = ("it names no side to move: w is",)
    elif rest[0] not in ("w", "b"):
        raise FormatError(f"the side to move is w or b; {shown(rest[0])} is neither")
    if len(rest) > 1:
        notes = (f"what follows the side to move is left out: {shown(' '.join(rest[1:]))}",)
    turn = Color.BLACK if rest and rest[0] == "b" else Color.WHITE
    return parse_board(board, turn, letters="J"), notes


def _fits(text: str) -> bool:
    board, *rest = fields_of(text)
    words = rest[:1] in ([], ["w"], ["b"]) and (len(rest) <= 1 or has_letter(board, "J"))
    return words and not has_letter(board, "P")


FORMAT = Format(
    name="dandelion",
    title="Dandelion's FEN",
    source="lxsgx23/Dandelion-Chess, main.py",
    rules=_RULES.rules(),
    unheld=_RULES.unheld(),
    fits=_fits,
    parse=_parse,
    print=katago.print_position,
)
