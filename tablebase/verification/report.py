"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game.board import Color
from tablebase.materials.table import Table
from tablebase.values import Metric, distance_of, outcome_of

__all__ = [
    "Difference",
    "FalseClaim",
    "ForeignFile",
    "Progress",
    "Report",
    "TableReport",
    "Value",
    "value_of",
]


class Value(NamedTuple):
    """Outcome (1, 0, -1) for the side to move, and distance in plies (``None`` for a draw)."""

    outcome: int
    distance: int | None

    def __str__(self) -> str:
        if self.distance is None:
            return "draw"
        return f"{'win' if self.outcome > 0 else 'loss'} in {self.distance}"


def value_of(metric: Metric, code: int) -> Value:
    """What ``code`` stands for."""
    return Value(outcome_of(code), distance_of(metric, code))


class Difference(NamedTuple):
    """A position whose stored value is not what its successors say."""

    fen: str
    side: Color
    """The side to move."""
    stored: Value
    derived: Value

    def __str__(self) -> str:
        return f"{self.fen}: {self.stored} is stored, {self.derived} follows from the moves"


class FalseClaim(NamedTuple):
    """What the header of a table says of its values, and is not so; its text is a sentence."""

    field: Literal["histogram", "longest_win", "maximum", "zugzwangs"]
    """What it is about: a field of :class:`~tablebase.tablefile.TableSummary`."""
    side: Color | None
    """The side to move that it is about; ``None`` if it is about both."""
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True)
class TableReport:
    """What was found in one table."""

    table: Table
    path: Path
    checked: int = 0
    """How many stored values were derived anew, for both sides to move."""
    differing: int = 0
    differences: tuple[Difference, ...] = ()
    """The first of those that differ."""
    problems: tuple[FalseClaim, ...] = ()
    """What the header says and the values do not."""
    failure: TablebaseError | None = None
    """Why the table could not be checked: it, or one that its captures lead to, is damaged, may
    not be read or is missing."""
    seconds: float = 0.0
    """Time on the clock, in one thread."""

    @property
    def label(self) -> str:
        """What messages call it: :attr:`Table.label <tablebase.materials.table.Table.label>`."""
        return self.table.label

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.differing or self.problems or self.failure)


class ForeignFile(NamedTuple):
    """A file that is named as tables are, with a name that no table of the rules has."""

    path: Path
    failure: TablebaseError


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in all tables, small ones first, and in files that are none."""

    tables: tuple[TableReport, ...]
    foreign: tuple[ForeignFile, ...]
    seconds: float
    """Wall time."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong with any table, and no other file among them."""
        return not self.foreign and all(table.ok for table in self.tables)

    @property
    def failures(self) -> tuple[TablebaseError, ...]:
        """Why tables could not be checked, and what is wrong with files that are none."""
        unchecked = [table.failure for table in self.tables if table.failure is not None]
        return (*unchecked, *(file.failure for file in self.foreign))

    @property
    def damaged(self) -> bool:
        """Whether a file is damaged, or not the table of its name."""
        return any(isinstance(failure, CorruptTableError) for failure in self.failures)

    @property
    def checked(self) -> int:
        """How many stored values were derived anew."""
        return sum(table.checked for table in self.tables)


class Progress(NamedTuple):
    """How far a verification is."""

    tables: int
    tables_done: int
    values: int
    """How many stored values are to be checked, of all tables."""
    values_done: int
    finished: TableReport | None
    """The table that was finished just now, if one was."""
