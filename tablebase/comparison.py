"""Where two rule sets differ: in which materials, in how many placements, and for example where.

Materials of up to three animals are solved here, in memory, so no tables are needed. Of larger
ones it is said whether their animals move and capture alike: where they do, and the limits are the
same, the tables are equal, since they depend on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import Animal, Rules
from tablebase.index import Placing
from tablebase.materials.classes import locate
from tablebase.materials.material import MAX_ANIMALS, Material, materials
from tablebase.materials.table import Table
from tablebase.values import DRAW, Metric, distance_of, outcome_of

__all__ = ["MOST_SOLVED", "Answer", "Comparison", "Difference", "Example", "MovesDiffer", "compare"]

Codes = npt.NDArray[np.unsignedinteger[Any]]

MOST_SOLVED: Final = 3
"""The most animals of materials that are solved to be compared."""


class Answer(NamedTuple):
    """What a rule set says of a position, as in :class:`~tablebase.probe.Probe`."""

    outcome: int
    dtw: int | None


class Example(NamedTuple):
    """A position, and what either rule set says of it."""

    fen: str
    first: Answer
    second: Answer


class Difference(NamedTuple):
    """How two rule sets differ in some materials that are all alike, but for names and sides."""

    materials: tuple[Material, ...]
    tables: tuple[str, str]
    """The class of the first of ``materials`` under either rule set."""
    same_moves: bool
    """Whether only the ``no_capture_limit`` makes the difference."""
    placements: int | None
    """Legal under both, either side to move, mirror images included; ``None`` if not solved."""
    outcomes: int | None
    """How many of them have another outcome."""
    distances: int | None
    """How many have the same outcome, and another distance to the end without a limit."""
    example: Example | None


@dataclass(frozen=True)
class Comparison:
    """What two rule sets have in common, of materials of some number of animals."""

    animals: int
    materials: int
    """How many there are."""
    same_moves: int
    """How many materials have the same moves and captures, so that one table may serve both."""
    same_values: int | None
    """How many have the same outcome and distance everywhere; ``None`` if not solved."""
    differences: tuple[Difference, ...]
    """Those materials in which the values differ, or if not solved, the moves."""


def compare(first: Rules, second: Rules, animals: int) -> Comparison:
    """Compare two rule sets in all materials of so many animals, at the counter 0.

    Up to :data:`MOST_SOLVED` their values, which takes some seconds; of more only their moves.
    """
    if not 2 <= animals <= MAX_ANIMALS:
        raise ValueError(f"rule sets are compared in 2 to {MAX_ANIMALS} animals, not {animals}")
    differ = MovesDiffer(first, second)
    every = materials(animals)
    same_moves = sum(not differ.in_material(material) for material in every)
    solvers = (_Solver(first), _Solver(second)) if animals <= MOST_SOLVED else None
    same_limit = first.no_capture_limit == second.no_capture_limit
    found, same_values = [], 0
    for group in _groups(first, second, every):
        same = not differ.in_material(group[0])
        if same and (same_limit or solvers is None):
            same_values += len(group)
            continue
        tables = Table.of(first, group[0]).name, Table.of(second, group[0]).name
        if solvers is None:
            found.append(Difference(group, tables, same, None, None, None, None))
            continue
        counts = _count(solvers, group[0])
        if counts.example is None:
            same_values += len(group)
        else:
            found.append(Difference(group, tables, same, *counts))
    return Comparison(
        animals,
        len(every),
        same_moves,
        same_values if solvers is not None else None,
        tuple(found),
    )


class MovesDiffer:
    """In which materials two rule sets give different moves.

    Compared is what ``rules.py`` answers for each animal, each pair of enemies and each edge. What
    captures leave has no other animals, so where a material's moves agree, so do those of all that
    comes of it; and so do its ``dtw`` tables, as the solver knows nothing else of the rules.
    """

    def __init__(self, first: Rules, second: Rules) -> None:
        white = Color.WHITE
        self._first, self._second = first, second
        self._animals = {
            animal
            for animal in Animal
            if first.squares(animal) != second.squares(animal)
            or first.edges(animal, white) != second.edges(animal, white)
        }
        self._pairs = {
            (attacker, defender)
            for attacker in set(Animal) - self._animals
            for defender in set(Animal) - self._animals
            if any(
                first.may_capture(attacker, white, defender, edge)
                != second.may_capture(attacker, white, defender, edge)
                for edge in first.edges(attacker, white)
                if edge.target in first.squares(defender)
            )
        }
        self._blocking = {
            (swimmer, jumper)
            for swimmer in Color
            for jumper in Color
            if first.blocks_jump(swimmer, jumper) != second.blocks_jump(swimmer, jumper)
        }

    def in_material(self, material: Material) -> bool:
        """Whether the moves in ``material``, or what it means to have none, differ."""
        rules = self._first
        if rules.no_moves != self._second.no_moves:
            return True
        if not self._animals.isdisjoint((*material.white, *material.black)):
            return True
        for side, enemies in ((material.white, material.black), (material.black, material.white)):
            if any((own, enemy) in self._pairs for own in side for enemy in enemies):
                return True
        return any(
            (swimmer.color, jumper.color) in self._blocking
            for swimmer in material.pieces
            for jumper in material.pieces
            if swimmer != jumper
            and rules.swims(swimmer.animal)
            and rules.jumps(jumper.animal) != "none"
        )


class _Counts(NamedTuple):
    placements: int
    outcomes: int
    distances: int
    example: Example | None


class _Solver:
    """The tables of a rule set, solved when they are asked for."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._codes: dict[tuple[Table, Color], Codes] = {}

    def answers(
        self, material: Material, squares: npt.NDArray[np.uint8], turn: Color
    ) -> tuple[npt.NDArray[np.int8], Codes]:
        """The outcome at counter 0 and the ``dtw`` code of each row of ``squares``."""
        codes = self._look_up(material, squares, turn, "dtw")
        deciding = codes
        if self.rules.no_capture_limit is not None:
            deciding = self._look_up(material, squares, turn, "dtc")
        outcomes = np.array([outcome_of(code) for code in range(int(deciding.max()) + 1)], np.int8)
        return outcomes[deciding], codes

    def _look_up(
        self, material: Material, squares: npt.NDArray[np.uint8], turn: Color, metric: Metric
    ) -> Codes:
        placing = Placing.of(self.rules, material)
        table = Table(placing.table_class, metric)
        codes = self._solved(table, Color(placing.sides[turn]))
        return codes.ravel()[placing.numbers(squares)]

    def _solved(self, table: Table, turn: Color) -> Codes:
        """The codes of a table, in its shape."""
        from tablebase.solve import solve

        if (table, turn) not in self._codes:
            solution = solve(table, self._solved)
            for side in Color:  # a chunk spans three axes, so it is the whole table
                codes = np.ascontiguousarray(solution.chunk(side, 0)).reshape(table.shape)
                self._codes[table, side] = codes
        return self._codes[table, turn]


def _groups(
    first: Rules, second: Rules, every: tuple[Material, ...]
) -> Iterator[tuple[Material, ...]]:
    """Materials whose tables under one rule set correspond to those under the other in one way:
    the same two tables, and the same axes in them, so all differ in the same placements."""
    found: dict[tuple[object, ...], list[Material]] = {}
    for material in every:
        here, there = locate(first, material), locate(second, material)
        axes = tuple(there.order.index(piece) for piece in here.order)
        key = here.table_class, there.table_class, axes, here.swapped ^ there.swapped
        found.setdefault(key, []).append(material)
    return map(tuple, found.values())


def _count(solvers: tuple[_Solver, _Solver], material: Material) -> _Counts:
    """Compare the values of one material."""
    first, second = solvers
    squares = _placements(
        [
            sorted(first.rules.squares(piece.animal) & second.rules.squares(piece.animal))
            for piece in material.pieces
        ]
    )
    outcomes = distances = 0
    best: tuple[tuple[int, int], int, Color] | None = None
    for turn in Color:
        one, one_code = first.answers(material, squares, turn)
        two, two_code = second.answers(material, squares, turn)
        gap = np.abs(one - two).astype(np.int64)
        later = (gap == 0) & (one_code != two_code)
        outcomes += int(np.count_nonzero(gap))
        distances += int(np.count_nonzero(later))
        # The best example turns a win into a loss, or else has the greatest distance to tell.
        telling = 256 * gap
        telling[later] = np.abs(one_code[later].astype(np.int64) - two_code[later]).clip(1, 255)
        row = int(telling.argmax())
        rank = int(telling[row]), -max(int(one_code[row]), int(two_code[row]))
        if rank[0] and (best is None or rank > best[0]):
            best = rank, row, turn
    example = None
    if best is not None:
        _, row, turn = best
        pieces = dict(zip(squares[row].tolist(), material.pieces, strict=True))
        one_of, two_of = (
            Answer(int(outcome[0]), None if code[0] == DRAW else distance_of("dtw", int(code[0])))
            for outcome, code in (
                solver.answers(material, squares[row : row + 1], turn) for solver in solvers
            )
        )
        example = Example(Position.from_pieces(pieces, turn).fen(), one_of, two_of)
    return _Counts(2 * len(squares), outcomes, distances, example)


def _placements(standing: list[list[int]]) -> npt.NDArray[np.uint8]:
    """``(n, k)``: every way to place animals on these squares, no two on one."""
    grid = np.meshgrid(*(np.array(where, np.uint8) for where in standing), indexing="ij")
    rows = np.stack([axis.ravel() for axis in grid], axis=1)
    for column in range(1, len(standing)):
        for other in range(column):
            rows = rows[rows[:, column] != rows[:, other]]
    return rows
