"""What a long run shows on stderr: a bar on a terminal, notes, and with ``-v`` a line a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jtb.options import Settings
    from tablebase.generation import Event
    from tablebase.verification import Progress

__all__ = ["check_display", "run_display"]

_DETAILS: Final = ("made", "elsewhere")
"""What is told of a run with ``-v`` only."""


@contextmanager
def run_display(settings: Settings) -> Iterator[Callable[[Event], None]]:
    """What to call with each event of a run that makes tables."""
    with _display(settings) as display:

        def show(event: Event) -> None:
            if event.text:
                display.say(event.text, detail=event.kind in _DETAILS)
            state = event.state
            display.move(state.codes_done, state.codes, state.classes_done, state.classes)

        yield show


@contextmanager
def check_display(settings: Settings) -> Iterator[Callable[[Progress], None]]:
    """What to call with each progress of a verification."""
    with _display(settings) as display:

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
def _display(settings: Settings) -> Iterator[_Display]:
    display = _Display(settings)
    try:
        yield display
    finally:
        if display.bar is not None:
            display.bar.close()


class _Display:
    """Text and, where somebody can see it, a bar that does not get into its way."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.bar: Any = None
        if settings.verbosity >= 0 and sys.stderr.isatty():
            from tqdm import tqdm

            self.bar = tqdm(
                unit=" values",
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

    def move(self, done: int, total: int, tables_done: int, tables: int) -> None:
        """Move the bar; what was done before the first call does not count for the rate."""
        if self.bar is None:
            return
        if self.bar.total is None:
            self.bar.reset(total=total)
            self.bar.initial = done
        self.bar.n = done
        self.bar.set_postfix_str(f"{tables_done} of {tables} tables", refresh=False)
        self.bar.refresh()
