"""The solver: exact values of a class from those of the smaller ones, 64 placements at a time."""

from __future__ import annotations

from tablebase.game.board import Color
from tablebase.materials.classes import TableClass
from tablebase.movegraph import compile_graph
from tablebase.solve.buffers import Buffers
from tablebase.solve.chain import Chain, release, solve_chain
from tablebase.solve.smaller import CodeReader, Layers, release_layers, sort_smaller
from tablebase.solve.solution import Solution
from tablebase.values import Metric

__all__ = [
    "Buffers",
    "Chain",
    "CodeReader",
    "Layers",
    "Solution",
    "release",
    "release_layers",
    "solve",
    "solve_chain",
    "sort_smaller",
]


def solve(table: TableClass, read: CodeReader, metric: Metric = "dtw") -> Solution:
    """Solve the class of ``table``; ``read(table, turn)`` gives the codes of smaller tables of the
    same metric. Under ``dtc`` the ``no_capture_limit`` of the table's rules counts."""
    graph = compile_graph(table)
    layers = sort_smaller(table, graph, read)
    limit = table.rules.no_capture_limit
    white_loses, black_loses = (
        solve_chain(graph, layers, loser, metric=metric, limit=limit) for loser in Color
    )
    return Solution(table, graph, metric, white_loses, black_loses)
