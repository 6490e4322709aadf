"""What a long run shows on stderr: a bar on a terminal, notes, and with ``-v`` a line a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jtb.options import Settings
    from tablebase.generate import Event

__all__ = ["run_display"]

_DETAILS: Final = ("made", "elsewhere")
"""What is told with ``-v`` only."""


@contextmanager
def run_display(settings: Settings) -> Iterator[Callable[[Event], None]]:
    """What to call with each event of a run; the bar is there when somebody can see it."""
    bar = _new_bar() if settings.verbosity >= 0 and sys.stderr.isatty() else None

    def show(event: Event) -> None:
        if event.text and event.kind != "working":
            say = settings.detail if event.kind in _DETAILS else settings.note
            if bar is not None:
                bar.clear()
            say(event.text)
        if bar is not None:
            _set(bar, event)

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()


def _new_bar() -> Any:
    from tqdm import tqdm

    return tqdm(unit=" values", unit_scale=True, file=sys.stderr, leave=False, dynamic_ncols=True)


def _set(bar: Any, event: Event) -> None:
    """Move ``bar`` to where the run is; tables that were there before do not count as speed."""
    state = event.state
    if bar.total is None:
        bar.reset(total=state.codes)
        bar.initial = state.codes_done
    bar.n = state.codes_done
    bar.set_postfix_str(f"{state.classes_done} of {state.classes} tables", refresh=False)
    bar.refresh()
