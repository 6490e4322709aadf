"""What a question to the tables is answered with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.position import Move, Position

__all__ = ["MoveValue", "Probe", "Probes"]


class Probe(NamedTuple):
    """The value of a position, from the view of the side to move; distances in plies."""

    outcome: int
    """1, 0 or -1: a win, a draw or a loss. With a ``no_capture_limit``, what it and the counter of
    the position make of it."""
    dtw: int | None
    """To the end of the game, without a limit; 0 if it is over, ``None`` for a draw. With a limit
    also ``None`` if the table of distances without it is missing."""
    dtc: int | None
    """To the next capture or den entry; ``None`` for a draw, or if there is no table of them."""


class MoveValue(NamedTuple):
    """A move and its value, from the view of the side that makes it; distances in plies, with the
    move itself counted."""

    move: Move
    capture: str | None
    """The letter of the animal that it captures, as in a FEN: upper case is White's."""
    outcome: int
    """1, 0 or -1: the move wins, draws or loses."""
    dtw: int | None
    """To the end of the game; as in :class:`Probe`."""
    dtc: int | None
    """To the next capture or den entry; 1 if it is one itself. As in :class:`Probe`."""
    position: Position
    """The position after the move."""


class Probes(NamedTuple):
    """The values of ``n`` placements, each from the view of the side to move."""

    outcome: npt.NDArray[np.int8]
    """``(n,)``: 1, 0 or -1, as in :class:`Probe`."""
    dtw: npt.NDArray[np.int32]
    """``(n,)``: plies to the end of the game, without a limit; -1 for a draw."""
