"""A class compiled to small arrays: every move and capture of its animals, square by square.

All fast code works from these arrays, so it knows no rules, and a switch costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tablebase.game.board import DENS, SQUARES
from tablebase.materials.classes import TableClass

__all__ = ["DIRECTIONS", "NOWHERE", "MoveGraph", "compile_graph"]

DIRECTIONS = 4
"""An animal has at most so many ways to go from a square."""
NOWHERE = -1


@dataclass(frozen=True, eq=False)
class MoveGraph:
    """The moves of a class of ``k`` animals; an axis is an animal, a mask has a bit a square."""

    colors: npt.NDArray[np.int64]
    """``(k,)``: the side of each animal."""
    targets: npt.NDArray[np.int64]
    """``(k, 63, 4)``: the squares to which an animal can go from each square of the table, less
    the enemy den; ``NOWHERE`` fills up."""
    water: npt.NDArray[np.uint64]
    """``(k, 63, 4)``: the mask of the water that the move jumps over."""
    captures: npt.NDArray[np.uint8]
    """``(k, k, 63)``: bit ``d`` is set if the first animal, going from the square along its edge
    ``d``, may capture the second there."""
    den_entry: npt.NDArray[np.uint64]
    """``(k,)``: the mask of the squares from which the animal can enter the enemy den."""
    blocks: npt.NDArray[np.bool_]
    """``(k, k)``: whether the first animal, in the water on the line, stops a jump of the second.
    """
    squares: tuple[npt.NDArray[np.int64], ...]
    """The squares of each animal, ascending, mirror images included."""
    index: npt.NDArray[np.int64]
    """``(k, 63)``: the number of a square in ``squares``, or ``NOWHERE``."""
    no_moves_lose: bool

    @property
    def animals(self) -> int:
        """The number of animals, ``k``."""
        return len(self.colors)


def compile_graph(table_class: TableClass) -> MoveGraph:
    """The move graph of a class."""
    rules, axes = table_class.rules, table_class.axes
    k = len(axes)
    targets = np.full((k, SQUARES, DIRECTIONS), NOWHERE, np.int64)
    water = np.zeros((k, SQUARES, DIRECTIONS), np.uint64)
    captures = np.zeros((k, k, SQUARES), np.uint8)
    den_entry = np.zeros(k, np.uint64)
    blocks = np.zeros((k, k), np.bool_)
    index = np.full((k, SQUARES), NOWHERE, np.int64)
    squares = tuple(np.array(sorted(rules.squares(p.animal)), np.int64) for p in axes)
    for i, (color, animal) in enumerate(axes):
        index[i, squares[i]] = np.arange(len(squares[i]))
        used = [0] * SQUARES
        for edge in rules.edges(animal, color):
            if edge.target == DENS[color.other]:
                den_entry[i] |= np.uint64(1 << edge.origin)
                continue
            direction = used[edge.origin]
            used[edge.origin] += 1
            targets[i, edge.origin, direction] = edge.target
            water[i, edge.origin, direction] = np.uint64(sum(1 << w for w in edge.water))
            for j, (side, defender) in enumerate(axes):
                if (
                    side is not color
                    and edge.target in rules.squares(defender)
                    and rules.may_capture(animal, color, defender, edge)
                ):
                    captures[i, j, edge.origin] |= np.uint8(1 << direction)
        for j, (side, other) in enumerate(axes):
            blocks[j, i] = (
                j != i
                and rules.swims(other)
                and rules.jumps(animal) != "none"
                and rules.blocks_jump(side, color)
            )
    return MoveGraph(
        colors=np.array([color for color, _ in axes], np.int64),
        targets=targets,
        water=water,
        captures=captures,
        den_entry=den_entry,
        blocks=blocks,
        squares=squares,
        index=index,
        no_moves_lose=rules.no_moves == "loss",
    )
