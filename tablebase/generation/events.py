"""What a run tells of itself while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tablebase.values import Metric

__all__ = ["Event", "EventKind", "Made", "RunSummary", "State"]

EventKind = Literal["compiling", "damaged", "waiting", "elsewhere", "made", "working"]
"""``compiling``: the kernels are being compiled, which happens once. ``damaged``: a file is no
good and is made anew. ``waiting``: only tables that another process is making are left for now.
``elsewhere``: another process made a table. ``made``: this run did. ``working``: time went by.
"""


class Made(NamedTuple):
    """A table that this run made."""

    name: str
    codes: int
    """How many values it has, for both sides to move."""
    plies: int
    """Its greatest distance, in plies of ``metric``."""
    seconds: float
    """The time that its steps took, added up over the threads."""
    bytes: int
    """The size of its file."""
    digest: str
    metric: Metric


class State(NamedTuple):
    """How far a run is; tables that were there before count as done, but not for the rate."""

    classes: int
    classes_done: int
    codes: int
    """How many values the tables of the plan have, both sides to move."""
    codes_done: int
    rate: float | None
    """Values a second of this run; ``None`` as long as there is nothing to go by."""
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run; ``text`` is a sentence for people."""

    kind: EventKind
    text: str
    state: State
    name: str | None = None
    """The table that it is about."""
    made: Made | None = None


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
