"""The sweeps: one ply of retrograde analysis for one side to move, 64 placements at a time.

A sweep gathers, for each row of placements, the OR over all moves of the mover's side of a set of
placements with the other side to move: within the class from ``source``, after captures from the
smaller tables. A win sweep looks for moves into newly lost placements, a loss sweep for the lack of
a move into one that is not yet won. A row is touched only if something new lies behind one of its
moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.jit import fetch, kernel, part, popcount
from tablebase.solve.layout import Layout, Words

__all__ = [
    "Aim",
    "Behind",
    "Found",
    "Placements",
    "Planes",
    "Room",
    "Smaller",
    "fill_legal",
    "sweep",
]

Flags = npt.NDArray[np.uint8]


class Smaller(NamedTuple):
    """Sets of placements of the smaller materials, one for each victim axis, in one array.

    The set of a victim has rows for the outer animals that are left and in each row a word for each
    square of the inner animal, with the bit animal as its bits. Without the inner animal there is
    one word a row; without the bit animal too, and the inner one is its bits.
    """

    words: Words
    held: npt.NDArray[np.int64]
    """One number a row: how many placements it has."""
    fresh: Flags
    """One flag a row: something changed in it at this ply."""
    live: npt.NDArray[np.bool_]
    """``(k,)``: something changed in the set of this victim at this ply."""
    sizes: npt.NDArray[np.int64]
    """``(k,)``: how many placements the set of this victim has."""
    first_word: npt.NDArray[np.int64]
    """``(k,)``: where the set of a victim begins in ``words``."""
    first_row: npt.NDArray[np.int64]
    """``(k,)``: where it begins in ``held`` and ``fresh``."""
    strides: npt.NDArray[np.int64]
    """``(k, outer)``: by how much its row grows with the number of the square of an outer animal;
    0 for the victim itself."""


class Planes(NamedTuple):
    """A number for each placement, bit by bit."""

    words: Words
    """``(bits, rows, inner)``: bit by bit, in the rows that were written; others hold anything."""
    written: Flags
    """``(bits, rows)``: whether the row of the plane was written; if not, its bits are 0."""


class Aim(NamedTuple):
    """What a sweep looks for."""

    lost: bool
    """What has no move into the set behind; else what has one."""
    depth: int
    """Half the code of what is found."""
    everywhere: bool = False
    """Every row is visited, not only those behind whose moves something is new."""
    dens: bool = False
    """To enter the den counts as a move into the set behind."""


class Behind(NamedTuple):
    """The other side's set, into which moves lead."""

    words: Words
    """``(rows + 1, inner)``; the last row is empty."""
    usable: Flags
    """``(rows + 1,)``: which rows to look at; those of others may hold anything."""
    fresh: Flags
    """``(rows + 1,)``: in which rows something is new."""


class Placements(NamedTuple):
    """A set of the mover's."""

    words: Words
    """``(rows + 1, inner)``; without rows, nothing is written to it."""
    rows: Flags
    """``(rows + 1,)``: which rows hold any."""


class Room(NamedTuple):
    """Scratch."""

    found: Words
    """``(inner,)``."""
    around: Words
    """``(3 * inner,)``, with zeros in its outer parts."""


class Found(NamedTuple):
    """What a sweep found."""

    mirrored: int
    """New placements, of those whose mirror image is not stored."""
    unmirrored: int
    """New placements, of the others."""
    row: int
    """The first row with a new placement, or -1."""


@kernel
def fill_legal(layout: Layout, words: Words) -> None:
    """Set ``words``, shape ``(rows + 1, inner)``, to all legal placements, and an empty row."""
    outer = layout.strides.shape[0]
    words[-1] = 0
    for row in range(layout.row_squares.shape[0]):
        occupied = np.uint64(0)
        for axis in range(outer):
            occupied |= np.uint64(1) << np.uint64(layout.row_squares[row, axis])
        for t in range(words.shape[1]):
            here = np.uint64(1) << layout.inner_squares[t]
            if layout.legal_rows[row] and not (occupied & here):
                words[row, t] = layout.bit_mask & ~(occupied | here)
            else:
                words[row, t] = 0


@kernel
def _mirror_word(word):  # type: ignore[no-untyped-def]
    """The bits of ``word`` with left and right exchanged on every rank."""
    first = np.uint64(0x0102040810204081 & 0x7FFFFFFFFFFFFFFF)
    second = first << np.uint64(1)
    third = first << np.uint64(2)
    return (
        (word & (first << np.uint64(3)))
        | ((word & first) << np.uint64(6))
        | ((word >> np.uint64(6)) & first)
        | ((word & second) << np.uint64(4))
        | ((word >> np.uint64(4)) & second)
        | ((word & third) << np.uint64(2))
        | ((word >> np.uint64(2)) & third)
    )


@part
def _is_active(movers, row, fresh):  # type: ignore[no-untyped-def]
    """Whether something new lies behind a move from ``row`` that captures nothing."""
    if fresh[row] or fresh[movers.mirrored[row]]:
        return True
    active = False
    for i in range(movers.sources.shape[1]):
        active |= fresh[movers.sources[row, i]] != 0
    return active


@part
def _home_row(layout, smaller, row, victim):  # type: ignore[no-untyped-def]
    """The row of the smaller set of ``victim`` with the outer animals where they stand in ``row``.

    Captures by the inner and by the bit animal lead there.
    """
    home = np.int64(0)
    for axis in range(layout.strides.shape[0]):
        square = layout.row_squares[row, axis]
        home += layout.full_index[axis, square] * smaller.strides[victim, axis]
    return home


@part
def _captures_fresh(layout, movers, smaller, row):  # type: ignore[no-untyped-def]
    """Whether something new lies behind a capture from ``row``."""
    outer = layout.strides.shape[0]
    for victim in movers.victims:
        if not smaller.live[victim]:
            continue
        home = smaller.first_row[victim] + _home_row(layout, smaller, row, victim)
        if smaller.fresh[home]:
            return True
        for axis in movers.outer:
            origin = layout.row_squares[row, axis]
            taken = movers.captures[axis, victim, origin]
            if not taken:
                continue
            for d in range(4):
                if taken >> d & 1:
                    target = movers.targets[axis, origin, d]
                    if victim < outer and layout.row_squares[row, victim] != target:
                        continue
                    step = layout.full_index[axis, target] - layout.full_index[axis, origin]
                    if smaller.fresh[home + step * smaller.strides[victim, axis]]:
                        return True
    return False


@part
def _gather_outer(layout, movers, row, source, usable, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind the outer animals' moves that capture nothing."""
    words = found.shape[0]
    empty = np.uint32(movers.sources.shape[0])
    for i in range(movers.outer.shape[0]):
        axis = movers.outer[i]
        first, second = movers.sources[row, 4 * i], movers.sources[row, 4 * i + 1]
        third, fourth = movers.sources[row, 4 * i + 2], movers.sources[row, 4 * i + 3]
        first = first if usable[first] else empty
        second = second if usable[second] else empty
        third = third if usable[third] else empty
        fourth = fourth if usable[fourth] else empty
        if first == empty and second == empty and third == empty and fourth == empty:
            continue
        masks = movers.clear[axis, layout.row_squares[row, axis]]
        one, two, three, four = masks[0], masks[1], masks[2], masks[3]
        for t in range(words):
            found[t] |= (
                (source[first, t] & one)
                | (source[second, t] & two)
                | (source[third, t] & three)
                | (source[fourth, t] & four)
            )
    across = movers.mirrored[row]
    if across != empty and usable[across]:
        mask = movers.clear[0, layout.row_squares[row, 0], movers.mirrored_edge[row]]
        for t in range(words):
            found[t] |= _mirror_word(source[across, layout.inner_mirror[t]]) & mask


@part
def _gather_inner(movers, row, source, behind, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind the inner animal's moves that capture nothing.

    ``behind`` is room for a row with as much again on either side, which no mask lets through.
    """
    words = found.shape[0]
    offsets, masks = movers.inner_offsets, movers.inner_masks[movers.inner_case[row]]
    for t in range(words):
        behind[words + t] = source[row, t]
    for i in range(0, offsets.shape[0], 4):
        first, second = words + offsets[i], words + offsets[i + 1]
        third, fourth = words + offsets[i + 2], words + offsets[i + 3]
        for t in range(words):
            found[t] |= (
                (fetch(behind, first + t) & masks[i, t])
                | (fetch(behind, second + t) & masks[i + 1, t])
                | (fetch(behind, third + t) & masks[i + 2, t])
                | (fetch(behind, fourth + t) & masks[i + 3, t])
            )


@part
def _gather_bit(movers, row, source, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind the bit animal's moves that capture nothing."""
    words = found.shape[0]
    up_file, down_file = movers.step_origins[0], movers.step_origins[1]
    up_rank, down_rank = movers.step_origins[2], movers.step_origins[3]
    one, seven = np.uint64(1), np.uint64(7)
    for t in range(words):
        word = source[row, t]
        found[t] |= (
            ((word >> one) & up_file)
            | ((word << one) & down_file)
            | ((word >> seven) & up_rank)
            | ((word << seven) & down_rank)
        )
    for i in range(movers.jump_shifts.shape[0]):
        shift = movers.jump_shifts[i]
        origins = movers.jump_origins[i]
        if shift > 0:
            up = np.uint64(shift)
            for t in range(words):
                found[t] |= (source[row, t] >> up) & origins
        else:
            down = np.uint64(-shift)
            for t in range(words):
                found[t] |= (source[row, t] << down) & origins


@part
def _captures_by_outer(  # type: ignore[no-untyped-def]
    layout, movers, smaller, row, victim, home, blocked, found
):  # fmt: skip
    """OR into ``found`` what lies behind captures of ``victim`` by outer animals."""
    outer = layout.strides.shape[0]
    words = found.shape[0]
    one = np.uint64(1)
    first = smaller.first_word[victim]
    for axis in movers.outer:
        origin = layout.row_squares[row, axis]
        taken = movers.captures[axis, victim, origin]
        if not taken:
            continue
        for d in range(4):
            if not taken >> d & 1 or movers.water[axis, origin, d] & blocked:
                continue
            target = movers.targets[axis, origin, d]
            if victim < outer and layout.row_squares[row, victim] != target:
                continue
            step = layout.full_index[axis, target] - layout.full_index[axis, origin]
            there = home + step * smaller.strides[victim, axis]
            if not smaller.held[smaller.first_row[victim] + there]:
                continue
            mask = movers.clear[axis, origin, d]
            if victim < outer:
                there = first + there * words
                for t in range(words):
                    found[t] |= fetch(smaller.words, there + t) & mask
            elif victim == outer:
                found[layout.full_index[outer, target]] |= smaller.words[first + there] & mask
            else:
                word = smaller.words[first + there]
                if word:
                    up = np.uint64(target)
                    for t in range(words):
                        found[t] |= ((word >> layout.inner_squares[t]) & one) << up


@part
def _captures_by_inner(layout, movers, smaller, row, victim, here, blocked, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind captures of ``victim`` by the inner animal; ``here`` is
    the first word of the home row."""
    outer = layout.strides.shape[0]
    inner = outer
    words = found.shape[0]
    if victim < outer:
        target = layout.row_squares[row, victim]
        word = smaller.words[here + layout.full_index[inner, target]]
        for i in range(4):
            t = movers.inner_into[victim, target, i, 0]
            if t < 0:
                break
            origin = np.int64(layout.inner_squares[t])
            d = movers.inner_into[victim, target, i, 1]
            if not movers.water[inner, origin, d] & blocked:
                found[t] |= word & movers.clear[inner, origin, d]
        return
    word = smaller.words[here]
    if word:
        targets = movers.inner_captures[movers.inner_case[row]]
        for t in range(words):
            found[t] |= word & targets[t]


@part
def _captures_by_bit(layout, movers, smaller, row, victim, here, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind captures of ``victim`` by the bit animal; ``here`` is the
    first word of the home row."""
    words = found.shape[0]
    one, none = np.uint64(1), np.uint64(0)
    if victim < layout.strides.shape[0]:
        target = layout.row_squares[row, victim]
        origins = movers.bit_into[victim, target]
        if origins:
            at = np.uint64(target)
            for t in range(words):
                found[t] |= origins & (none - ((fetch(smaller.words, here + t) >> at) & one))
        return
    word = smaller.words[here]
    if word:
        for t in range(words):
            taken = (word >> layout.inner_squares[t]) & one
            found[t] |= movers.bit_into_inner[t] & (none - taken)


@part
def _gather_captures(layout, movers, smaller, row, blocked, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what the smaller sets hold behind captures."""
    for victim in movers.victims:
        if not smaller.sizes[victim]:
            continue
        home = _home_row(layout, smaller, row, victim)
        _captures_by_outer(layout, movers, smaller, row, victim, home, blocked, found)
        if not smaller.held[smaller.first_row[victim] + home]:
            continue
        width = found.shape[0] if victim < layout.strides.shape[0] else 1
        here = smaller.first_word[victim] + home * width
        if movers.inner_offsets.shape[0]:
            _captures_by_inner(layout, movers, smaller, row, victim, here, blocked, found)
        if movers.moves_bit:
            _captures_by_bit(layout, movers, smaller, row, victim, here, found)


@part
def _den_entries(layout, movers, row, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` the placements in which an animal of the mover's can enter the den."""
    outer = layout.strides.shape[0]
    one = np.uint64(1)
    everything = movers.den_entry[outer + 1]
    for axis in range(outer):
        if movers.den_entry[axis] >> np.uint64(layout.row_squares[row, axis]) & one:
            everything = layout.bit_mask
    for t in range(found.shape[0]):
        found[t] |= everything
        if movers.den_entry[outer] >> layout.inner_squares[t] & one:
            found[t] |= layout.bit_mask


@part
def _blocked(layout, movers, row):  # type: ignore[no-untyped-def]
    """The water squares of outer animals that stop jumps of the mover's side."""
    blocked = np.uint64(0)
    for axis in movers.blockers:
        blocked |= np.uint64(1) << np.uint64(layout.row_squares[row, axis])
    return blocked & movers.jumped


@kernel
def sweep(  # type: ignore[no-untyped-def]
    layout, movers, smaller, aim, behind, remaining, new, planes, room
):  # fmt: skip
    """One ply for one side to move; :mod:`~tablebase.solve.chain` has the schedules.

    What is found, as ``aim`` says, leaves the set ``remaining``, of which it has to be, is written
    to ``new``, and gets the bits of the aim's depth in the :class:`Planes`. ``behind`` is the other
    side's set, into which moves lead. Returns the fields of :class:`Found`.
    """
    source, usable, fresh = behind
    open_words, open_rows = remaining
    new_words, new_rows = new
    found, around = room
    any_live = False
    for victim in movers.victims:
        any_live |= smaller.live[victim]
    rows, words = movers.sources.shape[0], open_words.shape[1]
    flip = ~np.uint64(0) if aim.lost else np.uint64(0)
    mirrored = np.int64(0)
    unmirrored = np.int64(0)
    first = np.int64(-1)
    for row in range(rows):
        new_rows[row] = 0
        if not open_rows[row]:
            continue
        if not (
            aim.everywhere
            or _is_active(movers, row, fresh)
            or (any_live and _captures_fresh(layout, movers, smaller, row))
        ):
            continue
        blocked = _blocked(layout, movers, row)
        for t in range(words):
            found[t] = 0
        _gather_outer(layout, movers, row, source, usable, found)
        if usable[row]:
            if movers.inner_offsets.shape[0]:
                _gather_inner(movers, row, source, around, found)
            if movers.moves_bit:
                _gather_bit(movers, row, source, found)
        if aim.lost:
            candidates = np.uint64(0)
            for t in range(words):
                candidates |= open_words[row, t] & ~found[t]
            if not candidates:
                continue
        _gather_captures(layout, movers, smaller, row, blocked, found)
        if aim.dens:
            _den_entries(layout, movers, row, found)
        anything = np.uint64(0)
        for t in range(words):
            found[t] = open_words[row, t] & (found[t] ^ flip)
            anything |= found[t]
        if not anything:
            continue
        new_rows[row] = 1
        if first < 0:
            first = np.int64(row)
        count = np.int64(0)
        left = np.uint64(0)
        for t in range(words):
            count += popcount(found[t])
            open_words[row, t] ^= found[t]
            left |= open_words[row, t]
        open_rows[row] = left != 0
        if new_words.shape[0]:
            for t in range(words):
                new_words[row, t] = found[t]
        if layout.strides.shape[0] and layout.row_squares[row, 0] % 7 < 3:
            mirrored += count
        else:
            unmirrored += count
        for b in range(planes.words.shape[0]):
            if not aim.depth >> b & 1:
                continue
            if planes.written[b, row]:
                for t in range(words):
                    planes.words[b, row, t] |= found[t]
            else:
                planes.written[b, row] = 1
                for t in range(words):
                    planes.words[b, row, t] = found[t]
    return mirrored, unmirrored, first
