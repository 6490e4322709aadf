"""Having every kernel ready, compiled or loaded, before many threads ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.game.board import Color
from tablebase.game.rules import Rules
from tablebase.materials.table import Table

if TYPE_CHECKING:
    from tablebase.solve import Solution

__all__ = ["kernels_compiled", "warm_up"]


def warm_up() -> None:
    """Call every kernel once, by solving a small class in memory."""
    import numpy as np

    from tablebase.generation.classwork import summarize
    from tablebase.solve import solve

    solved: dict[Table, Solution] = {}

    def read(table: Table, turn: Color) -> Any:
        if table not in solved:
            solved[table] = solve(table, read)
        # As it comes from a file.
        return np.ascontiguousarray(solved[table].chunk(turn, 0))

    summarize(solve(Table.of(Rules(), "LvRT"), read))


def kernels_compiled() -> int:
    """How many kernels this process has compiled so far, since they were not kept."""
    from tablebase.jit import kernel_cache_state

    return kernel_cache_state().compiled
