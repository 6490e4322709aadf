"""The one-ply law: the value of a position as the best of its successors' values.

Every code that a move can lead to gets a *grade*, the higher the better for who moves; the derived
value is that of the highest grade. A metric is no more than its grades, so the kernel knows none.

Under ``dtw`` a move adds a ply to what it leads to. Under ``dtc`` a capture is 1 ply long, whatever
comes after it; so a side that loses makes one only if it has no other move, and its loss is one
more than the longest of the others. Where a move that takes nothing would come to more than the
``no_capture_limit``, it is a draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.rules import Rules
from tablebase.values import (
    DRAW,
    Metric,
    after_capture,
    after_move,
    code_of,
    distance_of,
    outcome_of,
)

__all__ = ["Law", "law_of"]

Grades = npt.NDArray[np.unsignedinteger]


class Law(NamedTuple):
    """Grades by code, and codes by grade; grade 0 is that of having no move."""

    quiet: Grades
    """``(codes,)``: the grade of a move that captures nothing, by the code that it leads to."""
    capture: Grades
    """``(codes,)``: the grade of a capture, by the code in the smaller table."""
    ending: np.unsignedinteger
    """The grade of a move that wins at once."""
    codes: npt.NDArray[np.uint32]
    """``(grades,)``: the value of a position whose best move has the grade."""
    own_outcome: npt.NDArray[np.uint8]
    """``(codes,)``: 1 + the outcome for the side to move."""
    reply_outcome: npt.NDArray[np.uint8]
    """``(grades,)``: 1 + the outcome for the opponent, if it is to move and to move there has the
    grade."""


def law_of(metric: Metric, rules: Rules, highest: int) -> Law:
    """The law of ``metric`` for codes up to ``highest``."""
    limit = rules.no_capture_limit if metric == "dtc" else None
    replies = range(highest + 1)
    quiet = [_Grade(after_move(metric, code, limit), outcome_of(code)) for code in replies]
    capture = [_Grade(after_capture(metric, code), outcome_of(code)) for code in replies]
    ending = _Grade(code_of(metric, 1, 1), -1)
    # From the soonest loss to the latest, over draws, to the latest win and the soonest.
    worst_first = sorted(
        {*quiet, *capture, ending},
        key=lambda grade: (
            outcome_of(grade.code),
            -outcome_of(grade.code) * (distance_of(metric, grade.code) or 0),
            grade.reply,
        ),
    )
    grades = {grade: number for number, grade in enumerate(worst_first, 1)}
    dtype = np.min_scalar_type(len(worst_first))
    stuck = code_of(metric, -1, 0) if rules.no_moves == "loss" else DRAW
    return Law(
        quiet=np.array([grades[grade] for grade in quiet], dtype),
        capture=np.array([grades[grade] for grade in capture], dtype),
        ending=dtype.type(grades[ending]),
        codes=np.array([stuck, *(grade.code for grade in worst_first)], np.uint32),
        own_outcome=np.array([1 + outcome_of(code) for code in replies], np.uint8),
        reply_outcome=np.array([1, *(1 + grade.reply for grade in worst_first)], np.uint8),
    )


class _Grade(NamedTuple):
    """The value of a move to who makes it, and the outcome to the opponent of what it leads to,
    from which it differs where the limit is reached."""

    code: int
    reply: int
