"""Small pieces of text that every view is made of."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import TextWrapper
from typing import Any, Final

import click

__all__ = [
    "WIDTH",
    "columns",
    "counted",
    "cut",
    "duration",
    "json_line",
    "path_text",
    "plies",
    "show",
    "size",
    "table",
    "tables",
    "wrapped",
]

WIDTH: Final = 80

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)


def show(text: str) -> None:
    """Print ``text``; its colours only on a terminal, and not where ``NO_COLOR`` is set."""
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    click.echo(text, file=sys.stdout, color=False if plain else None)


def json_line(document: Any) -> str:
    """``document`` as JSON on one line; paths in it come from :func:`path_text`."""
    text = _ENCODER.encode(document)
    # What is half a character cannot be written in UTF-8, but in JSON as an escape.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def path_text(path: str | Path) -> str:
    """``path`` as JSON has it, whatever the locale: its bytes read as UTF-8, and each that is no
    text as one of the surrogates U+DC80 to U+DCFF, as Python does.

    So ``path_text(path).encode("utf-8", "surrogateescape")`` are its bytes again. Windows, where
    names are no bytes, has its own text.
    """
    return str(path) if os.name == "nt" else os.fsencode(path).decode("utf-8", "surrogateescape")


def cut(text: str, longest: int) -> str:
    """``text``, or where it is longer its beginning, marked."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def counted(count: int, one: str, many: str) -> str:
    """``count`` and the noun in its number."""
    return f"{count:,} {one if count == 1 else many}"


def plies(count: int) -> str:
    """``count`` with its unit."""
    return counted(count, "ply", "plies")


def tables(count: int) -> str:
    """``count`` tables."""
    return counted(count, "table", "tables")


def duration(count: float) -> str:
    """A time of ``count`` seconds."""
    if count < 60:
        return f"{count:.1f} s"
    minutes, rest = divmod(round(count), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def size(count: float) -> str:
    """``count`` bytes in a unit that keeps the number short."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def table(rows: Iterable[Sequence[object]], heads: Sequence[str]) -> str:
    """``rows`` under ``heads`` in aligned columns; numbers to the right."""
    body = [list(row) for row in rows]
    texts = [[f"{cell:,}" if _is_number(cell) else str(cell) for cell in row] for row in body]
    right = [all(_is_number(row[i]) for row in body) for i in range(len(heads))]
    widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in [list(heads), *texts]
    )


def columns(cells: Sequence[str], indent: str = "  ") -> str:
    """``cells`` side by side in as many columns as fit."""
    width = max(map(len, cells)) + 3
    across = max(1, (WIDTH - len(indent) + 3) // width)
    return "\n".join(
        indent + "".join(cell.ljust(width) for cell in cells[start : start + across]).rstrip()
        for start in range(0, len(cells), across)
    )


def wrapped(words: Iterable[str], indent: str = "  ") -> str:
    """``words`` in lines of at most :data:`WIDTH` characters."""
    wrapper = TextWrapper(WIDTH, initial_indent=indent, subsequent_indent=indent)
    return wrapper.fill(" ".join(words))


def _is_number(cell: object) -> bool:
    return isinstance(cell, int) and not isinstance(cell, bool)
