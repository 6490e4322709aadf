"""Whether what a table's header says of its values is true of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.index import Placing
from tablebase.materials.table import Table
from tablebase.tablefile import Histogram, LongestWin, TableSummary, Zugzwangs
from tablebase.values import Metric
from tablebase.verification.report import FalseClaim, Value, value_of

__all__ = ["Counts", "false_claims"]

Codes = npt.NDArray[np.unsignedinteger]


class Counts(NamedTuple):
    """What was counted with one side to move, mirror images included."""

    by_code: npt.NDArray[np.int64]
    """``(codes,)``: placements with each code."""
    by_outcomes: npt.NDArray[np.int64]
    """``(3, 3)``: placements by 1 + the outcome if this side is to move, 1 + that of the other if
    it is."""


def false_claims(
    summary: TableSummary, table: Table, counts: Sequence[Counts], codes: Sequence[Codes]
) -> list[FalseClaim]:
    """What ``summary`` says of ``table`` that is not true; ``counts`` and the flat ``codes`` are by
    side to move."""
    found = []
    for turn in Color:
        name = turn.name.capitalize()
        histogram = _histogram(table.metric, counts[turn].by_code)
        if histogram != summary.histogram[turn]:
            text = f"its counts for {name} to move are not those of its values"
            found.append(FalseClaim("histogram", turn, text))
        longest = summary.longest_win[turn]
        if (longest.distance if longest else None) != max(histogram.win, default=None):
            text = f"its longest win of {name} is not that of its values"
            found.append(FalseClaim("longest_win", turn, text))
        elif longest and not _is_there(longest, table, turn, codes[turn]):
            text = f"{longest.fen} is not the win in {longest.distance} that it says"
            found.append(FalseClaim("longest_win", turn, text))
    highest = max(int(np.flatnonzero(part.by_code)[-1]) for part in counts)
    if highest != summary.maximum:
        text = "its highest code is not that of its values"
        found.append(FalseClaim("maximum", None, text))
    pairs = counts[Color.WHITE].by_outcomes
    if summary.zugzwangs != Zugzwangs(int(pairs[0, 0]), int(pairs[0, 1] + pairs[1, 0])):
        text = "its zugzwangs are not those of its values"
        found.append(FalseClaim("zugzwangs", None, text))
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


def _is_there(longest: LongestWin, table: Table, turn: Color, codes: Codes) -> bool:
    """Whether the position of ``longest`` is one of the table and has the value that it says."""
    try:
        position = Position.from_fen(longest.fen)
    except ValueError:
        return False
    at = {piece: square for square, piece in position.pieces.items()}
    if position.turn is not turn or set(at) != set(table.axes):
        return False
    number = Placing.of_axes(table.table_class).number([at[piece] for piece in table.axes])
    if number >= table.cells:  # the game is over, or an animal is where it cannot get
        return False
    return value_of(table.metric, int(codes[number])) == Value(1, longest.distance)
