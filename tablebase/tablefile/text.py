"""The header as JSON, and the block of text in front of the HDF5 data that holds it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, get_args
from zlib import crc32

from tablebase.errors import RulesError
from tablebase.game.board import SQUARES, Color
from tablebase.game.rules import Animal, Rules
from tablebase.materials.material import Piece
from tablebase.tablefile.checksum import DIGEST_NAME
from tablebase.tablefile.chunks import CODE_DTYPES
from tablebase.tablefile.header import (
    Damage,
    Histogram,
    LongestWin,
    NewerVersion,
    Storage,
    TableHeader,
    TableSummary,
    Zugzwangs,
)
from tablebase.values import Metric

__all__ = [
    "FORMAT",
    "MIN_BLOCK",
    "VERSION",
    "block_size",
    "describe",
    "pack_block",
    "parse_block",
    "parse_description",
    "parse_preamble",
    "to_text",
]

FORMAT: Final = "jtb table"
VERSION: Final = 1
MIN_BLOCK: Final = 4096
"""The smallest header block, in bytes; every block is a power of two, as HDF5 wants it."""

_PREAMBLE: Final = re.compile(
    rb"jtb table (?P<version>[0-9]{1,9})\n"
    rb"(?:header (?P<size>[0-9]{4,8}) bytes, crc32 [0-9a-f]{8}\n)?"
)
_ANIMALS: Final = {animal.letter: animal for animal in Animal}


def describe(header: TableHeader) -> dict[str, Any]:
    """The header as JSON objects, in the order of the file."""
    summary = header.summary
    return {
        "format": FORMAT,
        "version": VERSION,
        "metric": header.metric,
        "rules": {"name": header.rules_key, "switches": header.rules.switches()},
        "class": header.name,
        "axes": [
            {"color": p.color.name.lower(), "animal": p.animal.letter, "squares": list(squares)}
            for p, squares in zip(header.axes, header.squares, strict=True)
        ],
        "shape": list(header.shape),
        "dtype": header.dtype,
        "maximum": summary.maximum,
        "histogram": {
            side: {"win": _sorted(counts.win), "loss": _sorted(counts.loss), "draw": counts.draw}
            for side, counts in zip(("white", "black"), summary.histogram, strict=True)
        },
        "longest_win": {
            side: None if win is None else win._asdict()
            for side, win in zip(("white", "black"), summary.longest_win, strict=True)
        },
        "zugzwangs": summary.zugzwangs._asdict(),
        "digest": {DIGEST_NAME: header.digest},
        "software": dict(header.software),
    }


def parse_description(content: Mapping[str, Any]) -> TableHeader:
    """The inverse of :func:`describe`; :class:`Damage` if it is none."""
    try:
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise Damage("its header contradicts itself")
        white, black = (_histogram(content["histogram"][side]) for side in ("white", "black"))
        longest = [content["longest_win"][side] for side in ("white", "black")]
        header = TableHeader(
            metric=content["metric"],
            rules=Rules.from_switches(content["rules"]["switches"]),
            rules_key=content["rules"]["name"],
            name=content["class"],
            axes=tuple(
                Piece(Color[axis["color"].upper()], _ANIMALS[axis["animal"]])
                for axis in content["axes"]
            ),
            squares=tuple(tuple(axis["squares"]) for axis in content["axes"]),
            dtype=content["dtype"],
            summary=TableSummary(
                maximum=content["maximum"],
                histogram=(white, black),
                longest_win=(_longest(longest[0]), _longest(longest[1])),
                zugzwangs=Zugzwangs(**content["zugzwangs"]),
            ),
            digest=content["digest"][DIGEST_NAME],
            software=content["software"],
        )
        consistent = (
            list(header.shape) == content["shape"]
            and header.dtype in CODE_DTYPES
            and header.metric in get_args(Metric)
            and all(0 < size <= SQUARES for size in header.shape)
        )
    except RulesError as error:
        raise Damage(f"its rules are not understood: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damage(f"its header is not understood ({error!r})") from None
    if not consistent:
        raise Damage("its header contradicts itself")
    return header


def block_size(header: TableHeader) -> int:
    """How many bytes the header block needs, wherever the parts of the file come to lie."""
    most = (1 << 64) - 1
    needed = len(_body(header, Storage(most, most, most, most))) + 64
    size = MIN_BLOCK
    while size < needed:
        size *= 2
    return size


def pack_block(header: TableHeader, storage: Storage, size: int) -> bytes:
    """The header block, ``size`` bytes of text: two lines, a JSON document, padding."""
    body_size = size - len(_first_lines(size, 0))
    body = _body(header, storage).ljust(body_size - 1) + b"\n"
    if len(body) != body_size:
        raise ValueError(f"the header does not fit a block of {size} bytes")
    return _first_lines(size, crc32(body)) + body


def parse_preamble(start: bytes) -> int:
    """The size of the header block of a file that begins with ``start``.

    :class:`Damage` if there is none, :class:`NewerVersion` if only a newer program knows it.
    """
    match = _PREAMBLE.match(start)
    if not match:
        raise Damage("it is no table of this program" if start else "it is empty")
    version = int(match["version"])
    if version > VERSION:
        raise NewerVersion(f"it has version {version} of the format, this program knows {VERSION}")
    if version < 1 or not match["size"]:
        raise Damage("its header is damaged")
    return int(match["size"])


def parse_block(block: bytes) -> tuple[TableHeader, Storage]:
    """What the header block says; :class:`Damage` if its checksum or anything else is wrong."""
    match = _PREAMBLE.match(block)
    body = block[match.end() :] if match else b""
    # The first lines are compared, not just understood: then no other spelling of them passes.
    if not match or match[0] != _first_lines(len(block), crc32(body)):
        raise Damage("its header is damaged")
    try:
        content = json.loads(body)
        stored = content.pop("storage")
        storage = Storage(
            file_size=int(stored["file_size"]),
            index_offset=int(stored["index_offset"]),
            index_crc32=int(stored["index_crc32"], 16),
            rest_crc32=int(stored["rest_crc32"], 16),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damage(f"its header is not understood ({error!r})") from None
    return parse_description(content), storage


def to_text(content: Mapping[str, Any]) -> str:
    """JSON with a line for each entry, so that people can look at it with ``head``."""
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _first_lines(size: int, crc: int) -> bytes:
    return b"%s %d\nheader %d bytes, crc32 %08x\n" % (FORMAT.encode(), VERSION, size, crc)


def _body(header: TableHeader, storage: Storage) -> bytes:
    content = describe(header)
    content["storage"] = asdict(storage) | {
        "index_crc32": f"{storage.index_crc32:08x}",
        "rest_crc32": f"{storage.rest_crc32:08x}",
    }
    return to_text(content).encode("ascii")


def _sorted(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(distance): counts[distance] for distance in sorted(counts)}


def _histogram(content: Mapping[str, Any]) -> Histogram:
    win, loss = (
        {int(distance): int(count) for distance, count in content[key].items()}
        for key in ("win", "loss")
    )
    return Histogram(win, loss, int(content["draw"]))


def _longest(content: Mapping[str, Any] | None) -> LongestWin | None:
    return None if content is None else LongestWin(**content)
