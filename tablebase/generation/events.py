"""What a run tells of itself while it goes on: facts, of which the caller makes sentences."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from tablebase.materials.table import Table

__all__ = ["Event", "EventKind", "Made", "RunSummary", "State"]

EventKind = Literal["compiling", "damaged", "vanished", "waiting", "elsewhere", "made", "working"]
"""What happened:

* ``compiling``: kernels are being compiled, since this version has not run on this machine before;
* ``damaged``: the file of a table is no good, and the table is made anew;
* ``vanished``: a table that was there is there no more, and is made anew;
* ``waiting``: only tables that other processes are making are left for now;
* ``elsewhere``: another process made a table;
* ``made``: this run made one;
* ``working``: time went by.
"""


class Made(NamedTuple):
    """A table that a run made."""

    table: Table
    plies: int
    """Its greatest distance, in plies of its metric."""
    seconds: float
    """The time that its steps took, added up over the threads."""
    bytes: int
    """The size of its file."""
    digest: str

    @property
    def codes(self) -> int:
        """How many values it has, for both sides to move."""
        return 2 * self.table.cells


class State(NamedTuple):
    """How far a run is; tables that were there before count as done, but not for the rate."""

    classes: int
    classes_done: int
    codes: int
    """How many values the tables of the plan have, both sides to move."""
    codes_done: int
    rate: float | None
    """Values a second since the first table was begun; ``None`` as long as there is nothing to go
    by."""
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run."""

    kind: EventKind
    state: State
    table: Table | None = None
    """The table that it is about; ``None`` if it is about the run."""
    path: Path | None = None
    """The file of that table, in the folder that the run writes to."""
    made: Made | None = None
    """What was made, if anything was."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did."""

    made: tuple[Made, ...]
    """In the order in which they were finished."""
    elsewhere: int
    """How many tables another process made meanwhile."""
    present: int
    """How many were there before."""
    seconds: float
    """Wall time."""
