"""The checking kernel: the value of each placement from those of its successors.

It goes through rows of a table, which are the placements that differ in the last axis only, and
looks for each row at every move of every animal. The tables that moves lead to have been turned
into grades before (see :mod:`tablebase.verification.law`), so all that is left is to find the
highest.

The kernel is one long function: passing arrays on costs more, row by row, than what is done with
them. For the same reason it avoids views, and it has unsigned numbers where a loop is to run over
many places at once.
"""

from __future__ import annotations

import numpy as np

from tablebase.jit import allocating_kernel, kernel

__all__ = ["check_rows", "translate"]


@kernel
def translate(codes, grades, out):  # type: ignore[no-untyped-def]
    """Set ``out`` to the grade of each of ``codes``, both flat."""
    for cell in range(codes.shape[0]):
        out[cell] = grades[codes[cell]]


@kernel
def _bit(square):  # type: ignore[no-untyped-def]
    return np.uint64(1) << np.uint64(square)


@allocating_kernel
def check_rows(  # type: ignore[no-untyped-def]
    edges, smaller, law, own, other, small, turn, first, end, step, histogram, pairs, bad
):  # fmt: skip
    """Check rows ``first`` to ``end`` of one side to move, every ``step``-th; the number of
    placements and of those that differ.

    ``own`` are the flat codes with ``turn`` to move, ``other`` the grades of those with the
    opponent to move, ``small`` those of the smaller tables, joined. Adds to ``histogram``, by code,
    and to ``pairs``, by 1 + outcome of either side to move, with mirror images counted. ``bad``,
    shape ``(n, 2)``, gets the first n cells that differ, with the code derived.
    """
    colors, counts, strides, squares, places, targets, dens, water, takes, stops, alone, mirror = (
        edges
    )
    starts, offsets, pivots = smaller
    own_outcome, reply_outcome, codes, ending = law
    animals = colors.shape[0]
    last = animals - 1
    width = counts[last]
    many = np.uint64(width)
    best = np.zeros(width, other.dtype)
    kept = np.zeros(width, other.dtype)
    at = np.zeros(animals, np.int64)
    # By victim and image: the cell of what is left without it, less what the last animal adds.
    cells = np.zeros((animals, 2), np.int64)
    checked = np.int64(0)
    differing = np.int64(0)
    for row in range(first, end, step):
        rest = row
        occupied = np.uint64(0)
        legal = True
        for axis in range(last - 1, -1, -1):
            at[axis] = squares[axis, rest % counts[axis]]
            rest //= counts[axis]
            legal = legal and not (occupied & _bit(at[axis]))
            occupied |= _bit(at[axis])
        if not legal:
            continue
        home = row * width
        for place in range(many):
            best[place] = 0
        for victim in range(animals):
            if colors[victim] == turn or alone[victim]:
                continue
            for image in range(2):
                cells[victim, image] = starts[victim]
                for axis in range(last):
                    if axis != victim:
                        cells[victim, image] += offsets[victim, image, axis, at[axis]]

        for axis in range(last):
            if colors[axis] != turn:
                continue
            origin = at[axis]
            stopping = np.uint64(0)
            for rival in range(last):
                if rival != axis and stops[rival, axis]:
                    stopping |= _bit(at[rival])
            for way in range(4):
                target = targets[axis, origin, way]
                if target < 0:
                    break
                stopped = False
                for i in range(3):
                    square = water[axis, origin, way, i]
                    stopped = stopped or (square >= 0 and bool(stopping & _bit(square)))
                if stopped:
                    continue
                # Where the last animal stands in the way, the move is another one or none.
                for i in range(3):
                    square = water[axis, origin, way, i]
                    if square >= 0 and places[last, square] >= 0:
                        kept[places[last, square]] = best[places[last, square]]
                met = places[last, target]
                if met >= 0:
                    kept[met] = best[met]
                    if takes[axis, origin, way, last]:
                        grade = ending
                        if not alone[last]:
                            pivot = target if pivots[last] == axis else at[pivots[last]]
                            image = 1 if pivot % 7 > 3 else 0
                            cell = cells[last, image] + (
                                offsets[last, image, axis, target]
                                - offsets[last, image, axis, origin]
                            )
                            grade = small[cell]
                        kept[met] = max(best[met], grade)

                victim = -1
                if occupied & _bit(target):
                    for rival in range(last):
                        if at[rival] == target:
                            victim = rival
                if victim >= 0 and not takes[axis, origin, way, victim]:
                    continue
                if dens[axis, origin, way] or (victim >= 0 and alone[victim]):
                    for place in range(many):
                        best[place] = ending
                elif victim >= 0:
                    for place in range(width):
                        square = squares[last, place]
                        pivot = at[pivots[victim]]
                        if pivots[victim] == axis:
                            pivot = target
                        elif pivots[victim] == last:
                            pivot = square
                        image = 1 if pivot % 7 > 3 else 0
                        cell = cells[victim, image] + (
                            offsets[victim, image, axis, target]
                            - offsets[victim, image, axis, origin]
                            + offsets[victim, image, last, square]
                        )
                        best[place] = max(best[place], small[cell])
                elif places[axis, target] >= 0:
                    step_there = (places[axis, target] - places[axis, origin]) * strides[axis]
                    there = np.uint64(home + step_there)
                    for place in range(many):
                        best[place] = max(best[place], other[there + place])
                else:
                    there_mirrored = np.int64(0)
                    for leading in range(last):
                        square = target if leading == axis else at[leading]
                        there_mirrored += places[leading, mirror[square]] * strides[leading]
                    for place in range(width):
                        cell = there_mirrored + places[last, mirror[squares[last, place]]]
                        best[place] = max(best[place], other[cell])
                if met >= 0:
                    best[met] = kept[met]
                if stops[last, axis]:
                    for i in range(3):
                        square = water[axis, origin, way, i]
                        if square >= 0 and places[last, square] >= 0:
                            best[places[last, square]] = kept[places[last, square]]

        if colors[last] == turn:
            stopping = np.uint64(0)
            for rival in range(last):
                if stops[rival, last]:
                    stopping |= _bit(at[rival])
            for place in range(width):
                origin = squares[last, place]
                for way in range(4):
                    target = targets[last, origin, way]
                    if target < 0:
                        break
                    stopped = False
                    for i in range(3):
                        square = water[last, origin, way, i]
                        stopped = stopped or (square >= 0 and bool(stopping & _bit(square)))
                    if stopped:
                        continue
                    grade = ending
                    if occupied & _bit(target):
                        victim = 0
                        for rival in range(last):
                            if at[rival] == target:
                                victim = rival
                        if not takes[last, origin, way, victim]:
                            continue
                        if not alone[victim]:
                            pivot = target if pivots[victim] == last else at[pivots[victim]]
                            image = 1 if pivot % 7 > 3 else 0
                            grade = small[
                                cells[victim, image] + offsets[victim, image, last, target]
                            ]
                    elif not dens[last, origin, way]:
                        grade = other[home + places[last, target]]
                    best[place] = max(best[place], grade)

        weight = 2 if at[0] % 7 < 3 else 1
        for place in range(width):
            if occupied & _bit(squares[last, place]):
                continue
            code = own[home + place]
            checked += 1
            histogram[code] += weight
            pairs[own_outcome[code], reply_outcome[other[home + place]]] += weight
            derived = codes[best[place]]
            if code != derived:
                if differing < bad.shape[0]:
                    bad[differing, 0] = home + place
                    bad[differing, 1] = derived
                differing += 1
    return checked, differing
