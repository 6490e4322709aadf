"""Whether what a table's header says of its values is true of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.materials.classes import TableClass
from tablebase.tablefile import Histogram, LongestWin, TableHeader, Zugzwangs
from tablebase.values import Metric
from tablebase.verification.report import Value, value_of

__all__ = ["Counts", "disagreements"]

Codes = npt.NDArray[np.unsignedinteger]


class Counts(NamedTuple):
    """What was counted with one side to move, mirror images included."""

    by_code: npt.NDArray[np.int64]
    """``(codes,)``: placements with each code."""
    by_outcomes: npt.NDArray[np.int64]
    """``(3, 3)``: placements by 1 + the outcome if this side is to move, 1 + that of the other if
    it is."""


def disagreements(
    header: TableHeader, table: TableClass, counts: Sequence[Counts], codes: Sequence[Codes]
) -> list[str]:
    """Every statement of ``header`` that is not true, in a sentence; ``counts`` and the flat
    ``codes`` are by side to move."""
    found = []
    summary = header.summary
    for turn in Color:
        name = turn.name.capitalize()
        histogram = _histogram(header.metric, counts[turn].by_code)
        if histogram != summary.histogram[turn]:
            found.append(f"its counts for {name} to move are not those of its values")
        longest = summary.longest_win[turn]
        if (longest.distance if longest else None) != max(histogram.win, default=None):
            found.append(f"its longest win of {name} is not that of its values")
        elif longest and not _is_there(longest, header.metric, table, turn, codes[turn]):
            found.append(f"{longest.fen} is not the win in {longest.distance} that it says")
    highest = max(int(np.flatnonzero(part.by_code)[-1]) for part in counts)
    if highest != summary.maximum:
        found.append("its highest code is not that of its values")
    pairs = counts[Color.WHITE].by_outcomes
    if summary.zugzwangs != Zugzwangs(int(pairs[0, 0]), int(pairs[0, 1] + pairs[1, 0])):
        found.append("its zugzwangs are not those of its values")
    return found


def _histogram(metric: Metric, by_code: npt.NDArray[np.int64]) -> Histogram:
    wins, losses, draws = {}, {}, 0
    for code in np.flatnonzero(by_code).tolist():
        outcome, distance = value_of(metric, code)
        count = int(by_code[code])
        if distance is None:
            draws += count
        elif outcome > 0:
            wins[distance] = count
        else:
            losses[distance] = count
    return Histogram(wins, losses, draws)


def _is_there(
    longest: LongestWin, metric: Metric, table: TableClass, turn: Color, codes: Codes
) -> bool:
    """Whether the position of ``longest`` is one of the table and has the value that it says."""
    try:
        position = Position.from_fen(longest.fen)
    except ValueError:
        return False
    at = {piece: square for square, piece in position.pieces.items()}
    if position.turn is not turn or set(at) != set(table.axes):
        return False
    try:
        places = [
            squares.index(at[piece])
            for piece, squares in zip(table.axes, table.squares, strict=True)
        ]
    except ValueError:
        return False
    cell = int(np.ravel_multi_index(places, table.shape))
    return value_of(metric, int(codes[cell])) == Value(1, longest.distance)
