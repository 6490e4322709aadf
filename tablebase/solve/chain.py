"""One chain: everything that one side loses and the other wins, ply by ply.

Whether the *loser* to move is lost depends only on the placements that the *winner* to move has
won, and the other way round; so the two assignments of these parts are two independent chains. They
share nothing, can run at the same time, and each needs just three sets.

* ``may_lose``: loser to move, not lost so far, and no move known that saves it for good.
* ``not_won``: winner to move, legal and not known to be won.
* ``lost_now``: loser to move, found lost by the last loss sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tablebase.board import Color
from tablebase.movegraph import MoveGraph
from tablebase.solve.buffers import Buffers
from tablebase.solve.layout import Words, lay_out, movers
from tablebase.solve.smaller import Layers, fill, settle, smaller_sets, take
from tablebase.solve.sweep import Found, fill_legal, keep_unsafe, sweep
from tablebase.values import code_of

__all__ = ["Chain", "Ply", "release", "solve_chain"]


class Ply(NamedTuple):
    """What one ply of a chain found."""

    number: int
    """The distance in plies."""
    mirrored: int
    """Placements found, of those whose mirror image is not stored."""
    unmirrored: int
    """Placements found, of the others."""
    row: int
    """A row of the layout in which one was found."""


class Chain(NamedTuple):
    """What ``loser`` to move loses and its opponent to move wins."""

    loser: Color
    lost: Words
    """``(rows, inner)``: loser to move, lost."""
    not_won: Words
    """``(rows + 1, inner)``: winner to move, legal and not won; the last row is empty."""
    loss_planes: Words
    """``(bits, rows, inner)``: bit by bit, half the code of each loss."""
    win_planes: Words
    """``(bits, rows, inner)``: bit by bit, half the code of each win."""
    losses: tuple[Ply, ...]
    wins: tuple[Ply, ...]


def solve_chain(
    graph: MoveGraph,
    layers: Layers,
    loser: Color,
    checkpoint: Callable[[], None] | None = None,
    buffers: Buffers | None = None,
) -> Chain:
    """Solve the chain in which ``loser`` loses, with exact distances to the end in plies.

    ``checkpoint`` is called before every ply; what it raises ends the work. ``buffers`` is where
    the large arrays come from; :func:`release` gives those of the chain back.
    """
    buffers = buffers or Buffers()
    layout = lay_out(graph)
    rows, words = len(layout.row_squares), len(layout.inner_squares)
    not_won = buffers.take(rows + 1, words)
    fill_legal(layout, not_won)
    may_lose = buffers.take(rows + 1, words)
    may_lose[:] = not_won
    lost_now = buffers.take(rows + 1, words)
    lost_now[-1] = 0
    lost = buffers.take(rows, words)
    lost[:] = 0
    no_words = np.empty((0, words), np.uint64)
    found_words = np.empty(words, np.uint64)
    behind = np.zeros(3 * words, np.uint64)
    # Flags of rows; the last stands for the empty row.
    may_lose_rows = np.append(layout.legal_rows, np.uint8(0))
    not_won_rows = may_lose_rows.copy()
    lost_rows = np.zeros(rows + 1, np.uint8)
    won_rows = np.zeros(rows + 1, np.uint8)
    loss_planes = _Planes(buffers, rows, words)
    win_planes = _Planes(buffers, rows, words)
    loses, wins = movers(graph, loser), movers(graph, loser.other)
    of_loser = tuple(np.flatnonzero(graph.colors == loser).tolist())
    of_winner = tuple(np.flatnonzero(graph.colors != loser).tolist())
    smaller = smaller_sets(layers)
    fill(layers, smaller, of_winner)

    def loss_sweep(n: int) -> Found:
        depth = code_of("dtw", -1, n) >> 1
        return Found(*sweep(
            layout, loses, smaller, True, n == 0, False, not_won, not_won_rows, won_rows,
            may_lose, may_lose_rows, lost, lost_now, lost_rows, loss_planes.up_to(depth), depth, found_words, behind,
        ))  # fmt: skip

    def win_sweep(n: int) -> Found:
        depth = code_of("dtw", 1, n) >> 1
        return Found(*sweep(
            layout, wins, smaller, False, n == 1, n == 1, lost_now, lost_rows, lost_rows,
            not_won, not_won_rows, no_words, no_words, won_rows, win_planes.up_to(depth), depth, found_words, behind,
        ))  # fmt: skip

    losses: list[Ply] = []
    won: list[Ply] = []
    # Once with all that the winner wins in the smaller tables taken out of them.
    for code in range(2, layers.last_code + 1, 2):
        take(layers, smaller, of_winner, code)
    keep_unsafe(layout, loses, smaller, may_lose, may_lose_rows, found_words)
    fill(layers, smaller, of_winner)
    # With everything legal in place of "not won", what has no way out has no move at all.
    found = loss_sweep(0)
    if not graph.no_moves_lose:
        found = Found(0, 0, -1)
        lost[:] = 0
        lost_rows[:] = 0
    n = 0
    while True:
        if found.row >= 0:
            (won if n & 1 else losses).append(Ply(n, *found))
        elif n >= 1 and n >= layers.last_code:
            break
        if checkpoint is not None:
            checkpoint()
        n += 1
        victims = of_loser if n & 1 else of_winner
        take(layers, smaller, victims, n)
        found = win_sweep(n) if n & 1 else loss_sweep(n)
        # What the loser has lost counts only as long as it is new; what the winner has won stays.
        settle(layers, smaller, victims, n, undo=bool(n & 1))
    buffers.give(may_lose, lost_now)
    return Chain(
        loser, lost, not_won, loss_planes.used, win_planes.used, tuple(losses), tuple(won)
    )


def release(chain: Chain, buffers: Buffers) -> None:
    """Give the arrays of ``chain`` back; it may not be used any more."""
    buffers.give(chain.lost, chain.not_won, chain.loss_planes, chain.win_planes)


class _Planes:
    """Bit planes, ``(bits, rows, inner)``, that are cleared when they are first needed."""

    def __init__(self, buffers: Buffers, rows: int, words: int) -> None:
        self._buffers = buffers
        self._planes = buffers.take(_BYTE_PLANES, rows, words)
        self._bits = 0

    @property
    def used(self) -> Words:
        """The planes that were needed so far."""
        return self._planes[: self._bits]

    def up_to(self, depth: int) -> Words:
        """The planes, with at least as many as ``depth`` has bits."""
        while depth >> self._bits:
            if self._bits == len(self._planes):
                more = self._buffers.take(2 * self._bits, *self._planes.shape[1:])
                more[: self._bits] = self._planes
                self._buffers.give(self._planes)
                self._planes = more
            self._planes[self._bits] = 0
            self._bits += 1
        return self.used


_BYTE_PLANES = 7
"""Half of a code that fits a byte has so many bits."""
