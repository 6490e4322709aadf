"""What a question to the tables is answered with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tablebase.game.position import Move, Position

__all__ = ["MoveValue", "Probe", "Probes", "Reason"]

Reason = Literal["table", "den", "no animals", "no moves", "limit", "repetition"]
"""Why a value is what it is. ``table``: a table says so. The game is over: a ``den`` was entered, a
side has ``no animals`` left, or ``no moves``. ``limit``: the ``no_capture_limit`` makes it a draw,
at once or in time. ``repetition``: a line ends, since the position would come up again."""


class _Value(NamedTuple):
    outcome: int
    dtw: int | None
    dtc: int | None


class Probe(_Value):
    """The value of a position, from the view of the side to move; distances in plies.

    A tuple of three:

    * ``outcome``: 1, 0 or -1: a win, a draw or a loss. With a ``no_capture_limit``, what it and the
      counter of the position make of it.
    * ``dtw``: to the end of the game, without a limit; 0 if it is over, ``None`` for a draw. With a
      limit also ``None`` if the table of distances without it is missing.
    * ``dtc``: to the next capture or den entry; ``None`` for a draw, or if there is no table of
      them.

    ``reason`` tells why, beside the tuple.
    """

    reason: Reason

    def __new__(
        cls, outcome: int, dtw: int | None, dtc: int | None, reason: Reason = "table"
    ) -> Self:
        """The value with its reason."""
        value = super().__new__(cls, outcome, dtw, dtc)
        value.reason = reason
        return value

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]
        return cls(*iterable)

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**{**self._asdict(), "reason": self.reason, **changes})

    __replace__ = _replace

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.reason)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended here, but for what the ``limit`` says of its counter."""
        return self.reason in ("den", "no animals", "no moves")


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
    reason: Reason = "table"
    """Why the position after the move is worth what it is, as in :class:`Probe`."""


class Probes(NamedTuple):
    """The values of ``n`` placements, each from the view of the side to move."""

    outcome: npt.NDArray[np.int8]
    """``(n,)``: 1, 0 or -1, as in :class:`Probe`."""
    dtw: npt.NDArray[np.int32]
    """``(n,)``: plies to the end of the game, without a limit; -1 for a draw."""
