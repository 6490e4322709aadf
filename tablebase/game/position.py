"""Positions: who stands where, whose turn it is, and their text forms (FEN, moves, a board).

What may be played is in ``tablebase.game.moves``. Here is only what holds under every rule set, and
:meth:`Position.validate` for the one placement that depends on the rules: who stands in water.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tablebase.errors import IllegalPositionError
from tablebase.game.board import (
    DENS,
    FILES,
    MIRROR_SQUARE,
    RANKS,
    SQUARE_NAMES,
    SQUARES,
    TRAPS,
    TURN_SQUARE,
    WATER,
    Color,
    parse_square,
)
from tablebase.game.fen import LETTERS, MAX_COUNTER, Piece, parse_fen, print_fen, shown
from tablebase.game.rules import Animal, Rules

__all__ = ["START_FEN", "Move", "Position"]

START_FEN: Final = "l5t/1d3c1/r1p1w1e/7/7/7/E1W1P1R/1C3D1/T5L w"

_STANDING: Final = tuple(
    {a: Rules(swimmers="rat and dog").squares(a) | {DENS[color.other]} for a in Animal}
    for color in Color
)
"""By color, the squares on which an animal can stand under some rule set."""


class Move(NamedTuple):
    """A move: the square left and the square entered."""

    origin: int
    target: int

    def __str__(self) -> str:
        return SQUARE_NAMES[self.origin] + SQUARE_NAMES[self.target]

    @classmethod
    def parse(cls, text: str) -> Move:
        """The move written ``text``, such as ``"c3c4"``; ``ValueError`` if it is none."""
        if len(text) != 4:
            raise ValueError(f"{shown(text)} is no move: two squares such as c3c4 are")
        return cls(parse_square(text[:2]), parse_square(text[2:]))


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """Who stands where and whose turn it is; immutable and hashable.

    ``white`` and ``black`` hold a side's animals and their squares, strongest first (the order of
    :class:`Animal`, whatever the rules say of dog and wolf). ``counter`` is the number of plies
    since the last capture. Animals given in another order are sorted; a placement that is illegal
    under every rule set raises ``IllegalPositionError``. An animal in the enemy den is legal: its
    side has won.
    """

    white: tuple[tuple[Animal, int], ...]
    black: tuple[tuple[Animal, int], ...]
    turn: Color = Color.WHITE
    counter: int = 0

    def __post_init__(self) -> None:
        white = tuple(sorted(self.white, reverse=True))
        black = tuple(sorted(self.black, reverse=True))
        _check_placement(white, black)
        if not 0 <= self.counter <= MAX_COUNTER:
            raise IllegalPositionError(
                f"the counter of plies since the last capture is 0 to {MAX_COUNTER};"
                f" {self.counter} is not"
            )
        object.__setattr__(self, "white", white)
        object.__setattr__(self, "black", black)
        object.__setattr__(self, "turn", Color(self.turn))

    @classmethod
    def start(cls) -> Position:
        """The position in which a game begins."""
        return cls.from_fen(START_FEN)

    @classmethod
    def from_pieces(cls, pieces: Mapping[int, Piece], turn: Color, counter: int = 0) -> Position:
        """The position with ``pieces`` on these squares; ``IllegalPositionError`` if none is."""
        placed = [(color, animal, square) for square, (color, animal) in pieces.items()]
        white = tuple([(animal, square) for color, animal, square in placed if not color])
        black = tuple([(animal, square) for color, animal, square in placed if color])
        return cls(white, black, turn, counter)

    @classmethod
    def from_fen(cls, text: str, rules: Rules | None = None) -> Position:
        """The position that a FEN says: nine ranks from the top, then ``w`` or ``b``, then the
        counter if it is not 0. ``_`` may stand for a space and ``r`` (red) for ``w``.

        ``FenError`` says what is wrong with the text and where, ``IllegalPositionError`` what is
        wrong with the placement. With ``rules``, :meth:`validate` is called too.
        """
        position = cls.from_pieces(*parse_fen(text))
        if rules is not None:
            position.validate(rules)
        return position

    @classmethod
    def unchecked(
        cls,
        white: tuple[tuple[Animal, int], ...],
        black: tuple[tuple[Animal, int], ...],
        turn: Color,
        counter: int,
    ) -> Position:
        """The same without sorting and checking, for animals known to be in order and in place."""
        position = object.__new__(cls)
        put = object.__setattr__
        put(position, "white", white)
        put(position, "black", black)
        put(position, "turn", turn)
        put(position, "counter", counter)
        return position

    @property
    def pieces(self) -> dict[int, Piece]:
        """The animal on each occupied square, in board order (a1, b1 … g9)."""
        found = {square: (Color.WHITE, animal) for animal, square in self.white}
        found.update((square, (Color.BLACK, animal)) for animal, square in self.black)
        return dict(sorted(found.items()))

    def piece_at(self, square: int) -> Piece | None:
        """The animal on ``square`` and its side, or ``None``."""
        for color, side in ((Color.WHITE, self.white), (Color.BLACK, self.black)):
            for animal, occupied in side:
                if occupied == square:
                    return color, animal
        return None

    def validate(self, rules: Rules) -> None:
        """Raise ``IllegalPositionError`` where ``rules`` let no such animal stand in water."""
        for color, side in ((Color.WHITE, self.white), (Color.BLACK, self.black)):
            for animal, square in side:
                if square in WATER and not rules.swims(animal):
                    raise IllegalPositionError(
                        f"{_called(color, animal, square)} stands in water and does not swim"
                        f" under the rules {rules.name!r}",
                        SQUARE_NAMES[square],
                    )

    def fen(self) -> str:
        """The FEN of this position, with the counter only if it is not 0."""
        return print_fen(self.pieces, self.turn, self.counter)

    def __repr__(self) -> str:
        return f"Position.from_fen({self.fen()!r})"

    def __str__(self) -> str:
        """A board for people: ``~`` water, ``x`` trap, ``#`` den, with rank and file names."""
        pieces = self.pieces
        lines = []
        for rank in reversed(range(RANKS)):
            squares = range(rank * FILES, rank * FILES + FILES)
            symbols = (LETTERS[pieces[s]] if s in pieces else _terrain(s) for s in squares)
            lines.append(f"{rank + 1} {' '.join(symbols)}")
        return "\n".join([*lines, "  a b c d e f g", f"{self.turn.name.capitalize()} to move"])

    def _repr_svg_(self) -> str:
        """The board as a picture: notebooks show it."""
        from tablebase.game import pictures  # only notebooks need it

        return pictures.board(self)

    def mirrored(self) -> Position:
        """Left and right exchanged: the same value under every rule set."""
        return Position.unchecked(
            tuple((animal, MIRROR_SQUARE[square]) for animal, square in self.white),
            tuple((animal, MIRROR_SQUARE[square]) for animal, square in self.black),
            self.turn,
            self.counter,
        )

    def swapped(self) -> Position:
        """The sides exchanged, with the turn, and the board turned: the same value to the mover."""
        return Position.unchecked(
            tuple((animal, TURN_SQUARE[square]) for animal, square in self.black),
            tuple((animal, TURN_SQUARE[square]) for animal, square in self.white),
            self.turn.other,
            self.counter,
        )


def _check_placement(
    white: tuple[tuple[Animal, int], ...], black: tuple[tuple[Animal, int], ...]
) -> None:
    """Raise ``IllegalPositionError`` for what no rule set allows."""
    if not white and not black:
        raise IllegalPositionError("there is no animal on the board")
    squares = set()
    for color, side in ((Color.WHITE, white), (Color.BLACK, black)):
        if len(side) > len(Animal):
            raise IllegalPositionError(
                f"{_name(color)} has {len(side)} animals; a side has at most {len(Animal)}"
            )
        previous = None
        for animal, square in side:
            if animal == previous:
                raise IllegalPositionError(f"{_name(color)} has more than one {_name(animal)}")
            if square not in _STANDING[color][animal]:
                name = SQUARE_NAMES[square] if 0 <= square < SQUARES else None
                raise IllegalPositionError(_why_not(color, animal, square), name)
            previous = animal
            squares.add(square)
    if len(squares) < len(white) + len(black):
        raise IllegalPositionError("two animals share a square")
    if DENS[0] in squares and DENS[1] in squares:
        raise IllegalPositionError("both dens are entered: the game ended with the first")


def _why_not(color: Color, animal: Animal, square: int) -> str:
    if not 0 <= square < SQUARES:
        return f"there is no square {square}: 0 to {SQUARES - 1} are"
    if square == DENS[color]:
        return f"{_called(color, animal, square)} stands in its own den"
    return f"{_called(color, animal, square)} stands in water and does not swim"


def _called(color: Color, animal: Animal, square: int) -> str:
    return f"{_name(color)}'s {_name(animal)} on {SQUARE_NAMES[square]}"


def _name(member: Color | Animal) -> str:
    name = member.name
    return name.capitalize() if isinstance(member, Color) else name.lower()


def _terrain(square: int) -> str:
    if square in WATER:
        return "~"
    if square in DENS:
        return "#"
    return "x" if any(square in traps for traps in TRAPS) else "."
