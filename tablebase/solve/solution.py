"""A solved class: codes to store, chunk by chunk, and what is to be counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tablebase.game.board import FILES, Color
from tablebase.jit import copy_eight, kernel, popcount
from tablebase.materials.table import Table
from tablebase.movegraph import MoveGraph
from tablebase.solve.chain import Chain, Ply
from tablebase.solve.layout import ALL_ONES, Layout, lay_out
from tablebase.values import BYTE_CODES, code_of

__all__ = ["Solution"]

Codes = npt.NDArray[np.unsignedinteger]


@dataclass(eq=False)
class Solution:
    """The exact values of every placement of a class, both sides to move.

    ``white_loses`` and ``black_loses`` are its two chains. ``byte_codes`` is how many codes fit
    one byte; tests shrink it to see tables of 16 bits.
    """

    table: Table
    graph: MoveGraph
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
            code_of(self.table.metric, outcome, plies[-1].number)
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
        out = np.zeros((rows, len(inner), shape[-1]), self.dtype)
        words = len(layout.inner_squares)
        args = (
            layout, number * rows, inner, loses.lost, wins.win_planes, loses.loss_planes,
        )  # fmt: skip
        if self.dtype == np.uint8:
            cells = np.empty((8, words), np.uint64)
            lines = np.empty(8 * words + 1, np.uint64)
            room = np.empty(len(inner) * shape[-1] + 8, np.uint8)
            _expand_bytes(*args, _runs(self.graph.squares[-1]), cells, lines, room, out)
        else:
            _expand(*args, self.graph.squares[-1], out)
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
        half = code_of(self.table.metric, 1, last.number) >> 1
        layout = self._layout
        at = np.full(len(layout.inner_squares), ALL_ONES)
        planes, written = wins.win_planes.words, wins.win_planes.written
        for bit, plane in enumerate(planes[:, last.row]):
            if half >> bit & 1:
                at &= plane
            elif written[bit, last.row]:
                at &= ~plane
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


def _runs(squares: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """``(copies, 2)``: square and number of the first of up to eight squares in a row."""
    copies: list[tuple[int, int]] = []
    for number, square in enumerate(squares.tolist()):
        start, first = copies[-1] if copies else (-9, 0)
        if square - start != number - first or square - start >= 8:
            copies.append((square, number))
    return np.array(copies, np.int64)


@kernel
def _swap_blocks(low, high, shift, mask):  # type: ignore[no-untyped-def]
    """Exchange the upper blocks of ``low`` with the lower ones of ``high``."""
    moved = ((low >> shift) ^ high) & mask
    return low ^ (moved << shift), high ^ moved


@kernel
def _swap_bits(word, shift, mask):  # type: ignore[no-untyped-def]
    """Exchange the bits in ``mask`` with those ``shift`` further up."""
    moved = ((word >> shift) ^ word) & mask
    return word ^ moved ^ (moved << shift)


@kernel
def _transpose(cells):  # type: ignore[no-untyped-def]
    """Turn eight bit planes, ``(8, words)``, into the bytes of 64 cells a word, eight a plane."""
    for t in range(cells.shape[1]):
        a, b, c, d = cells[0, t], cells[1, t], cells[2, t], cells[3, t]
        e, f, g, h = cells[4, t], cells[5, t], cells[6, t], cells[7, t]
        shift, mask = np.uint64(32), np.uint64(0x00000000FFFFFFFF)
        a, e = _swap_blocks(a, e, shift, mask)
        b, f = _swap_blocks(b, f, shift, mask)
        c, g = _swap_blocks(c, g, shift, mask)
        d, h = _swap_blocks(d, h, shift, mask)
        shift, mask = np.uint64(16), np.uint64(0x0000FFFF0000FFFF)
        a, c = _swap_blocks(a, c, shift, mask)
        b, d = _swap_blocks(b, d, shift, mask)
        e, g = _swap_blocks(e, g, shift, mask)
        f, h = _swap_blocks(f, h, shift, mask)
        shift, mask = np.uint64(8), np.uint64(0x00FF00FF00FF00FF)
        a, b = _swap_blocks(a, b, shift, mask)
        c, d = _swap_blocks(c, d, shift, mask)
        e, f = _swap_blocks(e, f, shift, mask)
        g, h = _swap_blocks(g, h, shift, mask)
        cells[0, t], cells[1, t] = _transpose_byte(a), _transpose_byte(b)
        cells[2, t], cells[3, t] = _transpose_byte(c), _transpose_byte(d)
        cells[4, t], cells[5, t] = _transpose_byte(e), _transpose_byte(f)
        cells[6, t], cells[7, t] = _transpose_byte(g), _transpose_byte(h)


@kernel
def _transpose_byte(word):  # type: ignore[no-untyped-def]
    """Exchange bit i of byte b with bit b of byte i."""
    word = _swap_bits(word, np.uint64(7), np.uint64(0x00AA00AA00AA00AA))
    word = _swap_bits(word, np.uint64(14), np.uint64(0x0000CCCC0000CCCC))
    return _swap_bits(word, np.uint64(28), np.uint64(0x00000000F0F0F0F0))


@kernel
def _repeat_illegal(layout, row, inner, out_row):  # type: ignore[no-untyped-def]
    """Let each cell of ``out_row``, ``(words, bits)``, that is no placement repeat the one before,
    which compresses best; a row without placements is left alone."""
    words, bits = out_row.shape
    occupied = np.uint64(0)
    for axis in range(layout.strides.shape[0]):
        occupied |= np.uint64(1) << np.uint64(layout.row_squares[row, axis])
    for w in range(words):
        here = np.uint64(1) << layout.inner_squares[inner[w]]
        if occupied & here:
            for s in range(bits):
                out_row[w, s] = out_row[max(w - 1, 0), s]
            continue
        taken = (occupied | here) & layout.bit_mask
        while taken:
            low = taken & (np.uint64(0) - taken)
            s = popcount(layout.bit_mask & (low - np.uint64(1)))
            out_row[w, s] = out_row[w, s - 1] if s > 0 else out_row[w, 1]
            taken ^= low


@kernel
def _repeat_row(out, r):  # type: ignore[no-untyped-def]
    """Let row ``r`` of ``out``, all of it no placement, repeat the one before, if there is one."""
    if r > 0:
        for w in range(out.shape[1]):
            for s in range(out.shape[2]):
                out[r, w, s] = out[r - 1, w, s]


@kernel
def _expand_bytes(  # type: ignore[no-untyped-def]
    layout, first_row, inner, lost, win_planes, loss_planes, runs, cells, lines, room, out
):  # fmt: skip
    """Write the codes of the rows of ``out``, ``(rows, words, bits)``.

    A code is a loss in its lowest bit and the planes in the others. ``cells``, ``(8, words)``,
    ``lines``, for as much and a word, and ``room``, for a row and eight bytes, are scratch.
    """
    rows, words, bits = out.shape
    flat = lines.view(np.uint8)
    for r in range(rows):
        row = first_row + r
        if not layout.legal_rows[row]:
            _repeat_row(out, r)
            continue
        for t in range(cells.shape[1]):
            cells[0, t] = lost[row, t]
        for b in range(1, 8):
            for t in range(cells.shape[1]):
                cells[b, t] = 0
            for planes in (win_planes, loss_planes):
                if b <= planes.words.shape[0] and planes.written[b - 1, row]:
                    for t in range(cells.shape[1]):
                        cells[b, t] |= planes.words[b - 1, row, t]
        _transpose(cells)
        for t in range(cells.shape[1]):
            for j in range(8):
                lines[8 * t + j] = cells[j, t]
        for w in range(words):
            t = inner[w]
            for i in range(runs.shape[0]):
                copy_eight(room, w * bits + runs[i, 1], flat, 64 * t + runs[i, 0])
        for w in range(words):
            for s in range(bits):
                out[r, w, s] = room[w * bits + s]
        _repeat_illegal(layout, row, inner, out[r])


@kernel
def _expand(  # type: ignore[no-untyped-def]
    layout, first_row, inner, lost, win_planes, loss_planes, squares, out
):  # fmt: skip
    """The same, cell by cell, for codes of any size."""
    rows, words, bits = out.shape
    one = np.uint64(1)
    for r in range(rows):
        row = first_row + r
        if not layout.legal_rows[row]:
            _repeat_row(out, r)
            continue
        for w in range(words):
            t = inner[w]
            for s in range(bits):
                at = np.uint64(squares[s])
                code = (lost[row, t] >> at) & one
                for planes in (win_planes, loss_planes):
                    for b in range(planes.words.shape[0]):
                        if planes.written[b, row]:
                            code |= ((planes.words[b, row, t] >> at) & one) << np.uint64(b + 1)
                out[r, w, s] = code
        _repeat_illegal(layout, row, inner, out[r])


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
