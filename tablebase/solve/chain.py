"""One chain: everything that one side loses and the other wins, ply by ply.

Whether the *loser* to move is lost depends only on the placements that the *winner* to move has
won, and the other way round; so the two assignments of these parts are two independent chains. They
share nothing, can run at the same time, and each needs just four sets, under ``dtc`` one more.

* ``may_lose``: loser to move, not lost so far, and no move known that saves it for good.
* ``not_won``: winner to move, legal and not known to be won.
* ``lost_now``: loser to move, found lost by the last loss sweep.
* ``lost``: what ``may_lose`` was at the beginning and, at the end, what has left it since.

The two metrics are two schedules of the same sweeps. Under ``dtw`` losses fall on even plies and
wins on odd ones, and a smaller table yields at ply n + 1 what is decided in it at n. Under ``dtc``
a capture ends the count, so all of a smaller table counts as decided at once, and wins and losses
fall on any ply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from tablebase.game.board import Color
from tablebase.movegraph import MoveGraph
from tablebase.solve.buffers import Buffers
from tablebase.solve.layout import Movers, Words, lay_out, movers
from tablebase.solve.memory import planes_reserved
from tablebase.solve.smaller import (
    Layers,
    clear,
    complement,
    insert,
    remove,
    settle,
    smaller_sets,
)
from tablebase.solve.sweep import (
    Aim,
    Behind,
    Found,
    Placements,
    Planes,
    Room,
    fill_legal,
    sweep,
)
from tablebase.values import Metric, code_of

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
    loss_planes: Planes
    """Half the code of each loss."""
    win_planes: Planes
    """Half the code of each win."""
    losses: tuple[Ply, ...]
    wins: tuple[Ply, ...]


def solve_chain(
    graph: MoveGraph,
    layers: Layers,
    loser: Color,
    checkpoint: Callable[[], None] | None = None,
    buffers: Buffers | None = None,
    metric: Metric = "dtw",
    limit: int | None = None,
) -> Chain:
    """Solve the chain in which ``loser`` loses, with exact distances of ``metric`` in plies.

    ``limit`` is the ``no_capture_limit`` in plies, under ``dtc`` only: what takes longer is a draw,
    here as in the tables behind ``layers``. ``checkpoint`` is called before every ply; what it
    raises ends the work. ``buffers`` is where the large arrays come from; :func:`release` gives
    those of the chain back.
    """
    work = _Work(graph, layers, loser, buffers or Buffers(), metric, limit)
    for _ in work.by_distance() if metric == "dtw" else work.by_capture():
        if checkpoint is not None:
            checkpoint()
    return work.done()


def release(chain: Chain, buffers: Buffers) -> None:
    """Give the arrays of ``chain`` back; it may not be used any more."""
    buffers.give(chain.lost, chain.not_won, chain.loss_planes.words, chain.win_planes.words)


class _Work:
    """The sets of a chain in work, and the two schedules."""

    def __init__(
        self,
        graph: MoveGraph,
        layers: Layers,
        loser: Color,
        buffers: Buffers,
        metric: Metric,
        limit: int | None,
    ) -> None:
        self._graph, self._layers, self._loser = graph, layers, loser
        self._buffers, self._metric, self._limit = buffers, metric, limit
        self._layout = layout = lay_out(graph)
        rows, words = len(layout.row_squares), len(layout.inner_squares)
        self._not_won = buffers.take(rows + 1, words)
        fill_legal(layout, self._not_won)
        self._may_lose = buffers.take(rows + 1, words)
        self._may_lose[:] = self._not_won
        self._lost = buffers.take(rows, words)
        # What the last loss sweep found and, under dtc, the one before it; flags go with rows, and
        # the last row, always empty, stands for no row.
        self._lost_now = [buffers.take(rows + 1, words) for _ in range(self._generations)]
        self._lost_rows = [np.zeros(rows + 1, np.uint8) for _ in self._lost_now]
        for lost_now in self._lost_now:
            lost_now[-1] = 0
        self._won_rows = np.zeros(rows + 1, np.uint8)
        self._may_lose_rows = np.append(layout.legal_rows, np.uint8(0))
        self._not_won_rows = self._may_lose_rows.copy()
        reserved = planes_reserved(metric, limit)
        self._loss_planes = _GrowingPlanes(buffers, reserved, rows, words)
        self._win_planes = _GrowingPlanes(buffers, reserved, rows, words)
        self._no_words = np.empty((0, words), np.uint64)
        self._room = Room(np.empty(words, np.uint64), np.zeros(3 * words, np.uint64))
        self._loses, self._wins = movers(graph, loser), movers(graph, loser.other)
        self._of_loser = tuple(np.flatnonzero(graph.colors == loser).tolist())
        self._of_winner = tuple(np.flatnonzero(graph.colors != loser).tolist())
        self._smaller = smaller_sets(layers)
        self._ply_losses: list[Ply] = []
        self._ply_wins: list[Ply] = []

    @property
    def _generations(self) -> int:
        return 1 if self._metric == "dtw" else 2

    # What the smaller tables say of a placement after a capture: with the loser to move, that it
    # is lost, which counts as long as it is new; with the winner to move, that it is won, but not
    # yet. A capture that leads to what is never won needs no more looking after since ply 0.

    def by_distance(self) -> Iterator[None]:
        """The schedule of ``dtw``, a ply at a time."""
        layers, smaller = self._layers, self._smaller
        found = self._begin()
        n = 0
        while found or n == 0 or n < layers.last_code:
            yield
            n += 1
            victims = self._of_loser if n & 1 else self._of_winner
            # The code of a loss in n - 1 plies is n, and so is that of a win.
            if n & 1:
                insert(layers, smaller, victims, n)
                found = self._win_sweep(n)
                remove(layers, smaller, victims, n)
            else:
                remove(layers, smaller, victims, n)
                found = self._loss_sweep(n)
            settle(layers, smaller, victims)

    def by_capture(self) -> Iterator[None]:
        """The schedule of ``dtc``, a ply at a time."""
        layers, smaller, limit = self._layers, self._smaller, self._limit
        found = self._begin()
        # From now on a capture of the loser's, left only where it loses, is no way out.
        clear(layers, smaller, self._of_winner)
        for code in range(1, layers.last_code + 1, 2):
            insert(layers, smaller, self._of_loser, code)
        n = 0
        while (found or n == 0) and (limit is None or n < limit):
            yield
            n += 1
            self._lost_now.reverse()
            self._lost_rows.reverse()
            # Both look at what was known at ply n - 1: the loss sweep comes before wins are added.
            found = self._loss_sweep(n)
            found |= self._win_sweep(n)
            if n == 1:
                clear(layers, smaller, self._of_loser)

    def _begin(self) -> bool:
        """Ply 0: find where the loser is saved for good, and where it has no move."""
        layers, smaller = self._layers, self._smaller
        for code in range(2, layers.last_code + 1, 2):
            insert(layers, smaller, self._of_winner, code)
        # What the winner never wins is a way out for good.
        complement(layers, smaller, self._of_winner)
        self._take_out_safe()
        complement(layers, smaller, self._of_winner)
        settle(layers, smaller, self._of_winner)
        # As long as no win is taken out of any set, what has no way out has no move at all.
        np.copyto(self._lost, self._may_lose[:-1])
        found = self._loss_sweep(0)
        if self._graph.no_moves_lose:
            return found
        np.copyto(self._lost, self._may_lose[:-1])
        self._ply_losses.clear()
        self._lost_rows[-1][:] = 0
        return False

    def _take_out_safe(self) -> None:
        """Take out of ``may_lose`` what a den entry, or a capture into the smaller sets, saves for
        good. It would be lost at last if its other moves were, so that loss sweeps met it again
        and again."""
        no_rows = self._won_rows
        self._sweep(
            self._loses,
            Aim(lost=False, depth=0, everywhere=True, dens=True),
            Behind(self._not_won, no_rows, no_rows),
            Placements(self._may_lose, self._may_lose_rows),
            Placements(self._no_words, self._lost_rows[-1]),
            self._loss_planes.used,
        )

    def _loss_sweep(self, n: int) -> bool:
        """Find what the loser to move loses in ``n`` plies."""
        half = code_of(self._metric, -1, n) >> 1
        everywhere = n == 0 or (n == 1 and self._metric == "dtc")
        found = self._sweep(
            self._loses,
            Aim(lost=True, depth=half, everywhere=everywhere),
            Behind(self._not_won, self._not_won_rows, self._won_rows),
            Placements(self._may_lose, self._may_lose_rows),
            Placements(self._lost_now[-1], self._lost_rows[-1]),
            self._loss_planes.up_to(half),
        )
        if found.row >= 0:
            self._ply_losses.append(Ply(n, *found))
        return found.row >= 0

    def _win_sweep(self, n: int) -> bool:
        """Find what the winner to move wins in ``n`` plies."""
        half = code_of(self._metric, 1, n) >> 1
        lost_rows = self._lost_rows[0]
        found = self._sweep(
            self._wins,
            Aim(lost=False, depth=half, everywhere=n == 1, dens=n == 1),
            Behind(self._lost_now[0], lost_rows, lost_rows),
            Placements(self._not_won, self._not_won_rows),
            Placements(self._no_words, self._won_rows),
            self._win_planes.up_to(half),
        )
        if found.row >= 0:
            self._ply_wins.append(Ply(n, *found))
        return found.row >= 0

    def _sweep(
        self,
        movers: Movers,
        aim: Aim,
        behind: Behind,
        remaining: Placements,
        new: Placements,
        planes: Planes,
    ) -> Found:
        return Found(
            *sweep(
                self._layout, movers, self._smaller, aim, behind, remaining, new, planes, self._room
            )
        )

    def done(self) -> Chain:
        """The chain, at the end of its schedule."""
        self._lost ^= self._may_lose[:-1]
        self._buffers.give(self._may_lose, *self._lost_now)
        return Chain(
            self._loser,
            self._lost,
            self._not_won,
            self._loss_planes.used,
            self._win_planes.used,
            tuple(self._ply_losses),
            tuple(self._ply_wins),
        )


class _GrowingPlanes:
    """Planes, as many as the numbers written so far have bits."""

    def __init__(self, buffers: Buffers, reserved: int, rows: int, words: int) -> None:
        self._buffers = buffers
        self._words = buffers.take(reserved, rows, words)
        self._written = np.zeros((reserved, rows), np.uint8)
        self._bits = 0

    @property
    def used(self) -> Planes:
        """The planes that were needed so far."""
        return Planes(self._words[: self._bits], self._written[: self._bits])

    def up_to(self, depth: int) -> Planes:
        """The planes, with at least as many as ``depth`` has bits."""
        while depth >> self._bits:
            if self._bits == len(self._words):
                more = self._buffers.take(self._bits + 1, *self._words.shape[1:])
                more[: self._bits] = self._words
                self._buffers.give(self._words)
                self._words = more
                self._written = np.pad(self._written, ((0, 1), (0, 0)))
            self._bits += 1
        return self.used
