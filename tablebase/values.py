"""What a stored number means: the one home of the encoding of outcomes and distances.

A table holds one *code* for each placement and side to move. Code 0 is a draw; any other is
``1 + 2 * m + w``, where ``w`` is 1 if the side to move wins and 0 if it loses. Under the metric
``dtw`` the distance to the end is ``2 * m + w`` plies: wins take an odd number of plies and losses
an even one. Under ``dtc`` the distance to the next capture or den entry is ``m`` plies.
"""

from __future__ import annotations

from typing import Final, Literal

__all__ = [
    "BYTE_CODES",
    "DRAW",
    "METRICS",
    "Metric",
    "after_capture",
    "after_move",
    "code_of",
    "distance_of",
    "outcome_of",
]

Metric = Literal["dtw", "dtc"]
METRICS: Final[tuple[Metric, ...]] = ("dtw", "dtc")

DRAW: Final = 0
BYTE_CODES: Final = 256
"""How many codes fit one byte: tables with a higher code are stored in 16 bits."""


def code_of(metric: Metric, outcome: int, distance: int | None) -> int:
    """The code of ``outcome`` (1, 0, -1 for the side to move) at ``distance`` plies."""
    if outcome == 0 or distance is None:
        return DRAW
    won = int(outcome > 0)
    return 1 + (distance if metric == "dtw" else 2 * distance + won)


def outcome_of(code: int) -> int:
    """1, 0 or -1: a win, a draw or a loss of the side to move."""
    return 0 if code == DRAW else (-1 if code & 1 else 1)


def distance_of(metric: Metric, code: int) -> int | None:
    """The distance in plies, or ``None`` for a draw."""
    if code == DRAW:
        return None
    return code - 1 if metric == "dtw" else (code - 1) >> 1


def after_move(metric: Metric, code: int, limit: int | None = None) -> int:
    """The value of a move that captures nothing, to the side that makes it, if the opponent then
    has ``code``. Under ``dtc`` what comes to more plies than ``limit``, the ``no_capture_limit``,
    is a draw."""
    distance = distance_of(metric, code)
    if distance is None or (limit is not None and distance >= limit):
        return DRAW
    return code_of(metric, -outcome_of(code), distance + 1)


def after_capture(metric: Metric, code: int) -> int:
    """The value of a capture, if the opponent then has ``code`` in the smaller table: under ``dtc``
    it is 1 ply long, whatever comes after it."""
    if metric == "dtw":
        return after_move(metric, code)
    return code_of(metric, -outcome_of(code), 1)
