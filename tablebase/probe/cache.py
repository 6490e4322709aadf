"""Open table files and decoded chunks, the most recently used ones, for all threads."""

from __future__ import annotations

import os
from collections import OrderedDict
from threading import Lock
from typing import Final
from weakref import WeakSet

import numpy as np

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError
from tablebase.materials.table import Table
from tablebase.tablefile import TableFile

__all__ = ["ChunkCache"]


class ChunkCache:
    """The chunks of the tables of one rule set in the folders of ``catalog``.

    Files are opened when one of their chunks is first wanted; at most ``max_open_files`` stay open.
    Decoded chunks are kept up to ``cache_bytes`` together. Threads share all of it; so does a
    forked process, by having a copy.
    """

    def __init__(self, catalog: Catalog, max_open_files: int, cache_bytes: int) -> None:
        self._catalog = catalog
        self._max_open_files = max_open_files
        self._cache_bytes = cache_bytes
        self._lock = Lock()
        self._closed = False
        self._bytes = 0
        self._files: OrderedDict[str, TableFile] = OrderedDict()
        self._chunks: OrderedDict[tuple[str, int, int], memoryview] = OrderedDict()
        _CACHES.add(self)

    def chunk(self, table: Table, side: int, number: int) -> memoryview:
        """The codes of a chunk in C order, a flat view whose items are ``int``.

        ``side`` to move and ``number`` as in :meth:`TableFile.chunk
        <tablebase.tablefile.TableFile.chunk>`. :class:`~tablebase.errors.MissingTableError` if
        there is no such table, :class:`~tablebase.errors.CorruptTableError` if it is damaged.
        """
        key = table.file, side, number
        with self._lock:
            codes = self._chunks.get(key)
            if codes is not None:
                self._chunks.move_to_end(key)
                return codes
        # Two threads may read the same chunk: better than to make all others wait for the disk.
        try:
            read = self._file(table).chunk(side, number).reshape(-1)
        except CorruptTableError:
            with self._lock:  # so that a file that takes its place is noticed
                self._files.pop(table.file, None)
            raise
        codes = np.ascontiguousarray(read, read.dtype.newbyteorder("=")).data
        with self._lock:
            if not self._closed:
                self._keep(key, codes)
        return codes

    def close(self) -> None:
        """Forget everything; to ask for a chunk is a ``ValueError`` from now on."""
        with self._lock:
            self._closed = True
            self._files.clear()
            self._chunks.clear()
            self._bytes = 0

    def _keep(self, key: tuple[str, int, int], codes: memoryview) -> None:
        if key not in self._chunks:
            self._bytes += codes.nbytes
        self._chunks[key] = codes
        while self._bytes > self._cache_bytes:
            _, oldest = self._chunks.popitem(last=False)
            self._bytes -= oldest.nbytes

    def _file(self, table: Table) -> TableFile:
        key = table.file
        with self._lock:
            if self._closed:
                raise ValueError("the tablebase is closed")
            file = self._files.get(key)
            if file is not None:
                self._files.move_to_end(key)
                return file
        file = self._catalog.open(table)
        with self._lock:
            if not self._closed:
                self._files[key] = file
                # Not closed but dropped: a thread that still reads from one keeps it open.
                while len(self._files) > self._max_open_files:
                    self._files.popitem(last=False)
        return file

    def _after_fork(self) -> None:
        """Make good what another thread, which this process does not have, may have left undone."""
        self._lock = Lock()
        self._bytes = sum(codes.nbytes for codes in self._chunks.values())


_CACHES: Final[WeakSet[ChunkCache]] = WeakSet()


def _after_fork() -> None:
    for cache in list(_CACHES):
        cache._after_fork()  # noqa: SLF001


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
