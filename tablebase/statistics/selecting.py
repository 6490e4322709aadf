"""Rows of values chosen by what they are: outcome, distance, zugzwang, or at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.game.board import Color
from tablebase.statistics.slices import Slice
from tablebase.tablefile import TableSummary

__all__ = ["Rows", "Selection", "sampled"]


class Rows(NamedTuple):
    """``n`` values: placements with a side to move."""

    squares: npt.NDArray[np.uint8]
    """``(n, k)``: where each of the material's pieces stands; a1 = 0."""
    side: npt.NDArray[np.uint8]
    """``(n,)``: the side to move, 0 White, 1 Black."""
    outcome: npt.NDArray[np.int8]
    """``(n,)``: 1, 0 or -1 for the side to move."""
    distance: npt.NDArray[np.int32]
    """``(n,)``: plies, -1 for a draw."""

    @classmethod
    def joined(cls, parts: Sequence[Rows]) -> Rows:
        """The rows of one part after those of another."""
        return cls(
            np.concatenate([part.squares for part in parts]),
            np.concatenate([part.side for part in parts]),
            np.concatenate([part.outcome for part in parts]),
            np.concatenate([part.distance for part in parts]),
        )

    def take(self, rows: npt.NDArray[Any]) -> Rows:
        """The rows of a mask, or of these numbers."""
        return Rows(self.squares[rows], self.side[rows], self.outcome[rows], self.distance[rows])


@dataclass(frozen=True, slots=True)
class Selection:
    """Which values are wanted: all that agree with what is not ``None``."""

    outcome: int | None = None
    """1, 0 or -1 for the side to move."""
    distance: tuple[int, int] | None = None
    """From so many plies to so many."""
    zugzwang: Literal["full", "half"] | None = None
    """Placements that are such a mutual zugzwang, with either side to move."""

    def rows(self, part: Slice) -> Rows:
        """The wanted values of a slice, mirror images one by one, White to move first."""
        part = part.unfolded()
        if self.zugzwang is not None:
            part = part.where(part.zugzwangs()[self.zugzwang == "half"])
        wanted = np.ones((2, len(part)), np.bool_)
        if self.outcome is not None:
            wanted &= part.outcome == self.outcome
        if self.distance is not None:
            least, most = self.distance
            wanted &= (part.distance >= max(least, 0)) & (part.distance <= most)
        sides, rows = np.nonzero(wanted)
        return Rows(
            part.squares[rows],
            sides.astype(np.uint8),
            part.outcome[sides, rows],
            part.distance[sides, rows],
        )

    def count(self, summary: TableSummary) -> int | None:
        """How many values of a table that is, by its header; ``None`` if that does not tell."""
        if self.zugzwang is not None:
            if self.outcome is None and self.distance is None:
                full, half = summary.zugzwangs
                return 2 * (full if self.zugzwang == "full" else half)
            return None
        least, most = self.distance or (0, 1 << 30)
        total = 0
        for side in Color:
            counts = summary.histogram[side]
            for outcome, by_distance in ((1, counts.win), (-1, counts.loss)):
                if self.outcome in (None, outcome):
                    total += sum(n for plies, n in by_distance.items() if least <= plies <= most)
            if self.outcome in (None, 0) and self.distance is None:
                total += counts.draw
        return total


def sampled(parts: Iterable[Rows], size: int, seed: int) -> Iterator[Rows]:
    """``size`` of all rows, each as likely as any other, in their order; all if there are fewer.

    Comes out at the end, in one part; memory holds so many rows.
    """
    random = np.random.default_rng(seed)
    kept: Rows | None = None
    keys = np.empty(0)
    for part in parts:
        if not len(part.side):
            continue
        # Every row gets a random key, and the rows with the smallest are kept.
        keys = np.concatenate((keys, random.random(len(part.side))))
        kept = part if kept is None else Rows.joined([kept, part])
        if len(keys) > size:
            chosen = np.sort(np.argpartition(keys, size)[:size]) if size else np.empty(0, np.intp)
            keys, kept = keys[chosen], kept.take(chosen)
    if kept is not None and len(kept.side):
        yield kept
