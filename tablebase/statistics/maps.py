"""Counting won, lost and drawn placements by what they have in common.

A *tally* is three numbers: placements won, lost and drawn for the side to move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tablebase.game.board import SQUARES, Color
from tablebase.materials.material import Piece
from tablebase.statistics.distances import manhattan
from tablebase.statistics.placements import ValueArrays
from tablebase.tablefile import Histogram

__all__ = [
    "by_parity",
    "by_square",
    "histogram",
    "outcome_section",
    "tally",
    "tally_by",
    "value_of_the_move",
    "zugzwang_rows",
]

Integers = npt.NDArray[np.integer[Any]]
Counts = npt.NDArray[np.int64]


def tally(outcome: Integers) -> Counts:
    """Won, lost and drawn among outcomes (1, -1, 0) of any shape: ``(3,)``."""
    return np.asarray(tally_by(np.zeros(outcome.size, np.intp), outcome.ravel(), 1)[0])


def tally_by(labels: Integers, outcome: Integers, count: int | None = None) -> Counts:
    """The tally of each label, shape ``(count, 3)``.

    ``labels`` and ``outcome`` have the shape ``(n,)``; labels are from 0 to ``count`` - 1, or to
    the highest one. ``ValueError`` if one is not.
    """
    if count is None:
        count = int(labels.max()) + 1 if labels.size else 0
    if labels.size and not 0 <= labels.min() <= labels.max() < count:
        raise ValueError(f"a label is not from 0 to {count - 1}")
    # Won is 1, lost is -1, drawn is 0: as indices 0, 1 and 2.
    kind = np.array([2, 0, 1], np.intp)[outcome]
    counts = np.bincount(labels.astype(np.intp) * 3 + kind, minlength=3 * count)
    return counts.reshape(count, 3).astype(np.int64)


def histogram(values: ValueArrays, turn: Color) -> Histogram:
    """The number of wins and losses by distance, and of draws, with ``turn`` to move: what the
    header of the table says, counted anew."""
    outcome, distance = values.outcome[turn], values.distance[turn]
    wins, losses = (
        {plies: n for plies, n in enumerate(counts.tolist()) if n}
        for counts in (np.bincount(distance[outcome == sign]) for sign in (1, -1))
    )
    return Histogram(wins, losses, int((outcome == 0).sum()))


def by_square(values: ValueArrays, piece: Piece | str, turn: Color) -> Counts:
    """The tally of the placements with ``piece`` on each square, ``turn`` to move:
    ``(63, 3)``."""
    squares = values.squares[:, values.column(piece)]
    return tally_by(squares, values.outcome[turn], SQUARES)


def by_parity(values: ValueArrays, first: Piece | str, second: Piece | str, turn: Color) -> Counts:
    """The tally of the placements in which the Manhattan distance of two pieces is even, and of
    those in which it is odd, ``turn`` to move: ``(2, 3)``."""
    one, other = (values.squares[:, values.column(piece)] for piece in (first, second))
    return tally_by(manhattan(one, other) % 2, values.outcome[turn], 2)


def value_of_the_move(values: ValueArrays) -> Counts:
    """Placements by what they are with White to move (rows) and with Black to move (columns),
    both from White's view, in the order won, lost, drawn: ``(3, 3)``.

    ``[0, 1]`` are those that whoever moves wins, ``[1, 0]`` the full zugzwangs.
    """
    order = np.array([2, 0, 1])
    white, black = values.outcome_for(Color.WHITE)
    counts = np.bincount(3 * order[white] + order[black], minlength=9)
    return counts.reshape(3, 3).astype(np.int64)


def zugzwang_rows(values: ValueArrays) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which placements are full zugzwangs (whoever is to move loses) and which half ones (one of
    the two results is a draw, the other a loss of the side to move): two masks, ``(n,)``."""
    white, black = values.outcome
    full = (white == -1) & (black == -1)
    half = ((white == -1) & (black == 0)) | ((white == 0) & (black == -1))
    return full, half


def outcome_section(
    values: ValueArrays,
    piece: Piece | str,
    others: Mapping[Piece, int] | Mapping[str, int],
    turn: Color,
    view: Color = Color.WHITE,
) -> npt.NDArray[np.float64]:
    """The outcome, from the view of ``view``, with ``piece`` on each square and all ``others`` on
    theirs, ``turn`` to move: ``(63,)``, NaN where it cannot stand.

    ``ValueError`` unless the others are all the others.
    """
    columns = {values.column(other): square for other, square in others.items()}
    moving = values.column(piece)
    if {moving, *columns} != set(range(len(values.material))) or moving in columns:
        raise ValueError(f"a square is wanted for each animal of {values.material} but {piece!r}")
    rows = np.ones(len(values), np.bool_)
    for column, square in columns.items():
        rows &= values.squares[:, column] == square
    section = np.full(SQUARES, np.nan)
    section[values.squares[rows, moving]] = values.outcome_for(view)[turn, rows]
    return section
