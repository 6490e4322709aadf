"""The sweeps: one ply of retrograde analysis for one side to move, 64 placements at a time.

A sweep gathers, for each row of placements, the OR over all moves of the mover's side of a set of
placements with the other side to move: within the class from ``source``, after captures from the
smaller tables. A win sweep looks for moves into newly lost placements, a loss sweep for the lack of
a move into one that is not yet won. A row is touched only if something new lies behind one of its
moves.

The functions take the arrays they use one by one: handing whole tuples of arrays down costs more
than a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tablebase.solve.jit import fetch, kernel, popcount
from tablebase.solve.layout import Layout, Words

__all__ = ["Found", "Smaller", "fill_legal", "keep_unsafe", "sweep"]

Flags = npt.NDArray[np.uint8]


class Smaller(NamedTuple):
    """Sets of placements of the smaller materials, one for each victim axis, in one array.

    The set of a victim has rows for the outer animals that are left and in each row a word for each
    square of the inner animal, with the bit animal as its bits. Without the inner animal there is
    one word a row; without the bit animal too, and the inner one is its bits.
    """

    words: Words
    fresh: Flags
    """One flag a row: something changed in it at this ply."""
    live: npt.NDArray[np.bool_]
    """``(k,)``: something changed in the set of this victim at this ply."""
    first_word: npt.NDArray[np.int64]
    """``(k,)``: where the set of a victim begins in ``words``."""
    first_row: npt.NDArray[np.int64]
    """``(k,)``: where it begins in ``fresh``."""
    strides: npt.NDArray[np.int64]
    """``(k, outer)``: by how much its row grows with the number of the square of an outer animal;
    0 for the victim itself."""


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


@kernel
def _is_active(row, sources, mirrored, fresh):  # type: ignore[no-untyped-def]
    """Whether something new lies behind a move from ``row`` that captures nothing."""
    if fresh[row] or fresh[mirrored[row]]:
        return True
    for i in range(sources.shape[1]):
        if fresh[sources[row, i]]:
            return True
    return False


@kernel
def _captures_fresh(  # type: ignore[no-untyped-def]
    row, row_squares, full_index, outer_movers, victims, targets, captures,
    live, fresh, first_row, strides,
):  # fmt: skip
    """Whether something new lies behind a capture from ``row``."""
    outer = strides.shape[1]
    for victim in victims:
        if not live[victim]:
            continue
        home = first_row[victim]
        for axis in range(outer):
            home += full_index[axis, row_squares[row, axis]] * strides[victim, axis]
        # Captures by the inner and by the bit animal leave the row of the smaller set alone.
        if fresh[home]:
            return True
        for axis in outer_movers:
            origin = row_squares[row, axis]
            taken = captures[axis, victim, origin]
            if not taken:
                continue
            for d in range(4):
                if taken >> d & 1:
                    target = targets[axis, origin, d]
                    if victim < outer and row_squares[row, victim] != target:
                        continue
                    step = full_index[axis, target] - full_index[axis, origin]
                    if fresh[home + step * strides[victim, axis]]:
                        return True
    return False


@kernel
def _gather_outer(  # type: ignore[no-untyped-def]
    row, row_squares, outer_movers, sources, clear, source, usable, found
):  # fmt: skip
    """OR into ``found`` what lies behind the outer animals' moves on their half of the board."""
    words = found.shape[0]
    empty = np.uint32(sources.shape[0])
    for i in range(outer_movers.shape[0]):
        first, second = sources[row, 4 * i], sources[row, 4 * i + 1]
        third, fourth = sources[row, 4 * i + 2], sources[row, 4 * i + 3]
        first = first if usable[first] else empty
        second = second if usable[second] else empty
        third = third if usable[third] else empty
        fourth = fourth if usable[fourth] else empty
        if first == empty and second == empty and third == empty and fourth == empty:
            continue
        masks = clear[outer_movers[i], row_squares[row, outer_movers[i]]]
        one, two, three, four = masks[0], masks[1], masks[2], masks[3]
        for t in range(words):
            found[t] |= (
                (source[first, t] & one)
                | (source[second, t] & two)
                | (source[third, t] & three)
                | (source[fourth, t] & four)
            )


@kernel
def _gather_mirrored(there, mask, inner_mirror, source, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind the first outer animal's move across the middle."""
    for t in range(found.shape[0]):
        found[t] |= _mirror_word(source[there, inner_mirror[t]]) & mask


@kernel
def _gather_inner(row, offsets, masks, water, blocked, source, behind, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind the inner animal's moves that capture nothing.

    ``behind`` is room for a row with as much again on either side, which no mask lets through.
    """
    words = found.shape[0]
    for t in range(words):
        behind[words + t] = source[row, t]
    if blocked:
        for i in range(offsets.shape[0]):
            for t in range(words):
                if not water[i, t] & blocked:
                    found[t] |= fetch(behind, words + offsets[i] + t) & masks[i, t]
        return
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


@kernel
def _gather_bit(row, step_origins, jump_shifts, jump_origins, source, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` what lies behind the bit animal's moves that capture nothing."""
    words = found.shape[0]
    up_file, down_file = step_origins[0], step_origins[1]
    up_rank, down_rank = step_origins[2], step_origins[3]
    one, seven = np.uint64(1), np.uint64(7)
    for t in range(words):
        word = source[row, t]
        found[t] |= (
            ((word >> one) & up_file)
            | ((word << one) & down_file)
            | ((word >> seven) & up_rank)
            | ((word << seven) & down_rank)
        )
    for i in range(jump_shifts.shape[0]):
        shift = jump_shifts[i]
        origins = jump_origins[i]
        if shift > 0:
            up = np.uint64(shift)
            for t in range(words):
                found[t] |= (source[row, t] >> up) & origins
        else:
            down = np.uint64(-shift)
            for t in range(words):
                found[t] |= (source[row, t] << down) & origins


@kernel
def _captures_by_outer(  # type: ignore[no-untyped-def]
    row, victim, home, first, row_squares, inner_squares, full_index, outer_movers,
    targets, water, clear, captures, blocked, sets, strides, found,
):  # fmt: skip
    """OR into ``found`` what lies behind captures by outer animals."""
    outer = strides.shape[1]
    words = found.shape[0]
    one = np.uint64(1)
    for axis in outer_movers:
        origin = row_squares[row, axis]
        taken = captures[axis, victim, origin]
        if not taken:
            continue
        for d in range(4):
            if not taken >> d & 1 or water[axis, origin, d] & blocked:
                continue
            target = targets[axis, origin, d]
            if victim < outer and row_squares[row, victim] != target:
                continue
            step = full_index[axis, target] - full_index[axis, origin]
            there = home + step * strides[victim, axis]
            mask = clear[axis, origin, d]
            if victim < outer:
                there = first + there * words
                for t in range(words):
                    found[t] |= fetch(sets, there + t) & mask
            elif victim == outer:
                found[full_index[outer, target]] |= sets[first + there] & mask
            else:
                word = sets[first + there]
                if word:
                    up = np.uint64(target)
                    for t in range(words):
                        found[t] |= ((word >> inner_squares[t]) & one) << up


@kernel
def _captures_by_inner(  # type: ignore[no-untyped-def]
    row, victim, here, row_squares, inner_squares, full_index, targets, water, clear,
    captures, inner_into, inner_captures, blocked, inner_jumped, sets, outer, found,
):  # fmt: skip
    """OR into ``found`` what lies behind captures by the inner animal."""
    words = found.shape[0]
    inner, bit = outer, outer + 1
    if victim < outer:
        target = row_squares[row, victim]
        word = sets[here + full_index[inner, target]]
        for i in range(4):
            t = inner_into[victim, target, i, 0]
            if t < 0:
                break
            origin = np.int64(inner_squares[t])
            d = inner_into[victim, target, i, 1]
            if not water[inner, origin, d] & blocked:
                found[t] |= word & clear[inner, origin, d]
    elif blocked & inner_jumped:
        word = sets[here]
        for t in range(words):
            origin = np.int64(inner_squares[t])
            taken = captures[inner, bit, origin]
            for d in range(4):
                if taken >> d & 1 and not water[inner, origin, d] & blocked:
                    found[t] |= word & (np.uint64(1) << np.uint64(targets[inner, origin, d]))
    else:
        word = sets[here]
        for t in range(words):
            found[t] |= word & inner_captures[t]


@kernel
def _captures_by_bit(  # type: ignore[no-untyped-def]
    row, victim, here, row_squares, inner_squares, bit_into, bit_into_inner, sets, outer, found
):  # fmt: skip
    """OR into ``found`` what lies behind captures by the bit animal."""
    words = found.shape[0]
    one = np.uint64(1)
    if victim < outer:
        target = row_squares[row, victim]
        origins = bit_into[victim, target]
        if origins:
            at = np.uint64(target)
            for t in range(words):
                found[t] |= origins & (np.uint64(0) - ((fetch(sets, here + t) >> at) & one))
    else:
        word = sets[here]
        if word:
            for t in range(words):
                found[t] |= bit_into_inner[t] & (
                    np.uint64(0) - ((word >> inner_squares[t]) & one)
                )


@kernel
def _gather_captures(  # type: ignore[no-untyped-def]
    row, only_live, blocked, inner_jumped, row_squares, inner_squares, full_index, outer_movers, victims,
    targets, water, clear, captures, moves_inner, inner_into, inner_captures, moves_bit, bit_into, bit_into_inner,
    sets, live, first_word, strides, found,
):  # fmt: skip
    """OR into ``found`` what the smaller sets hold behind captures."""
    outer = strides.shape[1]
    words = found.shape[0]
    for victim in victims:
        if only_live and not live[victim]:
            continue
        home = np.int64(0)
        for axis in range(outer):
            home += full_index[axis, row_squares[row, axis]] * strides[victim, axis]
        first = first_word[victim]
        here = first + home * (words if victim < outer else 1)
        _captures_by_outer(
            row, victim, home, first, row_squares, inner_squares, full_index,
            outer_movers, targets, water, clear, captures, blocked, sets, strides, found,
        )  # fmt: skip
        if moves_inner:
            _captures_by_inner(
                row, victim, here, row_squares, inner_squares, full_index, targets,
                water, clear, captures, inner_into, inner_captures, blocked, inner_jumped, sets,
                outer, found,
            )  # fmt: skip
        if moves_bit:
            _captures_by_bit(
                row, victim, here, row_squares, inner_squares, bit_into, bit_into_inner, sets,
                outer, found,
            )  # fmt: skip


@kernel
def _den_entries(row, row_squares, inner_squares, bit_mask, den_entry, outer, found):  # type: ignore[no-untyped-def]
    """OR into ``found`` the placements in which an animal of the mover's can enter the den."""
    one = np.uint64(1)
    everything = den_entry[outer + 1]
    for axis in range(outer):
        if den_entry[axis] >> np.uint64(row_squares[row, axis]) & one:
            everything = bit_mask
    for t in range(found.shape[0]):
        found[t] |= everything
        if den_entry[outer] >> inner_squares[t] & one:
            found[t] |= bit_mask


@kernel
def keep_unsafe(layout, movers, smaller, may_lose, open_rows, found):  # type: ignore[no-untyped-def]
    """Take out of ``may_lose``, the mover's placements, those that a den entry or a capture saves
    for good: a capture into one of the ``smaller`` sets, which hold what is never won.

    Others are lost at last if their other moves are, so a loss sweep meets them again and again.
    """
    outer = layout.strides.shape[0]
    rows, words = layout.row_squares.shape[0], may_lose.shape[1]
    moves_inner = movers.inner_offsets.shape[0] > 0
    for row in range(rows):
        if not open_rows[row]:
            continue
        blocked = np.uint64(0)
        for axis in movers.blockers:
            blocked |= np.uint64(1) << np.uint64(layout.row_squares[row, axis])
        blocked &= movers.jumped
        for t in range(words):
            found[t] = 0
        _den_entries(
            row, layout.row_squares, layout.inner_squares, layout.bit_mask, movers.den_entry,
            outer, found,
        )  # fmt: skip
        _gather_captures(
            row, False, blocked, movers.inner_jumped, layout.row_squares, layout.inner_squares,
            layout.full_index, movers.outer, movers.victims, movers.targets, movers.water,
            movers.clear, movers.captures, moves_inner, movers.inner_into, movers.inner_captures,
            movers.moves_bit, movers.bit_into, movers.bit_into_inner, smaller.words, smaller.live, smaller.first_word,
            smaller.strides, found,
        )  # fmt: skip
        left = np.uint64(0)
        for t in range(words):
            may_lose[row, t] &= ~found[t]
            left |= may_lose[row, t]
        open_rows[row] = left != 0


@kernel
def sweep(  # type: ignore[no-untyped-def]
    layout, movers, smaller, lost, everywhere, dens,
    source, usable, fresh, remaining, open_rows, total, new, new_rows, planes, depth, found, behind,
):  # fmt: skip
    """One ply for one side to move; see :func:`~tablebase.solve.chain.solve_chain` for its use.

    ``lost`` says which sweep it is. ``source``, with an empty row at its end, is the other side's
    set, used in its ``usable`` rows; ``fresh`` flags the rows in which something is new.
    ``remaining`` is the mover's set of those that may be found, ``open_rows`` flags its rows that
    are not empty. What is found leaves it, is added to ``total``, is written to ``new`` in the rows
    flagged in ``new_rows``, and gets the bits of ``depth`` in ``planes``, shape ``(bits, rows,
    inner)``; ``total`` and ``new`` without rows are not written. ``everywhere`` visits every row;
    ``dens`` counts den entries as wins. ``found`` and ``behind`` are room for one and for three
    rows; the latter is never more than written over in its middle. Returns the fields of :class:`Found`.
    """
    row_squares, full_index = layout.row_squares, layout.full_index
    inner_squares, inner_mirror = layout.inner_squares, layout.inner_mirror
    bit_mask = layout.bit_mask
    outer = layout.strides.shape[0]
    outer_movers, sources, victims = movers.outer, movers.sources, movers.victims
    mirrored_sources, mirrored_edge = movers.mirrored, movers.mirrored_edge
    targets, water, clear, captures = movers.targets, movers.water, movers.clear, movers.captures
    blockers, den_entry = movers.blockers, movers.den_entry
    jumped, inner_jumped = movers.jumped, movers.inner_jumped
    inner_offsets, inner_masks = movers.inner_offsets, movers.inner_masks
    inner_water, inner_into = movers.inner_water, movers.inner_into
    inner_captures = movers.inner_captures
    moves_bit, step_origins = movers.moves_bit, movers.step_origins
    jump_shifts, jump_origins = movers.jump_shifts, movers.jump_origins
    bit_into, bit_into_inner = movers.bit_into, movers.bit_into_inner
    sets, sets_fresh, live = smaller.words, smaller.fresh, smaller.live
    first_word, first_row, strides = smaller.first_word, smaller.first_row, smaller.strides
    any_live = False
    for victim in victims:
        any_live |= live[victim]

    rows, words = sources.shape[0], remaining.shape[1]
    empty = np.uint32(rows)
    moves_inner = inner_offsets.shape[0] > 0
    flip = ~np.uint64(0) if lost else np.uint64(0)
    mirrored = np.int64(0)
    unmirrored = np.int64(0)
    first = np.int64(-1)
    for row in range(rows):
        new_rows[row] = 0
        if not open_rows[row]:
            continue
        if (
            not everywhere
            and not _is_active(row, sources, mirrored_sources, fresh)
            and not (
                any_live
                and _captures_fresh(
                    row, row_squares, full_index, outer_movers, victims, targets, captures,
                    live, sets_fresh, first_row, strides,
                )
            )
        ):  # fmt: skip
            continue
        blocked = np.uint64(0)
        for axis in blockers:
            blocked |= np.uint64(1) << np.uint64(row_squares[row, axis])
        blocked &= jumped
        for t in range(words):
            found[t] = 0
        _gather_outer(row, row_squares, outer_movers, sources, clear, source, usable, found)
        across = mirrored_sources[row]
        if across != empty and usable[across]:
            mask = clear[0, row_squares[row, 0], mirrored_edge[row]]
            _gather_mirrored(across, mask, inner_mirror, source, found)
        if usable[row]:
            if moves_inner:
                _gather_inner(
                    row, inner_offsets, inner_masks, inner_water, blocked & inner_jumped, source,
                    behind, found,
                )  # fmt: skip
            if moves_bit:
                _gather_bit(row, step_origins, jump_shifts, jump_origins, source, found)
        if lost or any_live:
            candidates = np.uint64(0)
            for t in range(words):
                candidates |= remaining[row, t] & ~found[t]
            if lost and not candidates:
                continue
            _gather_captures(
                row, not lost, blocked, inner_jumped, row_squares, inner_squares, full_index,
                outer_movers, victims, targets, water, clear, captures, moves_inner, inner_into,
                inner_captures, moves_bit, bit_into, bit_into_inner, sets, live, first_word, strides, found,
            )  # fmt: skip
        if dens:
            _den_entries(row, row_squares, inner_squares, bit_mask, den_entry, outer, found)
        anything = np.uint64(0)
        for t in range(words):
            found[t] = remaining[row, t] & (found[t] ^ flip)
            anything |= found[t]
        if not anything:
            continue
        new_rows[row] = 1
        if first < 0:
            first = row
        count = np.int64(0)
        left = np.uint64(0)
        for t in range(words):
            count += popcount(found[t])
            remaining[row, t] ^= found[t]
            left |= remaining[row, t]
        open_rows[row] = left != 0
        if new.shape[0]:
            for t in range(words):
                new[row, t] = found[t]
        if total.shape[0]:
            for t in range(words):
                total[row, t] |= found[t]
        if outer and row_squares[row, 0] % 7 < 3:
            mirrored += count
        else:
            unmirrored += count
        for b in range(planes.shape[0]):
            if depth >> b & 1:
                for t in range(words):
                    planes[b, row, t] |= found[t]
    return mirrored, unmirrored, first
