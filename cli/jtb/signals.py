"""Signals that ask the program to end: an exception in the main thread, so that what is unfinished
is removed on the way out.

Loaded before everything else, since whoever starts a program may stop it at once.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False  # typing would take longer to load than everything here
if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType
    from typing import Final

__all__ = ["Stopped", "catch", "release"]

_ENDINGS: Final = {
    getattr(signal, name): ending
    for name, ending in {
        "SIGINT": ("interrupted", 130),
        "SIGTERM": ("terminated", 143),
        "SIGHUP": ("hung up", 129),
        "SIGBREAK": ("interrupted", 130),  # Ctrl-Break, or the window is closed, on Windows
    }.items()
    if hasattr(signal, name)
}
"""What each of the signals means, and the exit code, which is that of a shell."""
_AT_ONCE: Final = 0.5
"""Signals within so many seconds are one request. A supervisor may send one twice, or two of them,
and the second must not disturb the cleaning up that the first began."""


class Stopped(KeyboardInterrupt):
    """A signal asked the program to end: ``word`` says how, ``exit_code`` is that of its end.

    A ``KeyboardInterrupt``, so that whatever gives way to Ctrl-C gives way to the others too.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        self.word, self.exit_code = _ENDINGS[number]


class _Catcher:
    """The handler of the signals; it knows when the last one came."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def __call__(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._last >= _AT_ONCE:
            self._last = now
            raise Stopped(number)

    def again(self, stopped: Stopped) -> None:
        """Raise it anew, a little later."""

        def send() -> None:
            time.sleep(0.01)
            self._last = float("-inf")
            if os.name == "posix":
                os.kill(os.getpid(), stopped.number)  # what the main thread waits for is left
            else:
                _thread.interrupt_main(signal.Signals(stopped.number))

        _thread.start_new_thread(send, ())


_catcher: Final = _Catcher()


def catch() -> None:
    """From now on a signal raises :class:`Stopped`, unless whoever started us had it ignored, as
    ``nohup`` does."""
    for number in _ENDINGS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _catcher)
    sys.unraisablehook = _unraisable


def release() -> None:
    """From now on a signal ends the process at once: nothing is left to be cleaned up."""
    for number in _ENDINGS:
        if signal.getsignal(number) is _catcher:
            signal.signal(number, signal.SIG_DFL)


def _unraisable(lost: UnraisableHookArgs) -> None:
    """What was raised where nobody can catch it, as in a ``__del__``: a signal comes later."""
    if isinstance(lost.exc_value, Stopped):
        _catcher.again(lost.exc_value)
    else:
        sys.__unraisablehook__(lost)
