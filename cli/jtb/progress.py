"""What a long run shows on stderr: a bar on a terminal, else a line a minute; notes; with ``-v``
a line a table."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from jtb.render.text import duration, plies

if TYPE_CHECKING:
    from jtb.options import Settings
    from tablebase.generation import Event
    from tablebase.verification import Progress

__all__ = ["check_display", "count_display", "run_display"]

_DETAILS: Final = ("made", "elsewhere")
"""What is told of a run with ``-v`` only."""
_SELDOM: Final = 60.0
"""Seconds between two lines where there is no bar."""

Clock = Callable[[], float]
"""The time in seconds."""


@contextmanager
def run_display(
    settings: Settings, clock: Clock = time.monotonic
) -> Iterator[Callable[[Event], None]]:
    """What to call with each event of a run that makes tables."""
    with _display(settings, clock) as display:

        def show(event: Event) -> None:
            if sentence := _sentence(event):
                display.say(sentence, detail=event.kind in _DETAILS)
            state = event.state
            display.move(
                *(state.codes_done, state.codes, state.classes_done, state.classes),
                state.seconds_left,
            )

        yield show


@contextmanager
def check_display(
    settings: Settings, clock: Clock = time.monotonic
) -> Iterator[Callable[[Progress], None]]:
    """What to call with each progress of a verification."""
    with _display(settings, clock) as display:

        def show(progress: Progress) -> None:
            if (table := progress.finished) is not None:
                display.say(
                    f"{table.label}: {table.checked:,} values, {table.seconds:.2f} s", detail=True
                )
            display.move(
                progress.values_done, progress.values, progress.tables_done, progress.tables
            )

        yield show


@contextmanager
def count_display(
    settings: Settings, unit: str, total: int, clock: Clock = time.monotonic
) -> Iterator[Callable[[int], None]]:
    """What to call with the number of things done so far, of ``total``; ``unit`` names them."""
    with _display(settings, clock, unit) as display:
        yield lambda done: display.move(done, total)


def _sentence(event: Event) -> str | None:
    """What an event is to people; ``None`` if nothing."""
    label = event.table and event.table.label
    match event.kind:
        case "compiling":
            return "compiling the kernels, as the first run on a machine does: up to a minute"
        case "damaged":
            return f"{event.path} is damaged and is made anew"
        case "vanished":
            return f"{event.path} is there no more and is made anew"
        case "waiting":
            return "another process is making the tables that are left"
        case "elsewhere":
            return f"{label} was made by another process"
        case "made":
            made = event.made
            assert made is not None
            return f"{label}: {plies(made.plies)}, {made.seconds:.2f} s, {made.bytes:,} bytes"
        case "working":
            return None


@contextmanager
def _display(settings: Settings, clock: Clock, unit: str = "values") -> Iterator[_Display]:
    display = _Display(settings, clock, unit)
    try:
        yield display
    finally:
        if display.bar is not None:
            display.bar.close()


class _Display:
    """Text and, where somebody can see it, a bar that does not get into its way."""

    def __init__(self, settings: Settings, clock: Clock, unit: str) -> None:
        self._settings = settings
        self._clock = clock
        self._unit = unit
        self._started = self._told = clock()
        self.bar: Any = None
        if settings.verbosity >= 0 and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(
                unit=f" {unit}",
                unit_scale=True,
                file=sys.stderr,
                leave=False,
                dynamic_ncols=True,
            )

    def say(self, text: str, *, detail: bool) -> None:
        """Print ``text``; a detail only with ``-v``."""
        if self.bar is not None:
            self.bar.clear()
        (self._settings.detail if detail else self._settings.note)(text)

    def move(
        self,
        done: int,
        total: int,
        tables_done: int | None = None,
        tables: int | None = None,
        seconds_left: float | None = None,
    ) -> None:
        """Show how far it is, in values and in tables if there are any."""
        of_tables = "" if tables is None else f"{tables_done} of {tables} tables"
        if self.bar is None:
            self._tell(done, total, of_tables, seconds_left)
            return
        if self.bar.total is None:
            # What was done before the first call does not count for the rate.
            self.bar.reset(total=total)
            self.bar.initial = done
        self.bar.n = done
        self.bar.set_postfix_str(of_tables, refresh=False)
        self.bar.refresh()

    def _tell(self, done: int, total: int, of_tables: str, seconds_left: float | None) -> None:
        """Print the same as a line, if the last one was a minute ago."""
        if done == total or self._clock() < self._told + _SELDOM:
            return
        self._told = self._clock()
        if seconds_left is None and not of_tables and done:
            seconds_left = (self._told - self._started) * (total - done) / done
        left = "" if seconds_left is None else f", about {_roughly(seconds_left)} left"
        share = f"{100 * done // total} % of the {self._unit}"
        self._settings.note(", ".join(filter(None, (of_tables, share))) + left)


def _roughly(seconds: float) -> str:
    """A time of which the fractions of a second are not known."""
    return duration(seconds) if seconds >= 59.5 else f"{seconds:.0f} s"
