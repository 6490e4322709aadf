"""How one table is made: claiming it, sorting what captures lead to, two chains, storing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.generation.events import Made
from tablebase.generation.executor import Checkpoint, Obstacle, Work
from tablebase.generation.plan import status_of
from tablebase.materials.table import Table
from tablebase.tablefile import Histogram, LongestWin, TableSummary, Zugzwangs, write_table

if TYPE_CHECKING:
    from tablebase.movegraph import MoveGraph
    from tablebase.solve import Buffers, Chain, Layers, Solution

__all__ = ["BadSmallerTable", "ClassWork", "Stamp", "TableTask", "stamp_of", "summarize"]

Stamp = tuple[int, int, int]
"""What tells a file from one that took its place: its number, size, and time in nanoseconds."""


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of the file at ``path``; ``None`` if there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


class TableTask(NamedTuple):
    """A table to make."""

    table: Table
    distrusted: Stamp | None = None
    """The file that is to be replaced, though from outside it may look all right."""


class BadSmallerTable(Exception):
    """A smaller table turned out to be damaged, or gone, when it was needed."""

    def __init__(self, table: Table, reason: CorruptTableError | MissingTableError) -> None:
        super().__init__(str(reason))
        self.table = table
        self.reason = reason


class ClassWork(Work[Made]):
    """A class in work: what its steps hand on. ``checkpoint`` may raise to end a step early."""

    def __init__(
        self, task: TableTask, catalog: Catalog, buffers: Buffers, checkpoint: Checkpoint
    ) -> None:
        self.table, self._distrusted = task
        self._catalog = catalog
        self._buffers = buffers
        self._checkpoint = checkpoint
        self._path = catalog.path(self.table)
        self._lock = ExitStack()
        self._graph: MoveGraph | None = None
        self._layers: Layers | None = None
        self._chains: dict[Color, Chain] = {}

    def claim(self) -> Obstacle | None:
        """Take the lock of the table, and see that nobody has made it meanwhile."""
        with ExitStack() as stack:
            if not stack.enter_context(self._catalog.lock(self.table, timeout=0)):
                return "busy"
            present = status_of(self._catalog, self.table) == "present"
            if present and stamp_of(self._path) != self._distrusted:
                return "elsewhere"
            self._lock = stack.pop_all()
        return None

    def release(self) -> None:
        """Give up the lock."""
        self._lock.close()

    def stages(self) -> Sequence[Sequence[Callable[[], Any]]]:
        """The steps: :meth:`prepare`, :meth:`solve` for both chains, :meth:`store`."""
        return (self.prepare,), [partial(self.solve, loser) for loser in Color], (self.store,)

    def prepare(self) -> None:
        """Read and sort the smaller tables; :class:`BadSmallerTable` if one is no good."""
        from tablebase.movegraph import compile_graph
        from tablebase.solve import sort_smaller

        self._graph = compile_graph(self.table.table_class)
        self._layers = sort_smaller(self.table, self._graph, self._read, self._buffers)

    def solve(self, loser: Color) -> None:
        """Solve the chain in which ``loser`` loses. The two may run at the same time."""
        from tablebase.solve import solve_chain

        assert self._graph is not None
        assert self._layers is not None
        self._chains[loser] = solve_chain(
            self._graph,
            self._layers,
            loser,
            self._checkpoint,
            self._buffers,
            self.table.metric,
            self.table.limit,
        )

    def store(self) -> Made:
        """Write the table of the solved class. What the steps took is for the caller to say."""
        from tablebase.solve import release, release_layers

        assert self._layers is not None
        release_layers(self._layers, self._buffers)
        self._layers = None
        made = self._write()
        # A class takes gigabytes: give them back.
        while self._chains:
            release(self._chains.popitem()[1], self._buffers)
        return made

    def _write(self) -> Made:
        from tablebase.solve import Solution

        assert self._graph is not None
        white_loses, black_loses = self._chains[Color.WHITE], self._chains[Color.BLACK]
        solution = Solution(self.table, self._graph, white_loses, black_loses)

        def chunk(side: int, number: int) -> Any:
            self._checkpoint()
            return solution.chunk(Color(side), number)

        dtype: Literal["uint8", "uint16"] = "uint8" if solution.dtype.itemsize == 1 else "uint16"
        summary = summarize(solution)
        header = write_table(self._path, self.table, dtype, summary, chunk)
        distances = [distance for h in summary.histogram for distance in (*h.win, *h.loss)]
        return Made(
            table=self.table,
            plies=max(distances, default=0),
            seconds=0.0,
            bytes=self._path.stat().st_size,
            digest=header.digest,
        )

    def _read(self, table: Table, turn: Color) -> Any:
        self._checkpoint()
        try:
            with self._catalog.open(table) as file:
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
