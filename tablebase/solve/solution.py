"""A solved class: codes to store, chunk by chunk, and what is to be counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tablebase.board import FILES, Color
from tablebase.material import TableClass
from tablebase.movegraph import MoveGraph
from tablebase.solve.chain import Chain, Ply
from tablebase.solve.jit import kernel, popcount
from tablebase.solve.layout import Layout, Words, lay_out
from tablebase.values import BYTE_CODES, Metric, code_of

__all__ = ["Solution"]

Codes = npt.NDArray[np.unsignedinteger]


@dataclass(eq=False)
class Solution:
    """The exact values of every placement of a class, both sides to move.

    ``white_loses`` and ``black_loses`` are its two chains. ``byte_codes`` is how many codes fit
    one byte; tests shrink it to see tables of 16 bits.
    """

    table: TableClass
    graph: MoveGraph
    metric: Metric
    white_loses: Chain
    black_loses: Chain
    byte_codes: int = BYTE_CODES

    @cached_property
    def _layout(self) -> Layout:
        return lay_out(self.graph)

    def _chains(self, turn: Color) -> tuple[Chain, Chain]:
        """The chain in which ``turn`` wins and the one in which it loses."""
        if turn is Color.WHITE:
            return self.black_loses, self.white_loses
        return self.white_loses, self.black_loses

    @cached_property
    def max_code(self) -> int:
        """The highest code of the table."""
        return max(
            code_of(self.metric, outcome, plies[-1].number)
            for turn in Color
            for outcome, plies in zip(
                (1, -1), (self._chains(turn)[0].wins, self._chains(turn)[1].losses), strict=True
            )
            if plies
        )

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """``uint8`` where every code fits, else ``uint16``."""
        return np.dtype(np.uint8 if self.max_code < self.byte_codes else np.uint16)

    def chunk(self, turn: Color, number: int) -> Codes:
        """The codes of one chunk: the last three axes of the table (or both of two)."""
        wins, loses = self._chains(turn)
        layout = self._layout
        shape = self.table.shape[-3:]
        inner = np.arange(len(layout.inner_squares), dtype=np.int64)
        if len(shape) == 2:
            # The solver keeps the mirror images of two animals, the table does not.
            inner = inner[self.graph.squares[-2] % FILES <= FILES // 2]
        rows = shape[0] if len(shape) == 3 else 1
        depth = self.max_code >> 1
        planes = max(depth.bit_length(), 1)
        eight = np.empty(8, np.uint64)
        out = np.zeros((rows, len(inner), shape[-1]), self.dtype)
        _expand(
            layout,
            number * rows,
            inner,
            np.asarray(self.graph.squares[-1]),
            wins.not_won,
            loses.lost,
            wins.win_planes[:planes],
            loses.loss_planes[:planes],
            _SPREAD,
            np.empty(len(layout.inner_squares), np.uint64),
            eight,
            eight.view(np.uint8),
            out,
        )
        return out.reshape(shape)

    def histogram(self, turn: Color) -> tuple[dict[int, int], dict[int, int]]:
        """The number of wins and of losses of ``turn`` to move, by distance in plies; mirror
        images count."""
        wins, loses = self._chains(turn)
        return _by_distance(wins.wins), _by_distance(loses.losses)

    def longest_win(self, turn: Color) -> tuple[int, tuple[int, ...]] | None:
        """The greatest distance at which ``turn`` to move wins, in plies, and the squares of a
        placement where it does, in the order of the axes."""
        wins, _ = self._chains(turn)
        if not wins.wins:
            return None
        last = wins.wins[-1]
        depth = last.number >> 1 if self.metric == "dtw" else last.number
        layout = self._layout
        legal = np.empty((1, len(layout.inner_squares)), np.uint64)
        _legal_row(layout, last.row, legal[0])
        at = legal[0] & ~wins.not_won[last.row]
        for bit, plane in enumerate(wins.win_planes[:, last.row]):
            at &= plane if depth >> bit & 1 else ~plane
        word = int(np.flatnonzero(at)[0])
        bits = int(at[word])
        outer = layout.row_squares[last.row, : len(layout.strides)].tolist()
        squares = (*outer, int(layout.inner_squares[word]), (bits & -bits).bit_length() - 1)
        return last.number, squares

    def zugzwangs(self) -> tuple[int, int]:
        """Full zugzwangs (whoever is to move loses) and half ones (whoever is to move, one result
        is a draw and the other a loss of the mover); mirror images count."""
        full, half = _zugzwangs(
            self._layout,
            self.white_loses.not_won,
            self.white_loses.lost,
            self.black_loses.not_won,
            self.black_loses.lost,
        )
        return full, half


def _by_distance(plies: tuple[Ply, ...]) -> dict[int, int]:
    return {ply.number: 2 * ply.mirrored + ply.unmirrored for ply in plies}


# Byte b becomes eight bytes, the i-th holding bit i of b.
_SPREAD = np.array(
    [sum((byte >> bit & 1) << (8 * bit) for bit in range(8)) for byte in range(256)], np.uint64
)


@kernel
def _legal_row(layout, row, out):  # type: ignore[no-untyped-def]
    """Set ``out``, one row of words, to the legal placements; return the outer animals' squares."""
    occupied = np.uint64(0)
    for axis in range(layout.strides.shape[0]):
        occupied |= np.uint64(1) << np.uint64(layout.row_squares[row, axis])
    for t in range(out.shape[0]):
        here = np.uint64(1) << layout.inner_squares[t]
        if layout.legal_rows[row] and not (occupied & here):
            out[t] = layout.bit_mask & ~(occupied | here)
        else:
            out[t] = 0
    return occupied


@kernel
def _expand(  # type: ignore[no-untyped-def]
    layout, first_row, inner, squares, not_won, lost_words, win_planes, loss_planes, spread, legal, eight, cells, out
):  # fmt: skip
    """Write the codes of ``out.shape[0]`` rows; a cell that is no placement repeats the one before."""
    rows, words, bits = out.shape
    planes = win_planes.shape[0]
    for r in range(rows):
        row = first_row + r
        occupied = _legal_row(layout, row, legal)
        for w in range(words):
            t = inner[w]
            if not legal[t]:
                # All of the word is don't-care: repeat the word before, which compresses best.
                if w > 0:
                    for s in range(bits):
                        out[r, w, s] = out[r, w - 1, s]
                elif r > 0:
                    for s in range(bits):
                        out[r, w, s] = out[r - 1, w, s]
                continue
            won = legal[t] & ~not_won[row, t]
            lost = lost_words[row, t]
            decided = won | lost
            if out.itemsize == 1:
                for i in range(8):
                    up = np.uint64(8 * i)
                    code = spread[(won >> up) & np.uint64(255)]
                    code += spread[(decided >> up) & np.uint64(255)]
                    for b in range(planes):
                        plane = win_planes[b, row, t] | loss_planes[b, row, t]
                        code += spread[(plane >> up) & np.uint64(255)] << np.uint64(b + 1)
                    eight[i] = code
                for s in range(bits):
                    out[r, w, s] = cells[squares[s]]
            else:
                for s in range(bits):
                    at = np.uint64(squares[s])
                    code = ((won >> at) & np.uint64(1)) + ((decided >> at) & np.uint64(1))
                    for b in range(planes):
                        plane = win_planes[b, row, t] | loss_planes[b, row, t]
                        code += ((plane >> at) & np.uint64(1)) << np.uint64(b + 1)
                    out[r, w, s] = code
            taken = (occupied | np.uint64(1) << layout.inner_squares[t]) & layout.bit_mask
            while taken:
                low = taken & (np.uint64(0) - taken)
                s = popcount(layout.bit_mask & (low - np.uint64(1)))
                out[r, w, s] = out[r, w, s - 1] if s > 0 else out[r, w, 1]
                taken ^= low


@kernel
def _zugzwangs(  # type: ignore[no-untyped-def]
    layout, black_not_won, white_lost, white_not_won, black_lost
):  # fmt: skip
    full = np.int64(0)
    half = np.int64(0)
    for row in range(white_lost.shape[0]):
        weight = np.int64(1)
        if layout.strides.shape[0] and layout.row_squares[row, 0] % 7 < 3:
            weight = np.int64(2)
        for t in range(white_lost.shape[1]):
            white_drawn = white_not_won[row, t] & ~white_lost[row, t]
            black_drawn = black_not_won[row, t] & ~black_lost[row, t]
            full += weight * popcount(white_lost[row, t] & black_lost[row, t])
            half += weight * popcount(
                (white_lost[row, t] & black_drawn) | (white_drawn & black_lost[row, t])
            )
    return full, half
