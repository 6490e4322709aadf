"""Where things are in a table file: chunks, their index, and everything that is neither."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tablebase.tablefile.header import Damage

__all__ = [
    "CHUNK_AXES",
    "CODE_DTYPES",
    "INDEX_DTYPE",
    "SIDES",
    "chunk_count",
    "chunk_shape",
    "gaps",
]

SIDES: Final = ("white", "black")
"""The datasets, by the side to move."""

CODE_DTYPES: Final[dict[str, np.dtype[np.unsignedinteger]]] = {
    "uint8": np.dtype("u1"),
    "uint16": np.dtype("<u2"),
}
"""How codes are stored, by the name in the header."""

CHUNK_AXES: Final = 3
"""A chunk spans this many last axes: some 115 KiB of codes, which read quickly and pack well."""

INDEX_DTYPE: Final = np.dtype([("offset", "<u8"), ("size", "<u4"), ("crc32", "<u4")])
"""An entry of the chunk index: offset in the file and size of the stored chunk in bytes, and its
CRC-32. The index has the shape (2, chunks): side to move, number of the chunk."""


def chunk_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of one chunk of a table of ``shape``: its last three axes, or all."""
    return shape[-CHUNK_AXES:]


def chunk_count(shape: tuple[int, ...]) -> int:
    """How many chunks each side to move has; they are numbered in C order."""
    return prod(shape[:-CHUNK_AXES])


def gaps(index: NDArray[np.void], start: int, end: int) -> list[tuple[int, int]]:
    """The (offset, size) of every stretch between ``start`` and ``end`` that no chunk covers.

    :class:`Damage` if the chunks overlap or reach beyond.
    """
    offsets = index["offset"].ravel().astype(np.int64)
    order = np.argsort(offsets, kind="stable")
    begins = offsets[order]
    ends = begins + index["size"].ravel()[order]
    before = np.concatenate(([start], ends))
    after = np.concatenate((begins, [end]))
    sizes = after - before
    if (sizes < 0).any():
        raise Damage("its chunk index is inconsistent")
    return [(int(before[i]), int(sizes[i])) for i in np.flatnonzero(sizes)]
