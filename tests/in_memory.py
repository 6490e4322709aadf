"""Tables in memory for tests: solved when asked for, and looked up without the probing code."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np
import numpy.typing as npt

from tablebase.game.board import FILES, MIRROR_SQUARE, SQUARES, TURN_SQUARE, Color
from tablebase.game.rules import Rules
from tablebase.materials.classes import Material, TableClass, locate
from tablebase.movegraph import compile_graph
from tablebase.solve import Solution, solve_chain, sort_smaller
from tablebase.tablefile import table_rules
from tablebase.values import BYTE_CODES, Metric

__all__ = ["InMemory"]

Codes = npt.NDArray[np.unsignedinteger]


class InMemory:
    """The tables of one rule set; ``byte_codes`` as in :class:`~tablebase.solve.Solution`."""

    def __init__(self, rules: Rules, byte_codes: int = BYTE_CODES, metric: Metric = "dtw") -> None:
        self.rules = table_rules(rules, metric)
        self.byte_codes = byte_codes
        self.metric = metric
        self.solutions: dict[str, Solution] = {}
        self._codes: dict[tuple[str, int], Codes] = {}

    def solution(self, table: TableClass) -> Solution:
        """The class of ``table``, solved."""
        if table.name not in self.solutions:
            graph = compile_graph(table)
            layers = sort_smaller(table, graph, self.codes)
            limit = table.rules.no_capture_limit
            white_loses, black_loses = (
                solve_chain(graph, layers, loser, metric=self.metric, limit=limit)
                for loser in Color
            )
            self.solutions[table.name] = Solution(
                table, graph, self.metric, white_loses, black_loses, byte_codes=self.byte_codes
            )
        return self.solutions[table.name]

    def codes(self, table: TableClass, turn: Color) -> Codes:
        """All codes of a table for one side to move, in its shape."""
        if (table.name, turn) not in self._codes:
            solution = self.solution(table)
            chunks = prod(table.shape[:-3])
            self._codes[table.name, turn] = np.concatenate(
                [solution.chunk(turn, number).ravel() for number in range(chunks)]
            ).reshape(table.shape)
        return self._codes[table.name, turn]

    def lookup(self, material: Material, states: npt.NDArray[np.int64]) -> Codes:
        """The codes of ``states``, shape ``(n, animals + 1)``: the squares of the material's
        pieces, then the side to move."""
        table, swapped, order = locate(self.rules, material)
        turn = np.array(TURN_SQUARE if swapped else range(SQUARES))
        squares = turn[states[:, list(order)]]
        left = squares[:, :1] % FILES <= FILES // 2
        squares = np.where(left, squares, np.array(MIRROR_SQUARE)[squares])
        cells = tuple(np.searchsorted(axis, squares[:, k]) for k, axis in enumerate(table.squares))
        codes = np.stack([self.codes(table, color) for color in Color])
        return np.asarray(codes[(states[:, -1] ^ swapped, *cells)])

    def solve_all(self, tables: Iterable[TableClass]) -> None:
        """Solve several classes and what they depend on."""
        for table in tables:
            self.solution(table)
