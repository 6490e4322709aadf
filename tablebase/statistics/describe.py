"""What can be seen of a placement without looking anything up: attributes to learn from.

All of them hold for a board as it stands: they look at most one move ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import DENS, FILES, Color
from tablebase.game.rules import Rules
from tablebase.materials.classes import TableClass
from tablebase.materials.material import Material, Piece
from tablebase.movegraph import DIRECTIONS, MoveGraph, compile_graph
from tablebase.statistics.distances import (
    UNREACHABLE,
    advance,
    in_trap,
    in_water,
    manhattan,
    move_distances,
    moves_between,
    moves_to_den,
)

__all__ = ["Situation", "attributes", "faster_to_den", "side_moves_to_den", "situation"]

Squares = npt.NDArray[np.integer[Any]]
Numbers = npt.NDArray[np.int16]
Truths = npt.NDArray[np.bool_]

_MIDDLE: Final = FILES // 2


class Situation(NamedTuple):
    """What each animal could do if its side were to move; arrays of the shape ``(n, k)``."""

    moves: Numbers
    """How many legal moves it has."""
    blocked: Truths
    """Whether none of them brings it nearer to the enemy den, counted in moves."""
    attacked: Truths
    """Whether an enemy animal could capture it."""


def situation(rules: Rules, material: Material, squares: Squares) -> Situation:
    """The legal moves and captures of each animal in each of ``n`` placements.

    ``squares`` has the shape ``(n, k)``: a row a placement, a column one of ``material.pieces``.
    """
    own = TableClass(rules.without_history(), material)
    graph = compile_graph(own)
    # The columns of the material, in the order of the axes of the graph, and back.
    columns = [material.pieces.index(piece) for piece in own.axes]
    n, k = _shape(material, squares)
    on = [np.ascontiguousarray(squares[:, column], np.intp) for column in columns]
    moves = np.zeros((n, k), np.int16)
    blocked = np.ones((n, k), np.bool_)
    attacked = np.zeros((n, k), np.bool_)
    for i, piece in enumerate(own.axes):
        to_den = move_distances(rules, piece.animal, piece.color)[:, DENS[piece.color.other]]
        enters = _has_bit(graph.den_entry[i], on[i])
        moves[:, columns[i]] += enters
        blocked[:, columns[i]] &= ~enters
        for direction in range(DIRECTIONS):
            target, legal, taken = _move(graph, i, direction, on)
            moves[:, columns[i]] += legal
            nearer = legal & (to_den[target] < to_den[on[i]])
            blocked[:, columns[i]] &= ~nearer
            for j, captured in taken.items():
                attacked[:, columns[j]] |= captured
    return Situation(moves, blocked, attacked)


def _move(
    graph: MoveGraph, i: int, direction: int, on: list[npt.NDArray[np.intp]]
) -> tuple[npt.NDArray[np.intp], Truths, dict[int, Truths]]:
    """Where animal ``i`` goes in a direction, whether it may, and whom it takes there."""
    target = graph.targets[i, on[i], direction]
    legal = target >= 0
    takes: dict[int, Truths] = {}
    for j in range(graph.animals):
        if j == i:
            continue
        meets = target == on[j]
        if graph.colors[i] == graph.colors[j]:
            legal &= ~meets
        else:
            may = (graph.captures[i, j, on[i]] >> direction & 1).astype(np.bool_)
            takes[j] = meets & may
            legal &= ~meets | may
        if graph.blocks[j, i]:
            legal &= ~_has_bit(graph.water[i, on[i], direction], on[j])
    return target, legal, {j: captured & legal for j, captured in takes.items()}


def _has_bit(masks: npt.NDArray[np.uint64] | np.uint64, squares: npt.NDArray[np.intp]) -> Truths:
    return (masks >> squares.astype(np.uint64) & np.uint64(1)).astype(np.bool_)


def side_moves_to_den(rules: Rules, material: Material, squares: Squares) -> Numbers:
    """The moves that the fastest animal of each side needs into the enemy den on an empty board:
    ``(n, 2)``, White first; ``squares`` as in :func:`situation`."""
    n, _ = _shape(material, squares)
    least = np.full((n, 2), UNREACHABLE, np.int16)
    for column, (color, animal) in enumerate(material.pieces):
        needed = moves_to_den(rules, animal, color, squares[:, column])
        least[:, color] = np.minimum(least[:, color], needed)
    return least


def faster_to_den(rules: Rules, material: Material, squares: Squares, turn: Color) -> Truths:
    """Whether the side to move would be first in the enemy den if nobody stood in the way:
    ``(n,)``. With as many moves to go the side to move is faster."""
    white, black = side_moves_to_den(rules, material, squares).T
    return np.asarray(white <= black if turn is Color.WHITE else black <= white)


def attributes(
    rules: Rules, material: Material, squares: Squares, turn: Color
) -> dict[str, npt.NDArray[Any]]:
    """All attributes of ``n`` placements with ``turn`` to move, by name; each of the shape
    ``(n,)``, ``int16`` or ``bool``. ``squares`` is as in :func:`situation`.

    Animals are called by their FEN letters. For each animal ``X``:

    * ``X advance``: ranks in front of its own first one; ``X off centre``: files from the d-file;
    * ``X to den``, ``X to own den``: Manhattan distances to the enemy's and its own;
    * ``X moves to den``: moves into the enemy den on an empty board, jumps included;
    * ``X in trap``, ``X in own trap``: on a trap of the enemy, of its own side;
    * ``X in water``: only of swimmers;
    * ``X moves``, ``X blocked``, ``X attacked``: as in :class:`Situation`.

    For each two animals ``X`` and ``Y``: ``X-Y distance``, the Manhattan distance, and ``X-Y odd``,
    its parity; for enemies ``X moves to Y`` and ``Y moves to X``, on an empty board.

    For the sides: ``white moves to den``, ``black moves to den`` (of the fastest animal);
    ``den race``, by how many moves the side to move needs fewer than the other; and ``faster``,
    :func:`faster_to_den`.
    """
    found: dict[str, npt.NDArray[Any]] = {}
    now = situation(rules, material, squares)
    for column, piece in enumerate(material.pieces):
        on = squares[:, column]
        for name, values in _own_attributes(rules, piece, on):
            found[f"{_letter(piece)} {name}"] = values
        for name, of_all in now._asdict().items():
            found[f"{_letter(piece)} {name}"] = of_all[:, column]
    for second, other in enumerate(material.pieces):
        for first, piece in enumerate(material.pieces[:second]):
            x, y = _letter(piece), _letter(other)
            here, there = squares[:, first], squares[:, second]
            found[f"{x}-{y} distance"] = manhattan(here, there)
            found[f"{x}-{y} odd"] = found[f"{x}-{y} distance"] % 2 == 1
            if piece.color is not other.color:
                found[f"{x} moves to {y}"] = moves_between(
                    rules, piece.animal, piece.color, here, there
                )
                found[f"{y} moves to {x}"] = moves_between(
                    rules, other.animal, other.color, there, here
                )
    to_den = side_moves_to_den(rules, material, squares)
    found["white moves to den"], found["black moves to den"] = to_den.T
    found["den race"] = to_den[:, turn.other] - to_den[:, turn]
    found["faster"] = found["den race"] >= 0
    return found


def _own_attributes(
    rules: Rules, piece: Piece, on: Squares
) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    color, animal = piece
    yield "advance", advance(color, on)
    yield "off centre", np.abs(on.astype(np.int16) % FILES - _MIDDLE)
    yield "to den", manhattan(on, DENS[color.other])
    yield "to own den", manhattan(on, DENS[color])
    yield "moves to den", moves_to_den(rules, animal, color, on)
    yield "in trap", in_trap(color.other, on)
    yield "in own trap", in_trap(color, on)
    if rules.swims(animal):
        yield "in water", in_water(on)


def _letter(piece: Piece) -> str:
    return piece.animal.letter.lower() if piece.color else piece.animal.letter


def _shape(material: Material, squares: Squares) -> tuple[int, int]:
    """The shape of ``squares``; ``ValueError`` if it is not that of placements of ``material``."""
    if squares.ndim != 2 or squares.shape[1] != len(material) or squares.dtype.kind not in "iu":
        raise ValueError(
            f"squares is {squares.dtype} of the shape {squares.shape};"
            f" integers of the shape (n, {len(material)}) are wanted"
        )
    return squares.shape[0], squares.shape[1]
