"""The kernel that looks up what each move of many placements leads to."""

from __future__ import annotations

import numpy as np

from tablebase.jit import kernel

__all__ = ["NO_CAPTURE", "NO_MOVE", "look_up_moves"]

NO_MOVE = 255
"""The target of what is no move."""
NO_CAPTURE = -1


@kernel
def look_up_moves(  # type: ignore[no-untyped-def]
    turn, graph, placing, smaller, codes, small_codes, quiet, capture, squares, target, taken,
    outcome, distance,
):  # fmt: skip
    """Fill ``target``, ``taken``, ``outcome`` and ``distance``, each ``(n, 4 * movers)``, for the
    animals of the side ``turn`` standing on ``squares``, ``(n, k)``, a column an axis.

    ``graph`` has colors, targets, water, captures, den entries and squares, and who blocks whom;
    ``placing`` offsets and whether a square is looked up mirrored; ``smaller``, by victim, whether
    it is its side's last, where its codes begin, offsets and pivots. ``quiet`` and ``capture`` are
    pairs of tables, outcome and distance by the code of the opponent's reply.
    """
    colors, targets, water, captures, den_entry, dens, blocks = graph
    offsets, mirrored = placing
    last, starts, small_offsets, pivots = smaller
    n, k = squares.shape
    one = np.uint64(1)
    for row in range(n):
        plain = np.int64(0)
        image = np.int64(0)
        for axis in range(k):
            plain += offsets[0, axis, squares[row, axis]]
            image += offsets[1, axis, squares[row, axis]]
        slot = 0
        for i in range(k):
            if colors[i] != turn:
                continue
            origin = np.int64(squares[row, i])
            stopping = np.uint64(0)
            for j in range(k):
                if blocks[j, i]:
                    stopping |= one << np.uint64(squares[row, j])
            enters = (den_entry[i] >> np.uint64(origin)) & one
            for d in range(4):
                at = slot + d
                target[row, at] = NO_MOVE
                taken[row, at] = NO_CAPTURE
                outcome[row, at] = 0
                distance[row, at] = -1
                goal = targets[i, origin, d]
                if goal < 0:
                    if enters:  # what is no other move
                        enters = np.uint64(0)
                        target[row, at] = dens[i]
                        outcome[row, at] = capture[0][1]
                        distance[row, at] = 1
                    continue
                if water[i, origin, d] & stopping:
                    continue
                met = NO_CAPTURE
                for j in range(k):
                    if squares[row, j] == goal:
                        met = j
                if met < 0:
                    pivot = goal if i == 0 else np.int64(squares[row, 0])
                    if mirrored[pivot]:
                        cell = image + offsets[1, i, goal] - offsets[1, i, origin]
                    else:
                        cell = plain + offsets[0, i, goal] - offsets[0, i, origin]
                    code = codes[cell]
                    outcome[row, at] = quiet[0][code]
                    distance[row, at] = quiet[1][code]
                else:
                    if colors[met] == turn or not captures[i, met, origin] >> d & 1:
                        continue
                    taken[row, at] = met
                    if last[met]:
                        outcome[row, at] = capture[0][1]
                        distance[row, at] = 1
                    else:
                        pivot = goal if i == pivots[met] else np.int64(squares[row, pivots[met]])
                        way = 1 if mirrored[pivot] else 0
                        cell = starts[met]
                        for j in range(k):
                            if j != met:
                                square = goal if j == i else np.int64(squares[row, j])
                                cell += small_offsets[met, way, j, square]
                        code = small_codes[cell]
                        outcome[row, at] = capture[0][code]
                        distance[row, at] = capture[1][code]
                target[row, at] = goal
            slot += 4
