"""The steps by which one table is made: sorting what captures lead to, two chains, storing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.game.rules import Rules
from tablebase.generation.events import Made
from tablebase.materials.classes import TableClass, locate
from tablebase.materials.material import Material
from tablebase.tablefile import Histogram, LongestWin, TableSummary, Zugzwangs, write_table
from tablebase.values import Metric

if TYPE_CHECKING:
    from tablebase.movegraph import MoveGraph
    from tablebase.solve import Buffers, Chain, Layers, Solution

__all__ = ["BadSmallerTable", "ClassWork", "summarize", "warm_up"]

Checkpoint = Callable[[], None]


class BadSmallerTable(Exception):
    """A smaller table turned out to be damaged, or gone, when it was needed."""

    def __init__(self, table: TableClass, reason: Exception) -> None:
        super().__init__(str(reason))
        self.table = table
        self.reason = reason


@dataclass(eq=False)
class ClassWork:
    """A class in work: what its steps hand on. ``checkpoint`` may raise to end a step early."""

    table: TableClass
    metric: Metric
    catalog: Catalog
    checkpoint: Checkpoint
    buffers: Buffers
    _graph: MoveGraph | None = None
    _layers: Layers | None = None
    _chains: dict[Color, Chain] = field(default_factory=dict)

    def prepare(self) -> None:
        """Read and sort the smaller tables; :class:`BadSmallerTable` if one is no good."""
        from tablebase.movegraph import compile_graph
        from tablebase.solve import sort_smaller

        self._graph = compile_graph(self.table)
        self._layers = sort_smaller(self.table, self._graph, self._read, self.buffers)

    def solve(self, loser: Color) -> None:
        """Solve the chain in which ``loser`` loses. The two may run at the same time."""
        from tablebase.solve import solve_chain

        assert self._graph is not None
        assert self._layers is not None
        self._chains[loser] = solve_chain(
            self._graph,
            self._layers,
            loser,
            self.checkpoint,
            self.buffers,
            self.metric,
            self.table.rules.no_capture_limit,
        )

    def store(self) -> Made:
        """Write the table of the solved class. What the steps took is for the caller to say."""
        from tablebase.solve import release, release_layers

        assert self._layers is not None
        release_layers(self._layers, self.buffers)
        self._layers = None
        made = self._write()
        # A class takes gigabytes: give them back.
        while self._chains:
            release(self._chains.popitem()[1], self.buffers)
        return made

    def _write(self) -> Made:
        from tablebase.solve import Solution

        assert self._graph is not None
        white_loses, black_loses = self._chains[Color.WHITE], self._chains[Color.BLACK]
        solution = Solution(self.table, self._graph, self.metric, white_loses, black_loses)

        def chunk(side: int, number: int) -> Any:
            self.checkpoint()
            return solution.chunk(Color(side), number)

        path = self.catalog.path(self.table, self.metric)
        dtype: Literal["uint8", "uint16"] = "uint8" if solution.dtype.itemsize == 1 else "uint16"
        summary = summarize(solution)
        header = write_table(path, self.table, self.metric, dtype, summary, chunk)
        distances = [distance for h in summary.histogram for distance in (*h.win, *h.loss)]
        return Made(
            name=self.table.name,
            codes=2 * self.table.cells,
            plies=max(distances, default=0),
            seconds=0.0,
            bytes=path.stat().st_size,
            digest=header.digest,
            metric=self.metric,
        )

    def _read(self, table: TableClass, turn: Color) -> Any:
        self.checkpoint()
        try:
            with self.catalog.open(table, self.metric) as file:
                return file.read(turn)
        except (CorruptTableError, MissingTableError) as error:
            raise BadSmallerTable(table, error) from error


def summarize(solution: Solution) -> TableSummary:
    """What the header of its file says of a solved class."""
    table = solution.table
    histograms: list[Histogram] = []
    longest: list[LongestWin | None] = []
    for turn in Color:
        wins, losses = solution.histogram(turn)
        draws = table.placements - sum(wins.values()) - sum(losses.values())
        histograms.append(Histogram(wins, losses, draws))
        found = solution.longest_win(turn)
        if found is None:
            longest.append(None)
            continue
        distance, squares = found
        pieces = {
            square: (color, animal)
            for square, (color, animal) in zip(squares, table.axes, strict=True)
        }
        longest.append(LongestWin(distance, Position.from_pieces(pieces, turn).fen()))
    return TableSummary(
        maximum=solution.max_code,
        histogram=(histograms[0], histograms[1]),
        longest_win=(longest[0], longest[1]),
        zugzwangs=Zugzwangs(*solution.zugzwangs()),
    )


def warm_up() -> None:
    """Compile every kernel, or load it from numba's cache, by solving a small class in memory."""
    import numpy as np

    from tablebase.solve import solve

    rules = Rules()
    solved: dict[TableClass, Solution] = {}

    def read(table: TableClass, turn: Color) -> Any:
        if table not in solved:
            solved[table] = solve(table, read)
        # As it comes from a file.
        return np.ascontiguousarray(solved[table].chunk(turn, 0))

    summarize(solve(locate(rules, Material.parse("LvRT")).table, read))
