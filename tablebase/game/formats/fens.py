"""What the FENs of all programs share: nine ranks from the top, in these letters or those."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tablebase.errors import FenError, FormatError
from tablebase.game.board import Color
from tablebase.game.fen import MAX_COUNTER, Piece, parse_fen, print_fen, shown
from tablebase.game.position import Position

__all__ = [
    "LEOPARD_IS_J",
    "board_of",
    "fields_of",
    "has_letter",
    "is_number",
    "looks_like_fen",
    "parse_board",
    "parse_counter",
]

LEOPARD_IS_J: Final = str.maketrans("PpJj", "JjPp")
"""Between our letters and those of KataGo, in which the leopard is J; either way round."""


_BOARD: Final = re.compile(r"\s*(?:position\s+fen\s+|setfen\s+|=\s+)?\w+(?:/\w*){4,}(?:\s|$)")


def fields_of(text: str) -> list[str]:
    """The words of a FEN; ``_`` may stand for a space."""
    fields = text.replace("_", " ").split()
    if not fields:
        raise FormatError("the FEN is empty")
    return fields


def looks_like_fen(text: str) -> bool:
    """Whether ``text`` begins with a board, even with a wrong one."""
    return _BOARD.match(text.replace("_", " ")) is not None


def has_letter(board: str, letter: str) -> bool:
    """Whether an animal of that letter, in either case, is on ``board``."""
    return letter in board or letter.lower() in board


def is_number(text: str) -> bool:
    """Whether ``text`` is all digits."""
    return text.isascii() and text.isdigit()


def parse_board(
    text: str, turn: Color, counter: int = 0, *, mirrored: bool = False, letters: str = "P"
) -> Position:
    """The position with the nine ranks in ``text``.

    ``letters`` is the letter of the leopard. ``FenError`` or ``IllegalPositionError`` says what is
    wrong, in the letters and squares of the text where that can be.
    """
    if letters == "J":
        if has_letter(text, "P"):
            raise FenError("the leopard is J here, and P is no animal")
        text = text.translate(LEOPARD_IS_J)
    pieces = parse_fen(f"{text} w")[0]
    position = Position.from_pieces(pieces, turn, counter)
    return position.mirrored() if mirrored else position


def board_of(position: Position, *, mirrored: bool = False, letters: str = "P") -> str:
    """The nine ranks of ``position``, without the turn."""
    pieces: Mapping[int, Piece] = (position.mirrored() if mirrored else position).pieces
    board = print_fen(pieces, Color.WHITE, 0).split()[0]
    return board.translate(LEOPARD_IS_J) if letters == "J" else board


def parse_counter(text: str, what: str) -> int:
    """A number from 0 to the largest counter there is."""
    if is_number(text) and len(text) <= 9 and int(text) <= MAX_COUNTER:
        return int(text)
    raise FormatError(f"{what} is a number from 0 to {MAX_COUNTER}; {shown(text)} is not")
