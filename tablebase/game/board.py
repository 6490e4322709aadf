"""The Jungle board: 63 squares, two lakes, six traps, two dens, and the board's symmetries.

A square is an integer, ``rank * 7 + file`` with both counted from 0, so a1 is 0, g1 is 6
and g9 is 62. White's den is d1, Black's is d9.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

__all__ = [
    "DENS",
    "FILES",
    "LAND",
    "MIRROR_SQUARE",
    "RANKS",
    "SQUARES",
    "SQUARE_NAMES",
    "TRAPS",
    "TURN_SQUARE",
    "WATER",
    "Color",
    "parse_square",
]

# Rank 9 first, as a player sees it: "." land, "~" water, "x" trap, "D" den.
_MAP: Final = """
    . . x D x . .
    . . . x . . .
    . . . . . . .
    . ~ ~ . ~ ~ .
    . ~ ~ . ~ ~ .
    . ~ ~ . ~ ~ .
    . . . . . . .
    . . . x . . .
    . . x D x . .
"""

FILES: Final = 7
RANKS: Final = 9
SQUARES: Final = FILES * RANKS


class Color(IntEnum):
    """A side. White plays from the bottom (rank 1) and moves first."""

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> Color:
        """The opponent."""
        return Color(1 - self)


def _squares(symbol: str) -> tuple[int, ...]:
    rows = [line.split() for line in _MAP.split("\n") if line.strip()]
    return tuple(
        square
        for square in range(SQUARES)
        if rows[RANKS - 1 - square // FILES][square % FILES] == symbol
    )


def _by_color(squares: tuple[int, ...]) -> tuple[frozenset[int], frozenset[int]]:
    middle = SQUARES // 2
    return (
        frozenset(square for square in squares if square < middle),
        frozenset(square for square in squares if square > middle),
    )


WATER: Final = frozenset(_squares("~"))
TRAPS: Final = _by_color(_squares("x"))
"""The traps of each side, indexed by :class:`Color`."""
DENS: Final = (min(_squares("D")), max(_squares("D")))
"""The den of each side, indexed by :class:`Color`."""
LAND: Final = frozenset(range(SQUARES)) - WATER - frozenset(DENS)
"""Every square on which a land animal can stand in an unfinished game (traps included)."""

SQUARE_NAMES: Final = tuple(
    f"{'abcdefg'[square % FILES]}{square // FILES + 1}" for square in range(SQUARES)
)
_BY_NAME: Final = {name: square for square, name in enumerate(SQUARE_NAMES)}

MIRROR_SQUARE: Final = tuple(
    square - square % FILES + FILES - 1 - square % FILES for square in range(SQUARES)
)
"""Left and right exchanged: a1 becomes g1. The rules do not notice."""
TURN_SQUARE: Final = tuple(
    (RANKS - 1 - square // FILES) * FILES + square % FILES for square in range(SQUARES)
)
"""Top and bottom exchanged: a1 becomes a9. The rules do not notice if the sides are swapped too."""


def parse_square(name: str) -> int:
    """The square called ``name``, such as ``"c3"``; ``ValueError`` if there is none."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"no square is called {name!r}: a1 to g9 are") from None
