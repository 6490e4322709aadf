"""One table on disk: how it is described, written and read. ``docs/file-format.md`` has the format.

A table file is an HDF5 file with a header of its own in front. The header says where the chunks
are, so probing reads them without HDF5, and it carries checksums of everything, so no flipped bit
goes unseen. Writing alone uses h5py.
"""

from __future__ import annotations

from tablebase.tablefile.chunks import chunk_count, chunk_shape
from tablebase.tablefile.header import (
    Histogram,
    LongestWin,
    TableHeader,
    TableSummary,
    Zugzwangs,
)
from tablebase.tablefile.reader import TableFile
from tablebase.tablefile.text import FORMAT, VERSION
from tablebase.tablefile.writer import PART_SUFFIX, write_table

__all__ = [
    "FORMAT",
    "PART_SUFFIX",
    "VERSION",
    "Histogram",
    "LongestWin",
    "TableFile",
    "TableHeader",
    "TableSummary",
    "Zugzwangs",
    "chunk_count",
    "chunk_shape",
    "write_table",
]
