"""The one-ply law: the value of a position as the best of its successors' values.

Every code that a move can lead to gets a *grade*, the higher the better for who moves; the derived
value is that of the highest grade. A metric is no more than its grades, so the kernel knows none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.rules import Rules
from tablebase.values import DRAW, Metric, code_of, distance_of, outcome_of

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
    if metric != "dtw":
        raise ValueError(f"tables of the metric {metric} cannot be verified yet")
    after = [_after_move(metric, code) for code in range(highest + 1)]
    win_at_once = code_of(metric, 1, 1)
    # From the soonest loss to the latest, over draws, to the latest win and the soonest.
    worst_first = sorted(
        {*after, win_at_once},
        key=lambda code: (outcome_of(code), -outcome_of(code) * (distance_of(metric, code) or 0)),
    )
    grades = {code: grade for grade, code in enumerate(worst_first, 1)}
    dtype = np.min_scalar_type(len(worst_first))
    stuck = code_of(metric, -1, 0) if rules.no_moves == "loss" else DRAW
    quiet = np.array([grades[code] for code in after], dtype)
    return Law(
        quiet=quiet,
        capture=quiet,
        ending=dtype.type(grades[win_at_once]),
        codes=np.array([stuck, *worst_first], np.uint32),
        own_outcome=np.array([1 + outcome_of(code) for code in range(highest + 1)], np.uint8),
        reply_outcome=np.array([1, *(1 - outcome_of(code) for code in worst_first)], np.uint8),
    )


def _after_move(metric: Metric, code: int) -> int:
    """The value of a move to who makes it, if the opponent then has ``code``."""
    distance = distance_of(metric, code)
    return DRAW if distance is None else code_of(metric, -outcome_of(code), distance + 1)
