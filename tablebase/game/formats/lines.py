"""The lines of a text or a stream, gzipped or not, in constant memory and with their numbers."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import deque
from collections.abc import Iterator
from typing import IO, Final

from tablebase.errors import FormatError

__all__ = ["LONGEST", "MOST_LINES", "Lines", "Source", "too_long"]

Source = str | bytes | IO[str] | IO[bytes]
"""A text itself, or a file or stream of one, open for reading."""

LONGEST: Final = 16 * 1024 * 1024
"""So many bytes (of a stream of text: characters) may a line have, or a record of many lines."""

MOST_LINES: Final = 1_000_000
"""So many lines may a record of many lines have."""

_HEAD: Final = 64 * 1024
"""About so much of a text is looked at to tell its format."""
_CHUNK: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"


class Lines:
    """The lines of ``source``, less their ends.

    An iteration gives a ``FormatError`` in the place of a line that is too long or not UTF-8, and
    goes on; :attr:`number` is that of the line given last.
    """

    def __init__(self, source: Source) -> None:
        self.number = 0
        self._ahead: deque[str | FormatError] = deque()
        self._ended = False
        self._text: IO[str] | None = None
        self._bytes: IO[bytes] | None = None
        if isinstance(source, str):
            self._text = io.StringIO(source)
        elif isinstance(source, bytes):
            self._bytes = _unzipped(io.BytesIO(source))
        elif isinstance(source.read(0), str):
            self._text = source  # type: ignore[assignment]
        else:
            self._bytes = _unzipped(source)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str | FormatError]:
        while (line := self._next()) is not None:
            yield line

    def head(self) -> list[str]:
        """The first lines, without taking them; ``FormatError`` if the first cannot be read."""
        size = sum(len(line) + 1 for line in self._ahead if isinstance(line, str))
        while size < _HEAD and (line := self._read(self.number + len(self._ahead) + 1)) is not None:
            self._ahead.append(line)
            size += len(line) + 1 if isinstance(line, str) else 1
        if self._ahead and isinstance(self._ahead[0], FormatError):
            raise self._ahead[0]
        return [line for line in self._ahead if isinstance(line, str)]

    def document(self, format_name: str) -> str:
        """All that is left, as one text; ``FormatError`` if it is too long or not UTF-8."""
        parts: list[str] = []
        size = 0
        for line in self:
            if isinstance(line, FormatError):
                raise line
            parts.append(line)
            size += len(line) + 1
            if size > LONGEST + 1 or len(parts) > MOST_LINES:
                raise FormatError(too_long("the text"), format_name, line=self.number)
        return "\n".join(parts)

    def _next(self) -> str | FormatError | None:
        line = self._ahead.popleft() if self._ahead else self._read(self.number + 1)
        if line is not None:
            self.number += 1
        return line

    def _read(self, number: int) -> str | FormatError | None:
        """The line of that number, from the source; ``None`` at the end."""
        if self._ended:
            return None
        try:
            if self._text is not None:
                line = self._text.readline(LONGEST + 1)
                is_long = len(line) > LONGEST
                while is_long and line and not line.endswith("\n"):
                    line = self._text.readline(_CHUNK)
            else:
                assert self._bytes is not None
                raw = self._bytes.readline(LONGEST + 1)
                is_long = len(raw) > LONGEST
                while is_long and raw and not raw.endswith(b"\n"):
                    raw = self._bytes.readline(_CHUNK)
                line = raw.decode("utf-8") if not is_long else ""
        except UnicodeDecodeError as error:
            self._ended = self._text is not None  # a stream of text does not go on after that
            return FormatError(f"byte {error.start + 1} of the line is not UTF-8", line=number)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            self._ended = True
            return FormatError(f"the compressed text is damaged or cut off ({error})", line=number)
        if is_long:
            return FormatError(too_long("the line"), line=number)
        if not line:
            self._ended = True
            return None
        if number == 1:
            line = line.removeprefix("\ufeff")
        return line.rstrip("\r\n")


def too_long(what: str) -> str:
    """The sentence that ``what`` is longer than any record."""
    return f"{what} is longer than {LONGEST // (1024 * 1024)} MiB or {MOST_LINES} lines"


class _Raw(io.RawIOBase):
    """Any object with ``read`` as a raw stream."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._source.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _unzipped(source: IO[bytes]) -> IO[bytes]:
    peeked = source if isinstance(source, io.BufferedReader) else io.BufferedReader(_Raw(source))
    if peeked.peek(2)[:2] != _GZIP:
        return peeked
    return io.BufferedReader(gzip.GzipFile(fileobj=peeked))
