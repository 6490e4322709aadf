"""The standard streams: UTF-8 for data whatever the locale, and a true end whatever they lead to.

* What goes to a file or a pipe is UTF-8, text for people too. A terminal gets its own encoding, and
  stand-ins for what that lacks.
* Input is read as bytes, line by line, and never more of a line than is wanted.
* Output that is closed, absent, full or without a reader ends the command; what is said on stderr
  never fails.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import sys
from collections.abc import Iterator
from typing import IO, Any, Final, TextIO

__all__ = ["InputError", "OutputClosed", "OutputError", "prepare", "read_lines", "tell"]

_CHUNK: Final = 1 << 16
_LINE_END: Final = re.compile(rb"\r*\n|\r")
_REST_OF_LINE_END: Final = re.compile(rb"\r*\n")

_FALLBACK: Final = "jtb.fallback"
_STAND_INS: Final = {"…": "...", "–": "-", "×": "x"}


class OutputClosed(Exception):
    """The reader of stdout went away, as ``head`` does when it has seen enough."""


class OutputError(OSError):
    """Stdout does not take what is written to it."""


class InputError(OSError):
    """Stdin cannot be read."""


def prepare() -> None:
    """Make the standard streams of this process those that are described above."""
    codecs.register_error(_FALLBACK, _stand_in)
    # In this order a stream that is absent takes its own number, the lowest that is free: no file
    # gets it, so no library that writes to number 2 writes into a table. What is opened in its
    # place cannot be read, or written to.
    sys.stdin = _prepared(sys.stdin, 0, os.O_WRONLY, _Input)
    sys.stdout = _prepared(sys.stdout, 1, os.O_RDONLY, _Output)
    sys.stderr = _prepared(sys.stderr, 2, os.O_RDONLY, _Notes)


def read_lines(file: Any, longest: int) -> Iterator[bytes]:
    """The lines of a binary file without their ends (LF, CR LF or CR), each as soon as it is there.

    Of one of more than ``longest`` bytes, the first ``longest + 1``; what follows is not kept.
    """
    begun, after_return = b"", False
    while chunk := file.read1(_CHUNK):
        if after_return and (rest := _REST_OF_LINE_END.match(chunk)):
            chunk = chunk[rest.end() :]
        after_return = chunk.endswith(b"\r")
        text = begun + chunk
        *lines, begun = _LINE_END.split(text) if b"\r" in chunk else text.split(b"\n")
        for line in lines:
            yield line[: longest + 1]
        begun = begun[: longest + 1]
    if begun:
        yield begun


def tell(text: str) -> None:
    """Write ``text`` and the end of a line to stderr, if there is one."""
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _prepared(stream: TextIO | None, number: int, absent: int, kind: type[io.FileIO]) -> TextIO:
    """``stream``, or what stands for it if it is absent, in the manner of ``kind``."""
    encoding = "utf-8"
    if stream is None:
        number = os.open(os.devnull, absent)
    else:
        binary = getattr(stream, "buffer", None)
        if not isinstance(getattr(binary, "raw", binary), io.FileIO):  # python -u has no buffer
            if isinstance(stream, io.TextIOWrapper):  # a console of Windows
                stream.reconfigure(errors=_FALLBACK)
            return stream
        if stream.isatty():
            encoding = stream.encoding
    raw = kind(number, "r" if kind is _Input else "w", closefd=False)
    buffer: IO[bytes] = io.BufferedReader(raw) if raw.readable() else io.BufferedWriter(raw)
    by_line = kind is _Notes or raw.isatty()
    return io.TextIOWrapper(buffer, encoding, errors=_FALLBACK, line_buffering=by_line)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    """What is written for characters that an encoding lacks: else an escape as in JSON, so that
    JSON stays what it is. Bytes of a file name that are no text are such characters."""
    assert isinstance(error, UnicodeEncodeError)
    import json

    missing = error.object[error.start : error.end]
    return "".join(_STAND_INS.get(c) or json.dumps(c)[1:-1] for c in missing), error.end


class _Input(io.FileIO):
    """Stdin. Where there is nothing yet, it waits, even if it was made not to."""

    def readinto(self, buffer: Any) -> int:
        try:
            while (count := super().readinto(buffer)) is None:
                _wait(reading=self)
        except OSError as error:
            raise InputError(error.errno, error.strerror) from None
        return count


class _Output(io.FileIO):
    """Stdout. After a failure it takes everything and writes nothing, so that the interpreter does
    not fail again on its way out."""

    _lost = False

    def write(self, data: Any) -> int:
        try:
            while not self._lost:
                if (count := super().write(data)) is not None:
                    return count
                _wait(writing=self)
        except OSError as error:
            self._lost = True
            self._fail(error)
        return len(data)

    def _fail(self, error: OSError) -> None:
        # Windows calls a pipe without a reader an invalid argument.
        if isinstance(error, ConnectionError) or (os.name == "nt" and error.errno == errno.EINVAL):
            raise OutputClosed from None
        raise OutputError(error.errno, error.strerror) from None


class _Notes(_Output):
    """Stderr: where nobody can be told, nobody is told."""

    def _fail(self, error: OSError) -> None:
        pass


def _wait(reading: io.FileIO | None = None, writing: io.FileIO | None = None) -> None:
    import select

    select.select([reading] if reading else [], [writing] if writing else [], [])
