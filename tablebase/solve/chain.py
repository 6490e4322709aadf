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
import numpy.typing as npt

from tablebase.board import Color
from tablebase.movegraph import MoveGraph
from tablebase.solve.layout import Words, lay_out, movers
from tablebase.solve.smaller import Layers, put_back, smaller_sets, take
from tablebase.solve.sweep import Found, fill_legal, keep_unsafe, sweep

__all__ = ["Chain", "Ply", "solve_chain"]


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
    """``(bits, rows, inner)``: bit ``b`` of half the distance of each loss."""
    win_planes: Words
    """``(bits, rows, inner)``: bit ``b`` of half the distance of each win."""
    losses: tuple[Ply, ...]
    wins: tuple[Ply, ...]


def solve_chain(
    graph: MoveGraph,
    layers: Layers,
    loser: Color,
    checkpoint: Callable[[], None] | None = None,
) -> Chain:
    """Solve the chain in which ``loser`` loses, with exact distances to the end in plies.

    ``checkpoint`` is called before every ply; what it raises ends the work.
    """
    layout = lay_out(graph)
    rows, words = len(layout.row_squares), len(layout.inner_squares)
    not_won = np.empty((rows + 1, words), np.uint64)
    fill_legal(layout, not_won)
    may_lose = not_won.copy()
    lost_now = np.empty((rows + 1, words), np.uint64)
    lost_now[-1] = 0
    lost = np.zeros((rows, words), np.uint64)
    no_words = np.empty((0, words), np.uint64)
    found_words = np.empty(words, np.uint64)
    behind = np.zeros(3 * words, np.uint64)
    # Flags of rows; the last stands for the empty row.
    may_lose_rows = np.append(layout.legal_rows, np.uint8(0))
    not_won_rows = may_lose_rows.copy()
    lost_rows = np.zeros(rows + 1, np.uint8)
    won_rows = np.zeros(rows + 1, np.uint8)
    loss_planes = np.zeros((_PLANES, rows, words), np.uint64)
    win_planes = np.zeros((_PLANES, rows, words), np.uint64)
    loses, wins = movers(graph, loser), movers(graph, loser.other)
    of_loser = tuple(np.flatnonzero(graph.colors == loser).tolist())
    of_winner = tuple(np.flatnonzero(graph.colors != loser).tolist())
    smaller = smaller_sets(layers, tuple(graph.colors != loser))

    def loss_sweep(n: int) -> Found:
        nonlocal loss_planes
        loss_planes = _with_room(loss_planes, n >> 1)
        return Found(*sweep(
            layout, loses, smaller, True, n == 0, False, not_won, not_won_rows, won_rows,
            may_lose, may_lose_rows, lost, lost_now, lost_rows, loss_planes, n >> 1, found_words, behind,
        ))  # fmt: skip

    def win_sweep(n: int) -> Found:
        nonlocal win_planes
        win_planes = _with_room(win_planes, n >> 1)
        return Found(*sweep(
            layout, wins, smaller, False, n == 1, n == 1, lost_now, lost_rows, lost_rows,
            not_won, not_won_rows, no_words, no_words, won_rows, win_planes, n >> 1, found_words, behind,
        ))  # fmt: skip

    losses: list[Ply] = []
    won: list[Ply] = []
    wins_below = range(2, layers.last_code + 1, 2)
    for n in wins_below:
        take(layers, smaller, of_winner, n, n)
    keep_unsafe(layout, loses, smaller, may_lose, may_lose_rows, found_words)
    for n in wins_below:
        put_back(layers, smaller, of_winner, n, n, flip=True)
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
        take(layers, smaller, victims, n, n)
        found = win_sweep(n) if n & 1 else loss_sweep(n)
        # What the loser has lost counts only as long as it is new; what the winner has won stays.
        put_back(layers, smaller, victims, n, n, flip=bool(n & 1))
    return Chain(loser, lost, not_won, loss_planes, win_planes, tuple(losses), tuple(won))


_PLANES = 8


def _with_room(planes: Words, depth: int) -> Words:
    """``planes``, with as many bits as ``depth`` needs."""
    if depth >> len(planes) == 0:
        return planes
    more: npt.NDArray[np.uint64] = np.zeros((len(planes), *planes.shape[1:]), np.uint64)
    return np.concatenate([planes, more])
