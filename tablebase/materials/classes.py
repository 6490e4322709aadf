"""The classes of materials that share one table.

What matters of an animal is how it moves and whom it may capture where. Two materials in which
these agree after renaming, or after exchanging the sides and turning the board, have the same
table. The comparison is made on the edges and captures that ``game/rules.py`` compiles, so it is
right for every rule set.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, count, permutations
from math import prod
from typing import NamedTuple

from tablebase.game.board import FILES, Color
from tablebase.game.rules import Animal, Rules
from tablebase.materials.material import STRONGEST_FIRST, Material, Piece, materials

__all__ = ["Location", "TableClass", "classes", "locate", "served_materials"]


@dataclass(frozen=True)
class TableClass:
    """A class of materials, and the shape of the one table that they share.

    The table has one axis for each animal of ``material``, the representative; ``axes`` gives
    their order. The last axis is the *bit animal* of the solver, a swimmer if there is one, so
    that its jumps are never blocked by an animal of another axis; the last but one is no swimmer
    if any of the others is none, and no jumper if any is neither.
    """

    rules: Rules
    material: Material

    @cached_property
    def name(self) -> str:
        """The name of the class: that of its representative."""
        return str(self.material)

    @cached_property
    def axes(self) -> tuple[Piece, ...]:
        """The animal of each axis."""
        swimmers = [piece for piece in self.material.pieces if self.rules.swims(piece.animal)]
        jumpers: list[Piece] = []
        steppers: list[Piece] = []
        for piece in self.material.pieces:
            if not self.rules.swims(piece.animal):
                jumps = self.rules.jumps(piece.animal) != "none"
                (jumpers if jumps else steppers).append(piece)
        # Steppers are best at the ends, where a jump costs most; one of them comes first if there
        # are enough.
        first = [steppers.pop(0)] if len(steppers) > (1 if swimmers else 2) else []
        others = [*first, *jumpers, *steppers]
        bit = swimmers.pop(0) if swimmers else others.pop()
        return (*swimmers, *others, bit)

    @cached_property
    def squares(self) -> tuple[tuple[int, ...], ...]:
        """Where the animal of each axis can stand, ascending; the first only on files a to d,
        which takes the left-right mirror out."""
        found = [tuple(sorted(self.rules.squares(piece.animal))) for piece in self.axes]
        found[0] = tuple(square for square in found[0] if square % FILES <= FILES // 2)
        return tuple(found)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of squares on each axis."""
        return tuple(len(squares) for squares in self.squares)

    @cached_property
    def cells(self) -> int:
        """The number of codes that the table stores for one side to move."""
        return prod(self.shape)

    @cached_property
    def placements(self) -> int:
        """Legal placements of the animals for one side to move, mirror images included."""
        # Swimmers can stand wherever the others can, and on the water besides.
        squares = sorted(len(self.rules.squares(piece.animal)) for piece in self.axes)
        return prod(free - placed for placed, free in enumerate(squares))


class Location(NamedTuple):
    """The class of a material, and who in it is who.

    ``order[k]`` is the number, among the pieces of the material, of the one on axis ``k``. If
    ``swapped``, the sides are exchanged and the board is turned: that piece then plays for the
    other side, on the square :data:`~tablebase.game.board.TURN_SQUARE` of its own.
    """

    table_class: TableClass
    swapped: bool
    order: tuple[int, ...]


def locate(rules: Rules, material: Material) -> Location:
    """The class of ``material`` under ``rules``, and how to read its table."""
    return _locate(_table_rules(rules), material)


def classes(rules: Rules, animals: int) -> tuple[TableClass, ...]:
    """Every class of that many animals, in the order of :func:`materials`."""
    return _classes(_table_rules(rules), animals)


def served_materials(rules: Rules, animals: int) -> dict[TableClass, tuple[Material, ...]]:
    """By class of that many animals, in the order of :func:`materials`, all materials in it."""
    return _served_materials(_table_rules(rules), animals)


class _Abilities:
    """Movement and capture relations of one rule set as small numbers that compare equal when
    the relations do. Both are seen from the animal's own side, so they hold for either colour."""

    def __init__(self, rules: Rules) -> None:
        white = Color.WHITE
        self._numbers: dict[Hashable, int] = {}
        self._next = count()  # two threads never get the same number from it
        captures = {
            (attacker, defender): frozenset(
                edge
                for edge in rules.edges(attacker, white)
                if edge.target in rules.squares(defender)
                and rules.may_capture(attacker, white, defender, edge)
            )
            for attacker in Animal
            for defender in Animal
        }
        self._movement = {a: self._number(rules.edges(a, white)) for a in Animal}
        self._relation = {
            (own, enemy): self._number((captures[own, enemy], captures[enemy, own]))
            for own, enemy in captures
        }
        self._line_ups: dict[tuple[Animal, ...], _LineUp] = {}

    def line_up(self, side: tuple[Animal, ...]) -> _LineUp:
        """What the animals of ``side`` can do, in this order, and what all others are to them."""
        found = self._line_ups.get(side)
        if found is None:
            kinds = {
                enemy: self._number(
                    (self._movement[enemy], *(self._relation[a, enemy] for a in side))
                )
                for enemy in STRONGEST_FIRST
            }
            found = _LineUp(side, tuple(self._movement[animal] for animal in side), kinds)
            self._line_ups[side] = found
        return found

    def _number(self, ability: Hashable) -> int:
        return self._numbers.setdefault(ability, next(self._next))


class _LineUp(NamedTuple):
    """A side in a certain order."""

    animals: tuple[Animal, ...]
    movement: tuple[int, ...]
    kinds: dict[Animal, int]
    """Everything that matters of an enemy: how it moves, and which of the side it can capture, and
    be captured by, and where; strongest first."""

    def strongest(self, kinds: Sequence[int]) -> tuple[Animal, ...] | None:
        """The strongest enemies that are of these kinds, if there are any."""
        free = dict(self.kinds)
        found = []
        for kind in kinds:
            animal = next((a for a, other in free.items() if other == kind), None)
            if animal is None:
                return None
            del free[animal]
            found.append(animal)
        return tuple(found)


class _Match(NamedTuple):
    """A material with the same table, and who in it is who: ``sides`` are the animals of the one,
    in the order of the other's White and Black; ``swapped``, if White there is Black here."""

    material: Material
    swapped: bool
    sides: tuple[tuple[Animal, ...], tuple[Animal, ...]]


@lru_cache(maxsize=64)
def _abilities(rules: Rules) -> _Abilities:
    return _Abilities(rules)


def _first_equivalent(rules: Rules, material: Material) -> _Match:
    """The first material, in the order of :func:`materials`, that has the same table."""
    abilities = _abilities(rules)
    # Every way to line up what is to be White, by what White's animals are to be able to do.
    sources: dict[tuple[int, ...], list[tuple[bool, _LineUp, tuple[Animal, ...]]]] = {}
    size = max(len(material.white), len(material.black))
    for swapped, side, enemies in (
        (False, material.white, material.black),
        (True, material.black, material.white),
    ):
        if len(side) == size:
            for own in map(abilities.line_up, permutations(side)):
                sources.setdefault(own.movement, []).append((swapped, own, enemies))
    for white in map(abilities.line_up, combinations(STRONGEST_FIRST, size)):
        found: list[_Match] = []
        for swapped, own, enemies in sources.get(white.movement, ()):
            black = white.strongest([own.kinds[enemy] for enemy in enemies])
            if black is not None:
                pairs = sorted(zip(black, enemies, strict=True), reverse=True)
                sides = own.animals, tuple(enemy for _, enemy in pairs)
                found.append(_Match(Material(white.animals, black), swapped, sides))
        if found:
            # The strongest are the greatest. Of equal ones max() keeps the one found first, which
            # is the material itself wherever that is the answer.
            return max(found, key=lambda match: match.material.black)
    raise AssertionError("a material is equivalent to itself")


@lru_cache(maxsize=1 << 16)
def _locate(rules: Rules, material: Material) -> Location:
    first, swapped, sides = _first_equivalent(rules, material)
    table_class = TableClass(rules, first)
    numbers = {piece: number for number, piece in enumerate(material.pieces)}
    partner = {
        (side, there): numbers[Piece(Color(swapped ^ side), here)]
        for side, (theres, heres) in enumerate(zip((first.white, first.black), sides, strict=True))
        for there, here in zip(theres, heres, strict=True)
    }
    return Location(table_class, swapped, tuple(partner[piece] for piece in table_class.axes))


@lru_cache(maxsize=64)
def _table_rules(rules: Rules) -> Rules:
    return rules.without_history()


@lru_cache(maxsize=64)
def _classes(rules: Rules, animals: int) -> tuple[TableClass, ...]:
    # Each material with the smaller White side is an earlier one with the sides exchanged.
    found = (
        _locate(rules, material).table_class
        for material in materials(animals)
        if len(material.white) >= len(material.black)
    )
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=64)
def _served_materials(rules: Rules, animals: int) -> dict[TableClass, tuple[Material, ...]]:
    found: dict[TableClass, list[Material]] = {}
    for material in materials(animals):
        found.setdefault(_locate(rules, material).table_class, []).append(material)
    return {each: tuple(served) for each, served in found.items()}
