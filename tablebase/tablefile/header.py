"""What a table file says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tablebase.game.rules import Rules
from tablebase.materials.material import Piece
from tablebase.materials.table import Table
from tablebase.values import Metric

__all__ = [
    "Damage",
    "Histogram",
    "LongestWin",
    "NewerVersion",
    "Storage",
    "TableHeader",
    "TableSummary",
    "Zugzwangs",
]


class Damage(Exception):
    """A reason why a file is no good table; the reader says which file and what to do."""


class NewerVersion(Damage):
    """The file is of a version of the format that this program does not know."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Legal placements (mirror images included) for one side to move, from that side's view.

    ``win`` and ``loss`` map a distance in plies (of the table's metric) to their number.
    """

    win: Mapping[int, int]
    loss: Mapping[int, int]
    draw: int

    @property
    def wins(self) -> int:
        """All won placements."""
        return sum(self.win.values())

    @property
    def losses(self) -> int:
        """All lost placements."""
        return sum(self.loss.values())


class LongestWin(NamedTuple):
    """The longest win of a side to move: plies of the table's metric, and a position."""

    distance: int
    fen: str


class Zugzwangs(NamedTuple):
    """Placements (mirror images included) in which either side would rather not move.

    ``full``: whoever is to move loses. ``half``: one of the two results is a draw, the other a
    loss for the side to move.
    """

    full: int
    half: int


@dataclass(frozen=True, slots=True)
class TableSummary:
    """What the solver says of a table; pairs are by side to move, White first.

    ``maximum`` is the highest code. Without a win there is no longest one (``None``).
    """

    maximum: int
    histogram: tuple[Histogram, Histogram]
    longest_win: tuple[LongestWin | None, LongestWin | None]
    zugzwangs: Zugzwangs


@dataclass(frozen=True, slots=True)
class Storage:
    """Where the chunk index is, and what the file must be like; offsets and sizes in bytes.

    ``rest_crc32`` is over all bytes behind the header block that belong to no chunk.
    """

    file_size: int
    index_offset: int
    index_crc32: int
    rest_crc32: int


@dataclass(frozen=True, slots=True)
class TableHeader:
    """Everything that a table file says of itself, but for where its parts are stored.

    ``rules``, ``axes`` and ``squares`` are those of the :class:`~tablebase.materials.table.Table`,
    ``rules_key`` is the name of its folder; ``dtype`` is ``"uint8"`` or ``"uint16"``.
    """

    metric: Metric
    rules: Rules
    rules_key: str
    name: str
    axes: tuple[Piece, ...]
    squares: tuple[tuple[int, ...], ...]
    dtype: str
    summary: TableSummary
    digest: str
    software: Mapping[str, str]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of squares on each axis."""
        return tuple(len(squares) for squares in self.squares)

    def mismatch(self, table: Table) -> str | None:
        """In what this is not the table that was asked for; ``None`` if it is."""
        if self.metric != table.metric:
            return f"it holds {self.metric} values, not {table.metric}"
        if self.rules != table.rules:
            wanted, found = table.rules.switches(), self.rules.switches()
            switch = next(key for key in wanted if wanted[key] != found[key])
            return (
                f"it is a table of another rule set ({self.rules_key}):"
                f" {switch} is {found[switch]!r} in it and {wanted[switch]!r} in the rules wanted"
            )
        if self.name != table.name:
            return f"it is the table of {self.name}, not of {table.name}"
        if (self.axes, self.squares) != (table.axes, table.squares):
            return "its axes are not those that this program uses"
        return None
