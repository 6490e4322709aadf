"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tablebase.errors import CorruptTableError, TablebaseError
from tablebase.game.board import Color
from tablebase.values import Metric, distance_of, outcome_of

__all__ = ["Difference", "Progress", "Report", "TableReport", "Value", "unusable", "value_of"]


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


@dataclass(frozen=True, slots=True)
class TableReport:
    """What was found in one table."""

    name: str
    metric: Metric
    path: Path
    checked: int
    """How many stored values were derived anew, for both sides to move."""
    differing: int
    differences: tuple[Difference, ...]
    """The first of those that differ."""
    problems: tuple[str, ...]
    """Whatever else is wrong, each in a sentence: what the header says and the values do not."""
    damage: str | None
    """Why the table could not be checked: it, or one that its captures lead to, is damaged, may
    not be read or is missing."""
    seconds: float
    failure: type[TablebaseError] | None = None
    """The kind of error that ``damage`` tells of."""

    @property
    def label(self) -> str:
        """What messages call it: the name of the class, with the metric if that is not ``dtw``."""
        return self.name if self.metric == "dtw" else f"{self.name} ({self.metric})"

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.differing or self.problems or self.damage)


def unusable(name: str, metric: Metric, path: Path, error: TablebaseError) -> TableReport:
    """The report of a file of which no value was checked, because of ``error``."""
    return TableReport(
        name=name,
        metric=metric,
        path=path,
        checked=0,
        differing=0,
        differences=(),
        problems=(),
        damage=str(error),
        seconds=0.0,
        failure=type(error),
    )


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in all tables, small ones first, and then of files that are none."""

    tables: tuple[TableReport, ...]
    seconds: float
    """Wall time."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong with any table."""
        return all(table.ok for table in self.tables)

    @property
    def damaged(self) -> bool:
        """Whether a file is damaged, or not the table of its name."""
        return any(table.failure is CorruptTableError for table in self.tables)

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
