"""Every error that the library raises on purpose."""

from __future__ import annotations

__all__ = [
    "CorruptTableError",
    "FenError",
    "IllegalPositionError",
    "MaterialError",
    "MissingTableError",
    "ResourceError",
    "RulesError",
    "TablebaseError",
]


class TablebaseError(Exception):
    """Something about tables: the base of the errors that concern them."""


class MissingTableError(TablebaseError, KeyError):
    """The table that a question needs is not there."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which is no sentence.
        return str(self.args[0]) if self.args else ""


class CorruptTableError(TablebaseError, OSError):
    """A file is damaged, foreign, of an unknown version or of another rule set."""


class ResourceError(TablebaseError, OSError):
    """Not enough memory or disk, or a file or folder that may not be read or written."""


class FenError(ValueError):
    """A text that is no FEN; the message says what is wrong and where."""


class IllegalPositionError(ValueError):
    """A placement that cannot stand on a board."""


class MaterialError(ValueError):
    """A text or a set of animals that is no material."""


class RulesError(ValueError):
    """An unknown rule set, an unknown switch, or a value that a switch does not take."""
