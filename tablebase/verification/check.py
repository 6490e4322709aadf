"""Checking one table: load it and what its captures lead to, derive its values, compare."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt

from tablebase.catalog import Catalog
from tablebase.errors import TablebaseError
from tablebase.game.board import Color
from tablebase.game.position import Position
from tablebase.index import Placing
from tablebase.materials.table import Table
from tablebase.tablefile import TableFile
from tablebase.verification.claims import Counts, false_claims
from tablebase.verification.derive import check_rows, translate
from tablebase.verification.edges import compile_edges, smaller_tables
from tablebase.verification.law import Grades, Law, law_of
from tablebase.verification.report import Difference, FalseClaim, TableReport, value_of
from tablebase.verification.sample import choose_sample

__all__ = ["FIRST_DIFFERENCES", "check_table"]

Codes = npt.NDArray[np.unsignedinteger]

FIRST_DIFFERENCES: Final = 10
"""How many differences of a table are told."""
_SLICE: Final = 1 << 15
"""Rows between two looks at whether to go on."""


def check_table(
    catalog: Catalog,
    table: Table,
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
    check = _Check(catalog, table, done)
    failure: TablebaseError | None = None
    try:
        with catalog.open(table) as file:
            if sample is None:
                check.all_values(file)
            else:
                check.some_values(file, sample, random.Random(f"{seed} {table.name}"))
    except TablebaseError as error:
        # The frames that it came through hold arrays as large as the table.
        error.__cause__ = error.__context__ = None
        failure = error.with_traceback(None)
    return TableReport(
        table=table,
        path=catalog.path(table),
        checked=check.checked,
        differing=check.differing,
        differences=tuple(check.differences),
        problems=tuple(check.problems),
        failure=failure,
        seconds=time.monotonic() - started,
    )


class _Check:
    """The work on one table, and what it finds."""

    def __init__(self, catalog: Catalog, table: Table, done: Callable[[int], None]) -> None:
        self.catalog = catalog
        self.table = table
        self.done = done
        self.edges = compile_edges(table)
        self.smaller = smaller_tables(table)
        self.placing = Placing.of_axes(table.table_class)
        self.checked = 0
        self.differing = 0
        self.differences: list[Difference] = []
        self.problems: list[FalseClaim] = []

    def all_values(self, file: TableFile) -> None:
        """Derive every value, and compare what the header says with the data."""
        file.check()
        codes = [file.read(turn).reshape(-1) for turn in Color]
        small = self._smaller_codes()
        law = self._law(*codes, small)
        small_grades = _translated(small, law.capture)
        rows = prod(self.table.shape[:-1])
        counts = []
        for turn in Color:
            grades = _translated(codes[turn.other], law.quiet)
            slices = ((first, min(first + _SLICE, rows), 1) for first in range(0, rows, _SLICE))
            counts.append(self._rows(law, codes[turn], grades, small_grades, turn, slices))
        self.problems += false_claims(file.header.summary, self.table, counts, codes)

    def some_values(self, file: TableFile, values: int, choose: random.Random) -> None:
        """Derive about so many values, of both sides to move."""
        sample = choose_sample(self.table, self.edges, values, choose)
        small = self._smaller_codes()
        size = prod(file.chunk_shape)
        rows = size // file.chunk_shape[-1]
        for turn in Color:
            # Only the pages of these arrays that are written to take memory.
            own = np.zeros(self.table.cells, file.header.dtype)
            other = np.zeros(self.table.cells, file.header.dtype)
            for codes, side, numbers in (
                (own, turn, sample.chunks),
                (other, turn.other, sample.replies),
            ):
                for number in numbers:
                    codes[number * size : (number + 1) * size] = file.chunk(side, number).ravel()
            law = self._law(own, other, small)
            grades = np.zeros(self.table.cells, law.quiet.dtype)
            for number in sample.replies:
                part = slice(number * size, (number + 1) * size)
                translate(other[part], law.quiet, grades[part])
            slices = (
                (number * rows + choose.randrange(sample.step), (number + 1) * rows, sample.step)
                for number in sample.chunks
            )
            self._rows(law, own, grades, _translated(small, law.capture), turn, slices)

    def _smaller_codes(self) -> Codes:
        """The codes of what is left after each capture, joined."""
        parts = [np.zeros(0, np.uint8)]
        for table, turn in self.smaller.parts:
            with self.catalog.open(table) as file:
                parts.append(file.read(turn).reshape(-1))
        return np.concatenate(parts)

    def _law(self, *codes: Codes) -> Law:
        highest = max(int(part.max(initial=0)) for part in codes)
        return law_of(self.table.metric, self.table.rules, highest)

    def _rows(
        self,
        law: Law,
        own: Codes,
        grades: Grades,
        small_grades: Grades,
        turn: Color,
        slices: Iterator[tuple[int, int, int]],
    ) -> Counts:
        """Check slices (first row, end, step) of one side to move."""
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
            self.done((end - first) // step * self.table.shape[-1])
        return Counts(histogram, pairs)

    def _difference(self, turn: Color, cell: int, stored: int, derived: int) -> Difference:
        squares = self.placing.placement(cell)
        pieces = dict(zip(squares, self.table.axes, strict=True))
        metric = self.table.metric
        return Difference(
            Position.from_pieces(pieces, turn).fen(),
            turn,
            value_of(metric, stored),
            value_of(metric, derived),
        )


def _translated(codes: Codes, grades: Grades) -> Grades:
    out = np.empty(codes.size, grades.dtype)
    translate(codes, grades, out)
    return out
