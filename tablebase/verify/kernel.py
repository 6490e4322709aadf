"""The checking kernel: the value of each placement from those of its successors.

It goes through rows of a table, which are the placements that differ in the last axis only, and
looks for each row at every move of every animal. The tables that moves lead to have been turned
into grades before (see :mod:`tablebase.verify.law`), so all that is left is to find the highest.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["check_rows", "translate"]

_kernel = numba.njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)


@_kernel
def translate(codes, grades, out):  # type: ignore[no-untyped-def]
    """Set ``out`` to the grade of each of ``codes``, both flat."""
    for cell in range(codes.shape[0]):
        out[cell] = grades[codes[cell]]


@_kernel
def _bit(square):  # type: ignore[no-untyped-def]
    return np.uint64(1) << np.uint64(square)


@_kernel
def _is_stopped(water, stopping):  # type: ignore[no-untyped-def]
    """Whether one of the ``stopping`` animals stands on one of the squares jumped over."""
    for square in water:
        if square >= 0 and stopping & _bit(square):
            return True
    return False


@_kernel
def _smaller_cell(smaller_starts, offsets, pivots, at, victim, last, skip_last):  # type: ignore[no-untyped-def]
    """The cells, as it stands and mirrored, of what is left of the placement ``at`` without
    ``victim``, and which of them is stored: 0, 1, or -1 if the skipped last axis decides."""
    plain = smaller_starts[victim]
    image = smaller_starts[victim]
    for axis in range(at.shape[0]):
        if axis == victim or (skip_last and axis == last):
            continue
        plain += offsets[victim, 0, axis, at[axis]]
        image += offsets[victim, 1, axis, at[axis]]
    pivot = pivots[victim]
    if skip_last and pivot == last:
        return plain, image, -1
    return plain, image, 1 if at[pivot] % 7 > 3 else 0


@_kernel
def _grade_leading(  # type: ignore[no-untyped-def]
    edges, starts, offsets, pivots, ending, other, small, axis, at, best, kept
):  # fmt: skip
    """Raise ``best``, a grade for each place of the last animal, by the moves of ``axis``.

    ``kept`` is scratch space, a grade for each place.
    """
    last = edges.colors.shape[0] - 1
    width = best.shape[0]
    origin = at[axis]
    stopping = np.uint64(0)
    for rival in range(last):
        if rival != axis and edges.stops[rival, axis]:
            stopping |= _bit(at[rival])
    for way in range(4):
        target = edges.targets[axis, origin, way]
        if target < 0:
            break
        if _is_stopped(edges.water[axis, origin, way], stopping):
            continue
        # Where the last animal stands in the way, the move is another one or none.
        for square in edges.water[axis, origin, way]:
            if square >= 0 and edges.places[last, square] >= 0:
                kept[edges.places[last, square]] = best[edges.places[last, square]]
        met = edges.places[last, target]
        if met >= 0:
            kept[met] = best[met]
            if edges.takes[axis, origin, way, last]:
                grade = ending
                if not edges.alone[last]:
                    at[axis] = target
                    plain, image, which = _smaller_cell(
                        starts, offsets, pivots, at, last, last, False
                    )
                    at[axis] = origin
                    grade = small[image if which else plain]
                kept[met] = max(best[met], grade)

        victim = -1
        for rival in range(last):
            if rival != axis and at[rival] == target:
                victim = rival
        if edges.dens[axis, origin, way] or (
            victim >= 0 and edges.takes[axis, origin, way, victim] and edges.alone[victim]
        ):
            for place in range(width):
                best[place] = max(best[place], ending)
        elif victim >= 0:
            if not edges.takes[axis, origin, way, victim]:
                continue
            at[axis] = target
            plain, image, which = _smaller_cell(starts, offsets, pivots, at, victim, last, True)
            at[axis] = origin
            for place in range(width):
                square = edges.squares[last, place]
                mirrored = which if which >= 0 else (1 if square % 7 > 3 else 0)
                cell = (image if mirrored else plain) + offsets[victim, mirrored, last, square]
                best[place] = max(best[place], small[cell])
        else:
            base = np.int64(0)
            mirrored = edges.places[axis, target] < 0
            for leading in range(last):
                square = target if leading == axis else at[leading]
                if mirrored:
                    square = edges.mirror[square]
                base += edges.places[leading, square] * edges.strides[leading]
            there = other[base : base + width]
            if mirrored:
                for place in range(width):
                    image = edges.places[last, edges.mirror[edges.squares[last, place]]]
                    best[place] = max(best[place], there[image])
            else:
                for place in range(width):
                    best[place] = max(best[place], there[place])
        if met >= 0:
            best[met] = kept[met]
        if edges.stops[last, axis]:
            for square in edges.water[axis, origin, way]:
                if square >= 0 and edges.places[last, square] >= 0:
                    best[edges.places[last, square]] = kept[edges.places[last, square]]


@_kernel
def _grade_last(  # type: ignore[no-untyped-def]
    edges, starts, offsets, pivots, ending, other, small, base, at, occupied, best
):  # fmt: skip
    """Raise ``best`` by the moves of the last animal itself."""
    last = edges.colors.shape[0] - 1
    stopping = np.uint64(0)
    for rival in range(last):
        if edges.stops[rival, last]:
            stopping |= _bit(at[rival])
    for place in range(best.shape[0]):
        origin = edges.squares[last, place]
        for way in range(4):
            target = edges.targets[last, origin, way]
            if target < 0:
                break
            if _is_stopped(edges.water[last, origin, way], stopping):
                continue
            if edges.dens[last, origin, way]:
                grade = ending
            elif occupied & _bit(target):
                victim = 0
                for rival in range(last):
                    if at[rival] == target:
                        victim = rival
                if not edges.takes[last, origin, way, victim]:
                    continue
                grade = ending
                if not edges.alone[victim]:
                    at[last] = target
                    plain, image, which = _smaller_cell(
                        starts, offsets, pivots, at, victim, last, False
                    )
                    grade = small[image if which else plain]
            else:
                grade = other[base + edges.places[last, target]]
            best[place] = max(best[place], grade)


@_kernel
def check_rows(  # type: ignore[no-untyped-def]
    edges, starts, offsets, pivots, law, own, other, small, turn, rows, histogram, pairs, bad
):  # fmt: skip
    """Check the ``rows`` of one side to move; the number of placements and of those that differ.

    ``own`` are the flat codes with ``turn`` to move, ``other`` the grades of those with the
    opponent to move, ``small`` those of the smaller tables, joined. Adds to ``histogram``, by code,
    and to ``pairs``, by 1 + outcome of either side to move, with mirror images counted. ``bad``, shape ``(n, 2)``, gets
    the first n cells that differ, with the code derived.
    """
    last = edges.colors.shape[0] - 1
    width = edges.counts[last]
    best = np.empty(width, other.dtype)
    kept = np.empty(width, other.dtype)
    at = np.zeros(last + 1, np.int64)
    checked = np.int64(0)
    differing = np.int64(0)
    for row in rows:
        rest = row
        occupied = np.uint64(0)
        legal = True
        for axis in range(last - 1, -1, -1):
            at[axis] = edges.squares[axis, rest % edges.counts[axis]]
            rest //= edges.counts[axis]
            legal = legal and not (occupied & _bit(at[axis]))
            occupied |= _bit(at[axis])
        if not legal:
            continue
        base = row * width
        best[:] = 0
        for axis in range(last):
            if edges.colors[axis] == turn:
                _grade_leading(
                    edges, starts, offsets, pivots, law.ending, other, small, axis, at, best, kept
                )
        if edges.colors[last] == turn:
            _grade_last(
                edges, starts, offsets, pivots, law.ending, other, small, base, at, occupied, best
            )
        weight = 2 if at[0] % 7 < 3 else 1
        stored = own[base : base + width]
        reply = other[base : base + width]
        for place in range(width):
            if occupied & _bit(edges.squares[last, place]):
                continue
            code = stored[place]
            checked += 1
            histogram[code] += weight
            pairs[law.own_outcome[code], law.reply_outcome[reply[place]]] += weight
            derived = law.codes[best[place]]
            if code != derived:
                if differing < bad.shape[0]:
                    bad[differing, 0] = base + place
                    bad[differing, 1] = derived
                differing += 1
    return checked, differing
