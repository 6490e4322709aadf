"""The solver: exact values of a class from those of the smaller ones, 64 placements at a time."""

from __future__ import annotations

from tablebase.game.board import Color
from tablebase.materials.table import Table
from tablebase.movegraph import compile_graph
from tablebase.solve.buffers import Buffers
from tablebase.solve.chain import Chain, release, solve_chain
from tablebase.solve.smaller import CodeReader, Layers, release_layers, sort_smaller
from tablebase.solve.solution import Solution

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


def solve(table: Table, read: CodeReader) -> Solution:
    """Solve the class of ``table`` with its metric; ``read(table, turn)`` gives the codes of
    smaller tables. Under ``dtc`` the ``no_capture_limit`` of the table's rules counts."""
    graph = compile_graph(table.table_class)
    layers = sort_smaller(table, graph, read)
    white_loses, black_loses = (
        solve_chain(graph, layers, loser, metric=table.metric, limit=table.limit) for loser in Color
    )
    return Solution(table, graph, white_loses, black_loses)
