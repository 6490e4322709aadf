"""Checking one table: load it and what its captures lead to, derive its values, compare."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.errors import TablebaseError
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.materials.classes import TableClass
from tablebase.tablefile import TableFile
from tablebase.values import Metric
from tablebase.verification.claims import Counts, disagreements
from tablebase.verification.edges import compile_edges, side_after_capture, smaller_tables
from tablebase.verification.law import Law, law_of
from tablebase.verification.report import Difference, TableReport, value_of

__all__ = ["FIRST_DIFFERENCES", "check_table"]

Codes = npt.NDArray[np.unsignedinteger]

FIRST_DIFFERENCES: Final = 10
"""How many differences of a table are told."""
_SLICE: Final = 1 << 15
"""Rows between two looks at whether to go on."""
_SAMPLED_CHUNKS: Final = 8


def check_table(
    catalog: Catalog,
    table: TableClass,
    metric: Metric,
    sample: int | None,
    seed: int,
    done: Callable[[int], None],
) -> TableReport:
    """Check all values of ``table``, or about ``sample`` random ones.

    ``done`` is told how many more stored cells were gone through; what it raises ends the check.
    Damage is reported, here and in the smaller tables, and so are files that may not be read or
    have just been removed.
    """
    started = time.monotonic()
    check = _Check(catalog, table, metric)
    damage: str | None = None
    failure: type[TablebaseError] | None = None
    try:
        with catalog.open(table, metric) as file:
            if sample is None:
                check.all_values(file, done)
            else:
                check.some_values(file, sample, random.Random(f"{seed} {table.name}"), done)
    except TablebaseError as error:
        damage, failure = str(error), type(error)
    return TableReport(
        name=table.name,
        metric=metric,
        path=catalog.path(table, metric),
        checked=check.checked,
        differing=check.differing,
        differences=tuple(check.differences[:FIRST_DIFFERENCES]),
        problems=tuple(check.problems),
        damage=damage,
        seconds=time.monotonic() - started,
        failure=failure,
    )


class _Check:
    """The work on one table, and what it finds."""

    def __init__(self, catalog: Catalog, table: TableClass, metric: Metric) -> None:
        self.catalog = catalog
        self.table = table
        self.metric = metric
        self.edges = compile_edges(table)
        self.rows = prod(table.shape[:-1])
        self.checked = 0
        self.differing = 0
        self.differences: list[Difference] = []
        self.problems: list[str] = []

    def all_values(self, file: TableFile, done: Callable[[int], None]) -> None:
        """Derive every value, and compare what the header says with the data."""
        from tablebase.verification.derive import translate

        file.check()
        codes = [file.read(turn).reshape(-1) for turn in Color]
        small = self._smaller()
        law = self._law(*codes, small)
        small_grades = _translated(translate, small, law.capture)
        counts = []
        for turn in Color:
            grades = _translated(translate, codes[turn.other], law.quiet)
            slices = (
                (first, min(first + _SLICE, self.rows), 1) for first in range(0, self.rows, _SLICE)
            )
            counts.append(self._rows(law, codes[turn], grades, small_grades, turn, slices, done))
        self.problems += disagreements(file.header, self.table, counts, codes)

    def some_values(
        self, file: TableFile, sample: int, choose: random.Random, done: Callable[[int], None]
    ) -> None:
        """Derive the values of evenly spread rows of some random chunks, of both sides to move."""
        from tablebase.verification.derive import translate

        small = self._smaller()
        size = prod(file.chunk_shape)
        rows = size // file.chunk_shape[-1]
        chunks = sorted(choose.sample(range(file.chunks), min(_SAMPLED_CHUNKS, file.chunks)))
        wanted = -(-sample // (2 * len(chunks) * file.chunk_shape[-1]))
        step = max(rows // wanted, 1)
        for turn in Color:
            # Only the pages of these arrays that are written to take memory.
            own = np.zeros(self.table.cells, file.header.dtype)
            other = np.zeros(self.table.cells, file.header.dtype)
            replies = sorted({reply for chunk in chunks for reply in self._reached(chunk)})
            for codes, side, numbers in ((own, turn, chunks), (other, turn.other, replies)):
                for number in numbers:
                    codes[number * size : (number + 1) * size] = file.chunk(side, number).ravel()
            law = self._law(own, other, small)
            small_grades = _translated(translate, small, law.capture)
            grades = np.zeros(self.table.cells, law.quiet.dtype)
            for number in replies:
                part = slice(number * size, (number + 1) * size)
                translate(other[part], law.quiet, grades[part])
            slices = (
                (number * rows + choose.randrange(step), (number + 1) * rows, step)
                for number in chunks
            )
            self._rows(law, own, grades, small_grades, turn, slices, done)

    def _smaller(self) -> Codes:
        """The codes of what is left after each capture, joined."""
        self.smaller = smaller_tables(self.table)
        parts = [np.zeros(1, np.uint8)]
        starts = 1
        for victim, location in enumerate(self.smaller.locations):
            if location is None:
                continue
            with self.catalog.open(location.table, self.metric) as file:
                parts.append(file.read(side_after_capture(self.table, victim, location)).ravel())
            self.smaller.starts[victim] = starts
            starts += parts[-1].size
        return np.concatenate(parts)

    def _law(self, *codes: Codes) -> Law:
        highest = max(int(part.max()) for part in codes)
        return law_of(self.metric, self.table.rules, highest)

    def _rows(
        self,
        law: Law,
        own: Codes,
        grades: Codes,
        small_grades: Codes,
        turn: Color,
        slices: Iterator[tuple[int, int, int]],
        done: Callable[[int], None],
    ) -> Counts:
        """Check slices (first row, end, step) of one side to move."""
        from tablebase.verification.derive import check_rows

        edges, smaller = tuple(self.edges), tuple(self.smaller[1:])
        tables = (law.own_outcome, law.reply_outcome, law.codes, law.ending)
        histogram = np.zeros(len(law.own_outcome), np.int64)
        pairs = np.zeros((3, 3), np.int64)
        bad = np.zeros((FIRST_DIFFERENCES, 2), np.int64)
        for first, end, step in slices:
            checked, differing = check_rows(
                edges, smaller, tables, own, grades, small_grades,
                int(turn), first, end, step, histogram, pairs, bad,
            )  # fmt: skip
            self.checked += checked
            self.differing += differing
            for cell, derived in bad[:differing].tolist():
                if len(self.differences) < FIRST_DIFFERENCES:
                    self.differences.append(self._difference(turn, cell, int(own[cell]), derived))
            done((end - first) // step * self.table.shape[-1])
        return Counts(histogram, pairs)

    def _difference(self, turn: Color, cell: int, stored: int, derived: int) -> Difference:
        pieces = {
            self.table.squares[axis][place]: self.table.axes[axis]
            for axis, place in enumerate(np.unravel_index(cell, self.table.shape))
        }
        fen = Position.from_pieces(pieces, turn).fen()
        return Difference(fen, turn, value_of(self.metric, stored), value_of(self.metric, derived))

    def _reached(self, chunk: int) -> set[int]:
        """The chunks to which moves that capture nothing lead from ``chunk``, and itself."""
        leading = self.table.shape[:-3]
        here = [int(place) for place in np.unravel_index(chunk, leading)] if leading else []
        squares = [self.table.squares[axis][place] for axis, place in enumerate(here)]
        found = {chunk}
        for axis, square in enumerate(squares):
            for target in self.edges.targets[axis, square].tolist():
                if target < 0 or (axis and self.edges.places[axis, target] < 0):
                    continue
                after = [*squares[:axis], target, *squares[axis + 1 :]]
                if self.edges.places[axis, target] < 0:
                    after = [int(self.edges.mirror[other]) for other in after]
                places = [int(self.edges.places[i, other]) for i, other in enumerate(after)]
                # The den, and the mirror image of it, is no place of the table.
                if min(places) >= 0:
                    found.add(int(np.ravel_multi_index(places, leading)))
        return found


def _translated(translate: Any, codes: Codes, grades: Codes) -> Codes:
    out = np.empty(codes.size, grades.dtype)
    translate(codes, grades, out)
    return out
