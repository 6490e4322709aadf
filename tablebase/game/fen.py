"""FEN, the one-line text of a position: parsing it and printing it, before any check of sense."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from tablebase.errors import FenError
from tablebase.game.board import FILES, RANKS, Color
from tablebase.game.rules import Animal

__all__ = ["LETTERS", "MAX_COUNTER", "Piece", "parse_fen", "print_fen", "shown"]

Piece = tuple[Color, Animal]

MAX_COUNTER: Final = 10_000
"""The counter stops here, as does the largest ``no_capture_limit``."""

LETTERS: Final[dict[Piece, str]] = {
    (color, animal): animal.letter.lower() if color else animal.letter
    for color in Color
    for animal in Animal
}
"""The letter of each animal in a FEN: upper case is White."""
_PIECES: Final = {letter: piece for piece, letter in LETTERS.items()}
_TURNS: Final = {"w": Color.WHITE, "r": Color.WHITE, "b": Color.BLACK}


def parse_fen(text: str) -> tuple[dict[int, Piece], Color, int]:
    """The pieces by square, the side to move and the counter; ``FenError`` says what is wrong.

    Nine ranks from the top, then ``w`` or ``b`` (or ``r``, red, for ``w``), then the counter of
    plies since the last capture if it is not 0. ``_`` may stand for a space.
    """
    parts = text.replace("_", " ").split()
    if not parts:
        raise FenError("the FEN is empty")
    pieces = _parse_board(parts[0])
    if len(parts) == 1:
        raise FenError("the side to move is missing after the board: add w or b", "side to move")
    if len(parts) > 3:
        raise FenError(f"a FEN ends after the counter: {shown(parts[3])} is too much")
    if parts[1] not in _TURNS:
        raise FenError(f"the side to move is w or b; {shown(parts[1])} is neither", "side to move")
    return pieces, _TURNS[parts[1]], _parse_counter(parts[2]) if len(parts) == 3 else 0


def print_fen(pieces: Mapping[int, Piece], turn: Color, counter: int) -> str:
    """The FEN of ``pieces``, which are in board order; the counter only if it is not 0."""
    ranks = [""] * RANKS
    files = [0] * RANKS  # how many squares of the rank its text covers so far
    for square, piece in pieces.items():
        rank, file = divmod(square, FILES)
        ranks[rank] += f"{file - files[rank] or ''}{LETTERS[piece]}"
        files[rank] = file + 1
    board = "/".join(
        [f"{ranks[rank]}{FILES - files[rank] or ''}" for rank in reversed(range(RANKS))]
    )
    return f"{board} {'wb'[turn]}" + (f" {counter}" if counter else "")


def shown(text: str) -> str:
    """``text`` quoted for an error message, cut where it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _parse_board(text: str) -> dict[int, Piece]:
    ranks = text.split("/")
    if len(ranks) != RANKS:
        raise FenError(
            f"the board has {RANKS} ranks separated by '/'; {shown(text)} has {len(ranks)}",
            "board",
        )
    pieces: dict[int, Piece] = {}
    number = RANKS
    for rank in ranks:
        if rank != "7":
            pieces.update(_parse_rank(number, rank))
        number -= 1
    return pieces


@lru_cache(maxsize=4096)
def _parse_rank(number: int, text: str) -> tuple[tuple[int, Piece], ...]:
    """The occupied squares of a rank; cached, since a stream of FENs repeats most of its ranks."""
    pieces = []
    file = 0
    for symbol in text:
        if symbol in _PIECES:
            pieces.append(((number - 1) * FILES + file, _PIECES[symbol]))
            file += 1
        elif symbol in "1234567":
            file += int(symbol)
        else:
            raise FenError(
                f"rank {number}: {symbol!r} is neither an animal (one of ELTPWDCR or eltpwdcr)"
                f" nor a number of empty squares from 1 to {FILES}",
                "board",
            )
    if file != FILES:
        raise FenError(f"rank {number}: {shown(text)} fills {file} squares, not {FILES}", "board")
    return tuple(pieces)


def _parse_counter(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 9 and int(text) <= MAX_COUNTER:
        return int(text)
    raise FenError(
        f"the counter of plies since the last capture is a number from 0 to {MAX_COUNTER};"
        f" {shown(text)} is not",
        "counter",
    )
