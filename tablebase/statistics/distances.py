"""How far squares are from each other, for the eye and for an animal, and what kind they are.

Functions take squares as integers or arrays of them of any shape, and answer in that shape.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tablebase.game.board import DENS, FILES, RANKS, SQUARES, TRAPS, WATER, Color
from tablebase.game.rules import Animal, Rules

__all__ = [
    "UNREACHABLE",
    "advance",
    "in_trap",
    "in_water",
    "manhattan",
    "move_distances",
    "moves_between",
    "moves_to_den",
]

UNREACHABLE: Final = SQUARES
"""The number of moves to where an animal can never go: more than any other."""

Squares = npt.ArrayLike
Distances = npt.NDArray[np.int16]


def manhattan(one: Squares, other: Squares) -> Distances:
    """Files apart plus ranks apart."""
    files, ranks = (
        np.abs(a.astype(np.int16) - b.astype(np.int16))
        for a, b in zip(_file_and_rank(one), _file_and_rank(other), strict=True)
    )
    return np.asarray(files + ranks, np.int16)


def move_distances(rules: Rules, animal: Animal, color: Color) -> Distances:
    """How many moves of ``animal`` of ``color`` lead from a square to another on a board that is
    empty otherwise: ``(63, 63)``, origin first, read-only.

    0 from a square to itself, :data:`UNREACHABLE` where no moves lead: to water for a land
    animal, to one's own den, from where it cannot stand. A jump is one move.
    """
    return _move_distances(rules.without_history(), animal, color)


def moves_between(
    rules: Rules, animal: Animal, color: Color, origin: Squares, target: Squares
) -> Distances:
    """The moves from ``origin`` to ``target``: :func:`move_distances` looked up."""
    return np.asarray(move_distances(rules, animal, color)[np.asarray(origin), np.asarray(target)])


def moves_to_den(rules: Rules, animal: Animal, color: Color, squares: Squares) -> Distances:
    """The moves from each square into the enemy den."""
    return moves_between(rules, animal, color, squares, DENS[color.other])


def advance(color: Color, squares: Squares) -> Distances:
    """How many ranks in front of its own first one an animal of ``color`` stands, 0 to 8."""
    _, rank = _file_and_rank(squares)
    return np.asarray(rank if color is Color.WHITE else RANKS - 1 - rank, np.int16)


def in_trap(owner: Color, squares: Squares) -> npt.NDArray[np.bool_]:
    """Whether a square is a trap of ``owner``."""
    return np.asarray(_mask(TRAPS[owner])[np.asarray(squares)])


def in_water(squares: Squares) -> npt.NDArray[np.bool_]:
    """Whether a square is water."""
    return np.asarray(_mask(WATER)[np.asarray(squares)])


def _file_and_rank(squares: Squares) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    array = np.asarray(squares)
    return array % FILES, array // FILES


@lru_cache(maxsize=8)
def _mask(squares: frozenset[int]) -> npt.NDArray[np.bool_]:
    mask = np.zeros(SQUARES, np.bool_)
    mask[list(squares)] = True
    return mask


@lru_cache(maxsize=128)
def _move_distances(rules: Rules, animal: Animal, color: Color) -> Distances:
    adjacent = np.zeros((SQUARES, SQUARES), np.bool_)
    for edge in rules.edges(animal, color):
        adjacent[edge.origin, edge.target] = True
    distances = np.full((SQUARES, SQUARES), UNREACHABLE, np.int16)
    reached = np.eye(SQUARES, dtype=np.bool_)
    plies = 0
    while reached.any():
        distances[reached] = plies
        plies += 1
        reached = (reached @ adjacent) & (distances == UNREACHABLE)
    distances.flags.writeable = False
    return distances
