"""Materials: the animals of both sides, their names, and what captures leave of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Final, NamedTuple

from tablebase.errors import MaterialError
from tablebase.game.board import Color
from tablebase.game.rules import Animal, Rules

if TYPE_CHECKING:
    from tablebase.game.position import Position

__all__ = [
    "MAX_ANIMALS",
    "STRONGEST_FIRST",
    "Material",
    "Piece",
    "captured_materials",
    "materials",
]

MAX_ANIMALS: Final = 5
"""The most animals for which tables are made."""

STRONGEST_FIRST: Final = tuple(sorted(Animal, reverse=True))
_LETTERS: Final = {animal.letter: animal for animal in Animal}


class Piece(NamedTuple):
    """An animal of a side."""

    color: Color
    animal: Animal


@dataclass(frozen=True, slots=True)
class Material:
    """The animals of both sides, each strongest first; neither side is empty."""

    white: tuple[Animal, ...]
    black: tuple[Animal, ...]

    def __post_init__(self) -> None:
        for name, side in (("White", self.white), ("Black", self.black)):
            if not side:
                raise MaterialError(f"{name} has no animals, so there is nothing to play for")
            if len(set(side)) < len(side):
                twice = next(animal for animal in side if side.count(animal) > 1)
                raise MaterialError(f"{name} has two of {twice.letter}; there is one of each")
        object.__setattr__(self, "white", tuple(sorted(self.white, reverse=True)))
        object.__setattr__(self, "black", tuple(sorted(self.black, reverse=True)))

    @classmethod
    def parse(cls, name: str) -> Material:
        """The material called ``name``, such as ``"ELvT"``; animals in any order."""
        white, separator, black = name.strip().partition("v")
        if not separator or "v" in black:
            raise MaterialError(
                f"{_shorten(name)} is no material: write White's animals, v, Black's, as in ELvT"
            )
        for letter in white + black:
            if letter not in _LETTERS:
                raise MaterialError(
                    f"{_shorten(name)} is no material: {letter!r} is no animal;"
                    f" the letters are {' '.join(animal.letter for animal in STRONGEST_FIRST)}"
                )
        try:
            return cls(tuple(_LETTERS[x] for x in white), tuple(_LETTERS[x] for x in black))
        except MaterialError as error:
            raise MaterialError(f"{_shorten(name)} is no material: {error}") from None

    @classmethod
    def of(cls, position: Position) -> Material:
        """The material of ``position``; :class:`MaterialError` if a side has no animals."""
        return cls(
            tuple(animal for animal, _ in position.white),
            tuple(animal for animal, _ in position.black),
        )

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """White's animals, then Black's, each strongest first."""
        return tuple(Piece(Color.WHITE, animal) for animal in self.white) + tuple(
            Piece(Color.BLACK, animal) for animal in self.black
        )

    def swapped(self) -> Material:
        """The same with the sides exchanged."""
        return Material(self.black, self.white)

    def __len__(self) -> int:
        return len(self.white) + len(self.black)

    def __str__(self) -> str:
        return "v".join("".join(a.letter for a in side) for side in (self.white, self.black))


def materials(animals: int) -> tuple[Material, ...]:
    """Every material of that many animals; those with the larger White side first."""
    return tuple(
        Material(white, black)
        for count in range(animals - 1, 0, -1)
        for white, black in product(
            combinations(STRONGEST_FIRST, count), combinations(STRONGEST_FIRST, animals - count)
        )
    )


def captured_materials(rules: Rules, material: Material) -> dict[Piece, Material]:
    """What is left of ``material`` after each capture that can happen, by the captured piece.

    A side's last animal is left out: its capture ends the game.
    """
    sides = (material.white, material.black)
    found = {}
    for piece in material.pieces:
        own, enemies = sides[piece.color], sides[piece.color.other]
        if len(own) == 1 or not any(
            rules.may_capture(enemy, piece.color.other, piece.animal, edge)
            for enemy in enemies
            for edge in rules.edges(enemy, piece.color.other)
            if edge.target in rules.squares(piece.animal)
        ):
            continue
        left = tuple(animal for animal in own if animal is not piece.animal)
        found[piece] = (
            Material(left, enemies) if piece.color is Color.WHITE else Material(enemies, left)
        )
    return found


def _shorten(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
