"""The checksums of a table file: CRC-32, HDF5's variant of Fletcher-32, and the values digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    import xxhash

__all__ = ["DIGEST_NAME", "FLETCHER_BYTES", "crc32", "fletcher32", "values_hasher"]

DIGEST_NAME: Final = "xxh3_128"
"""The hash over the codes of a table: White to move first, C order, little endian."""

FLETCHER_BYTES: Final = 4
"""HDF5 stores the checksum behind the data of a chunk, little endian."""

# So many words at a time that no sum below leaves 64 bits.
_BLOCK: Final = 1 << 16
_WEIGHTS: Final = np.arange(_BLOCK, 0, -1, dtype=np.uint64)


def fletcher32(data: bytes) -> int:
    """What HDF5's ``fletcher32`` filter computes of ``data``.

    The bytes are taken as big-endian 16-bit words, with a zero byte appended to an odd number of
    them, and added up in ones' complement. A sum that is a multiple of 65535 is therefore 65535,
    and 0 only where every word is.
    """
    words = np.frombuffer(data + b"\0" if len(data) % 2 else data, ">u2").astype(np.uint64)
    simple = weighted = 0
    for start in range(0, len(words), _BLOCK):
        block = words[start : start + _BLOCK]
        total = int(block.sum())
        weighted += int(np.dot(block, _WEIGHTS[_BLOCK - len(block) :]))
        weighted += total * (len(words) - start - len(block))
        simple += total
    return _fold(weighted) << 16 | _fold(simple)


def values_hasher() -> xxhash.xxh3_128:
    """A fresh hash object for the values digest."""
    import xxhash  # only writing and full checks need it

    return xxhash.xxh3_128()


def _fold(value: int) -> int:
    return (value - 1) % 0xFFFF + 1 if value else 0
