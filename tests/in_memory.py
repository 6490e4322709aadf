"""Tables in memory for tests: solved when asked for, and looked up without the probing code."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np
import numpy.typing as npt

from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES, TURN_SQUARE, Color
from tablebase.game.rules import Rules
from tablebase.materials.classes import locate
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.movegraph import compile_graph
from tablebase.solve import Solution, solve_chain, sort_smaller
from tablebase.values import BYTE_CODES, Metric

__all__ = ["InMemory"]

Codes = npt.NDArray[np.unsignedinteger]


class InMemory:
    """The tables of one rule set; ``byte_codes`` as in :class:`~tablebase.solve.Solution`."""

    def __init__(self, rules: Rules, byte_codes: int = BYTE_CODES, metric: Metric = "dtw") -> None:
        self.rules = rules
        self.byte_codes = byte_codes
        self.metric = metric
        self.solutions: dict[Table, Solution] = {}
        self._codes: dict[tuple[Table, int], Codes] = {}

    def solution(self, table: Table) -> Solution:
        """The class of ``table``, solved."""
        if table not in self.solutions:
            graph = compile_graph(table.table_class)
            layers = sort_smaller(table, graph, self.codes)
            white_loses, black_loses = (
                solve_chain(graph, layers, loser, metric=table.metric, limit=table.limit)
                for loser in Color
            )
            self.solutions[table] = Solution(
                table, graph, white_loses, black_loses, byte_codes=self.byte_codes
            )
        return self.solutions[table]

    def codes(self, table: Table, turn: Color) -> Codes:
        """All codes of a table for one side to move, in its shape."""
        if (table, turn) not in self._codes:
            solution = self.solution(table)
            chunks = prod(table.shape[:-3])
            self._codes[table, turn] = np.concatenate(
                [solution.chunk(turn, number).ravel() for number in range(chunks)]
            ).reshape(table.shape)
        return self._codes[table, turn]

    def lookup(self, material: Material, states: npt.NDArray[np.int64]) -> Codes:
        """The codes of ``states``, shape ``(n, animals + 1)``: the squares of the material's
        pieces, then the side to move."""
        table_class, swapped, order = locate(self.rules, material)
        table = Table(table_class, self.metric)
        turn = np.array(TURN_SQUARE if swapped else range(SQUARES))
        squares = turn[states[:, list(order)]]
        left = squares[:, :1] % FILES <= FILES // 2
        squares = np.where(left, squares, np.array(MIRROR_SQUARE)[squares])
        cells = tuple(np.searchsorted(axis, squares[:, k]) for k, axis in enumerate(table.squares))
        codes = np.stack([self.codes(table, color) for color in Color])
        return np.asarray(codes[(states[:, -1] ^ swapped, *cells)])

    def solve_all(self, tables: Iterable[Table]) -> None:
        """Solve several classes and what they depend on."""
        for table in tables:
            self.solution(table)
