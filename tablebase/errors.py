"""Every error that the library raises on purpose, with the facts that it is about.

The text of an error says what is wrong; what to do about it depends on who asks, so that is for the
caller to say from the facts: the attributes, which are ``None`` or empty where they are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "AmbiguousError",
    "CorruptTableError",
    "FenError",
    "FormatError",
    "IllegalPositionError",
    "MaterialError",
    "MissingTableError",
    "ResourceError",
    "RulesError",
    "Shortage",
    "TablebaseError",
]

Shortage = Literal["disk", "memory", "files", "permission", "folder", "system"]
"""What is short: space on the ``disk``, ``memory``, open ``files``, the ``permission`` to read, a
``folder`` that can be written to; or the ``system`` has another reason."""


class TablebaseError(Exception):
    """Something about tables: the base of the errors that concern them."""

    def __reduce__(self) -> tuple[Any, ...]:
        # An error keeps its message as its only argument, and its constructor takes facts: so that
        # another process is told the same, it is made again without the constructor.
        return _again, (type(self), self.args, self.__dict__)


class MissingTableError(TablebaseError, KeyError):
    """A table that a question needs is not there.

    * ``materials``: the classes of the tables that are missing; empty if none can be made.
    * ``pieces``: the number of animals, if all tables of up to so many were wanted.
    * ``metric`` and ``rules_key`` of the missing tables: what they measure, and their folder.
    * ``directories``: where they were looked for.
    * ``fen``: the position that was asked about, and ``move``, if it is that after a move.
    """

    def __init__(
        self,
        message: str,
        *,
        materials: Iterable[str] = (),
        pieces: int | None = None,
        metric: Literal["dtw", "dtc"] | None = None,
        rules_key: str | None = None,
        directories: Iterable[Path] = (),
        fen: str | None = None,
        move: str | None = None,
    ) -> None:
        super().__init__(message)
        self.materials = tuple(materials)
        self.pieces = pieces
        self.metric = metric
        self.rules_key = rules_key
        self.directories = tuple(directories)
        self.fen = fen
        self.move = move

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which is no sentence.
        return str(self.args[0])


class CorruptTableError(TablebaseError, OSError):
    """A file is damaged, foreign, of an unknown version or of another rule set.

    * ``path`` of the file, and ``reason``: what is wrong with it.
    * ``material``: the class whose table belongs there, if there can be one; ``metric`` and
      ``rules_key`` of that table.
    * ``belongs_at``: where in a data folder a good table in the wrong place belongs.
    * ``newer``: whether only a newer version of the program knows the format.
    """

    def __init__(
        self,
        path: Path,
        reason: str,
        *,
        material: str | None = None,
        metric: Literal["dtw", "dtc"] | None = None,
        rules_key: str | None = None,
        belongs_at: str | None = None,
        newer: bool = False,
    ) -> None:
        super().__init__(f"{path} cannot be used: {reason}")
        self.path = path
        self.reason = reason
        self.material = material
        self.metric = metric
        self.rules_key = rules_key
        self.belongs_at = belongs_at
        self.newer = newer


class ResourceError(TablebaseError, OSError):
    """Not enough memory or disk, or a file or folder that may not be read or written.

    * ``shortage``: what is short.
    * ``path`` of the file or folder.
    * ``needed`` and ``available``: bytes.
    """

    def __init__(
        self,
        message: str,
        shortage: Shortage,
        *,
        path: Path | None = None,
        needed: int | None = None,
        available: int | None = None,
    ) -> None:
        super().__init__(message)
        self.shortage: Shortage = shortage
        self.path = path
        self.needed = needed
        self.available = available


class FenError(ValueError):
    """A text that is no FEN; the message says what is wrong and where.

    ``field`` is the part: ``board``, ``side to move``, ``counter``, or ``fen`` for the whole.
    """

    def __init__(self, message: str, field: str = "fen") -> None:
        super().__init__(message)
        self.field = field


class FormatError(ValueError):
    """A text that does not hold what its format says it should; what is wrong, and where.

    ``reason`` is a sentence without the place. ``format`` is the name of the format, ``line`` and
    ``ply`` count from 1, ``field`` is the name of a field, such as ``"players.red"``; each is
    ``None`` where it is not known or says nothing.
    """

    def __init__(
        self,
        reason: str,
        format_name: str | None = None,
        *,
        line: int | None = None,
        ply: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.format = format_name
        self.line = line
        self.ply = ply
        self.field = field

    def __str__(self) -> str:
        facts = {"line": self.line, "ply": self.ply, "field": self.field}
        place = [f"{name} {fact}" for name, fact in facts.items() if fact is not None]
        where = ", ".join([self.format, *place] if self.format else place)
        return f"{where}: {self.reason}" if where else self.reason


class AmbiguousError(FormatError):
    """A text that can mean more than one thing.

    ``readings`` has what it can mean, each as the name of a format and what that makes of it.
    """

    def __init__(
        self,
        reason: str,
        readings: tuple[tuple[str, str], ...],
        *,
        line: int | None = None,
    ) -> None:
        super().__init__(reason, line=line)
        self.readings = readings

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        meanings = "; ".join(f"as {name}: {meaning}" for name, meaning in self.readings)
        return f"{super().__str__()}: {meanings}"


class IllegalPositionError(ValueError):
    """A placement that cannot stand on a board; ``square`` is where, as in ``c3``, if it is one."""

    def __init__(self, message: str, square: str | None = None) -> None:
        super().__init__(message)
        self.square = square


class MaterialError(ValueError):
    """A text or a set of animals that is no material."""


class RulesError(ValueError):
    """An unknown rule set, an unknown switch, or a value that a switch does not take.

    ``switch`` is its name, ``path`` the file, where they are known.
    """

    def __init__(
        self, message: str, *, switch: str | None = None, path: Path | None = None
    ) -> None:
        super().__init__(message)
        self.switch = switch
        self.path = path


def _again(
    kind: type[TablebaseError], arguments: tuple[object, ...], facts: dict[str, object]
) -> TablebaseError:
    error = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(facts)
    return error
