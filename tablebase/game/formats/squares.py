"""Squares and moves as other programs write them: every way to write one, looked up in a table."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tablebase.game.board import MIRROR_SQUARE, SQUARE_NAMES, SQUARES
from tablebase.game.position import Move

__all__ = ["mirrored_move", "move_table", "square_table", "text_of"]

_MIRRORED_NAMES: Final = tuple(SQUARE_NAMES[square] for square in MIRROR_SQUARE)


@lru_cache(maxsize=2)
def square_table(mirrored: bool) -> dict[str, int]:
    """The square of each name, such as ``"a1"``; with ``mirrored`` that of ``"a1"`` is g1."""
    return {
        name: square for square, name in enumerate(_MIRRORED_NAMES if mirrored else SQUARE_NAMES)
    }


@lru_cache(maxsize=2)
def move_table(mirrored: bool) -> dict[str, Move]:
    """The move of each text such as ``"a1b1"``, of any square to any other."""
    named = square_table(mirrored).items()
    return {
        origin + target: Move(start, end)
        for origin, start in named
        for target, end in named
        if start != end
    }


def mirrored_move(move: Move) -> Move:
    """The move with left and right exchanged."""
    return Move(MIRROR_SQUARE[move.origin], MIRROR_SQUARE[move.target])


def text_of(move: Move, *, mirrored: bool) -> str:
    """The move as ``"a1b1"``, with ``mirrored`` in the squares of a mirrored format."""
    return str(mirrored_move(move) if mirrored else move)


assert len(move_table(mirrored=False)) == SQUARES * (SQUARES - 1)
