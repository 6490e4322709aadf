"""How fast classes are solved, beside a plain pass over the same memory.

    python benchmarks/solve.py --data-dir DIR [MATERIAL ...]

Solves each class in memory in one thread, from the smaller tables in DIR, and prints a line a
class in CPU seconds: sorting the smaller tables, both chains, expanding the codes. It is solved
twice and the second time counts, since in a run the memory was touched by the classes before.
*streaming* is what its sweeps would cost if each only read two sets of words and wrote one, all of
them, measured right before and after; *ratio* is solving, sorting included, to that. Values count
both sides to move.
"""

from __future__ import annotations

import argparse
import time
from math import prod
from pathlib import Path

import numpy as np

from tablebase.catalog import Catalog
from tablebase.game.board import Color
from tablebase.game.rules import load_rules
from tablebase.materials.table import Table
from tablebase.movegraph import compile_graph
from tablebase.solve import (
    Buffers,
    Solution,
    release,
    release_layers,
    solve_chain,
    sort_smaller,
)
from tablebase.solve.layout import Words, lay_out

DEFAULT = ("ELvT", "TRvR", "ELvTP", "LRvTR", "ELTPvE", "ELTvPW", "ELPvTR", "ETPvLP", "LTRvLR")


def main() -> None:
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("materials", nargs="*", default=DEFAULT, metavar="MATERIAL")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--rules", default="standard")
    arguments = parser.parse_args()
    rules = load_rules(arguments.rules)
    catalog = Catalog([arguments.data_dir])
    buffers = Buffers()
    solve(Table.of(rules, "ELvT"), catalog, buffers)  # loads the kernels
    print(
        "class    plies sweeps  values [M]   sort  chains  expand  streaming  ratio  values/core-s"
    )
    for name in arguments.materials:
        table = Table.of(rules, name)
        stream = streaming_seconds(table)
        solve(table, catalog, buffers)
        plies, sweeps, sort, chains, expand = solve(table, catalog, buffers)
        stream = (stream + streaming_seconds(table)) / 2 * sweeps
        print(
            f"{table.name:8} {plies:5} {sweeps:6} {2 * table.cells / 1e6:11,.1f} {sort:6.2f}"
            f" {chains:7.2f} {expand:7.2f} {stream:10.2f} {(sort + chains) / stream:6.2f}"
            f" {2 * table.cells / (sort + chains + expand):14,.0f}",
            flush=True,
        )


def solve(table: Table, catalog: Catalog, buffers: Buffers) -> tuple[int, int, float, float, float]:
    """Plies, sweeps, and CPU seconds of sorting, of both chains, and of expanding the codes."""

    def read(small: Table, turn: Color) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        with catalog.open(small) as file:
            return file.read(turn)

    sweeps = 0

    def count() -> None:
        nonlocal sweeps
        sweeps += 1

    start = time.thread_time()
    graph = compile_graph(table.table_class)
    layers = sort_smaller(table, graph, read, buffers)
    sorted_at = time.thread_time()
    chains = [solve_chain(graph, layers, loser, count, buffers) for loser in Color]
    solved_at = time.thread_time()
    solution = Solution(table, graph, chains[Color.WHITE], chains[Color.BLACK])
    for turn in Color:
        for number in range(prod(table.shape[:-3])):
            solution.chunk(turn, number)
    end = time.thread_time()
    plies = max(ply.number for chain in chains for ply in (*chain.wins, *chain.losses))
    release_layers(layers, buffers)
    for chain in chains:
        release(chain, buffers)
    return plies, sweeps, sorted_at - start, solved_at - sorted_at, end - solved_at


def streaming_seconds(table: Table) -> float:
    """CPU seconds to read two sets of the class and write one, the best of five."""
    layout = lay_out(compile_graph(table.table_class))
    words: list[Words] = [
        np.ones((len(layout.row_squares), len(layout.inner_squares)), np.uint64) for _ in range(3)
    ]
    best = float("inf")
    for _ in range(5):
        start = time.thread_time()
        np.bitwise_and(words[0], words[1], out=words[2])
        best = min(best, time.thread_time() - start)
    return best


if __name__ == "__main__":
    main()
