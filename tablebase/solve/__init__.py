"""The solver: exact values of a class from those of the smaller ones, 64 placements at a time."""

from __future__ import annotations

from tablebase.board import Color
from tablebase.material import TableClass
from tablebase.movegraph import compile_graph
from tablebase.solve.buffers import Buffers
from tablebase.solve.chain import Chain, release, solve_chain
from tablebase.solve.smaller import CodeReader, Layers, sort_smaller
from tablebase.solve.solution import Solution

__all__ = [
    "Buffers",
    "Chain",
    "CodeReader",
    "Layers",
    "Solution",
    "release",
    "solve",
    "solve_chain",
    "sort_smaller",
]


def solve(table: TableClass, read: CodeReader) -> Solution:
    """Solve the class of ``table``; ``read(table, turn)`` gives the codes of smaller tables."""
    graph = compile_graph(table)
    layers = sort_smaller(table, graph, read)
    white_loses, black_loses = (solve_chain(graph, layers, loser) for loser in Color)
    return Solution(table, graph, "dtw", white_loses, black_loses)
