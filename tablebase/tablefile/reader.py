"""Reading a table file: plain reads, every byte checked, no HDF5."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self
from zlib import crc32

import numpy as np
import zstandard
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, MaterialError
from tablebase.game.rules import Rules
from tablebase.materials.material import MAX_ANIMALS, Material
from tablebase.materials.table import FILENAME, Table
from tablebase.resources import resource_error
from tablebase.tablefile.checksum import FLETCHER_BYTES, values_hasher
from tablebase.tablefile.chunks import (
    CODE_DTYPES,
    INDEX_DTYPE,
    SIDES,
    chunk_count,
    chunk_shape,
    gaps,
)
from tablebase.tablefile.header import Damage, NewerVersion, Storage, TableHeader
from tablebase.tablefile.text import MIN_BLOCK, parse_block, parse_preamble
from tablebase.values import Metric

__all__ = ["TableFile"]

_SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EACCES, errno.EPERM})


class TableFile:
    """A table on disk, open for reading.

    Opening checks the header, the chunk index and all else that is no chunk; each chunk is checked
    as it is read. So damage anywhere raises :class:`CorruptTableError` before a value comes out.
    ``FileNotFoundError`` if there is no such file; :class:`ResourceError` if too many are open or
    it may not be read.

    Safe to use from many threads and after a fork. The file stays open until :meth:`close` or
    until the last reference is gone; a reader in another thread finishes its chunk in either case.
    A file that is replaced meanwhile is still read as it was.
    """

    __slots__ = ("_dtype", "_handle", "_index", "chunk_shape", "chunks", "header", "path")

    path: Path
    header: TableHeader
    chunks: int
    """How many chunks there are for each side to move."""
    chunk_shape: tuple[int, ...]
    """The shape of a chunk: that of the last three axes, or of all if there are fewer."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            handle = _Handle(self.path)
            self.header, storage, size = _read_header(handle)
            self.chunks = chunk_count(self.header.shape)
            self.chunk_shape = chunk_shape(self.header.shape)
            self._dtype = CODE_DTYPES[self.header.dtype]
            self._index = _read_index(handle, storage, size, self.chunks)
        except Damage as damage:
            self._refuse(damage)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in _SHORTAGES:  # the file itself may be good
                raise resource_error(f"cannot read {self.path}", error, self.path) from error
            self._refuse(Damage(f"it cannot be read ({error.strerror})"))
        self._handle: _Handle | None = handle

    def require(self, table: Table) -> Self:
        """This file, if it is that ``table``; else :class:`CorruptTableError`, which says in what
        it differs."""
        reason = self.header.mismatch(table)
        if reason:
            self._refuse(Damage(reason))
        return self

    def require_its_place(self) -> Self:
        """This file, if it is the table that its name and folder say; else
        :class:`CorruptTableError`."""
        header = self.header
        table = _table_called(header.rules, header.name, header.metric)
        if table is None:
            self._refuse(Damage(f"it is the table of {header.name}, which no material has"))
        if (self.path.absolute().parent.name, self.path.name) != (table.folder, table.filename):
            reason = Damage(f"it is not in its place: it is the table {table.file}")
            self._refuse(reason, belongs_at=table.file)
        return self.require(table)

    def chunk(self, side: int, number: int) -> NDArray[np.unsignedinteger]:
        """The codes of one chunk for one side to move (0 White, 1 Black), read-only.

        The shape is :attr:`chunk_shape`; ``number`` counts in C order over the axes before those.
        """
        try:
            codes = np.frombuffer(self._unpack(self._stored(side, number)), dtype=self._dtype)
        except Damage as damage:
            self._refuse(damage)
        return codes.reshape(self.chunk_shape)

    def read(self, side: int) -> NDArray[np.unsignedinteger]:
        """All codes for one side to move (0 White, 1 Black), in the shape of the table."""
        codes = np.empty((self.chunks, *self.chunk_shape), dtype=self._dtype)
        for number in range(self.chunks):
            codes[number] = self.chunk(side, number)
        return codes.reshape(self.header.shape)

    def check_stored(self) -> None:
        """Read every chunk and compare its CRC-32, without unpacking;
        :class:`CorruptTableError` if one is damaged."""
        try:
            for side in range(2):
                for number in range(self.chunks):
                    self._stored(side, number)
        except Damage as damage:
            self._refuse(damage)

    def check(self) -> None:
        """Unpack everything and compare it with the digest and the maximum in the header;
        :class:`CorruptTableError` if anything is wrong."""
        hasher = values_hasher()
        highest = 0
        for side in range(2):
            for number in range(self.chunks):
                codes = self.chunk(side, number)
                hasher.update(codes.data)
                highest = max(highest, int(codes.max()))
        if hasher.hexdigest() != self.header.digest:
            self._refuse(Damage("its values do not have the digest that it states"))
        if highest > self.header.summary.maximum:
            self._refuse(Damage("its values are higher than the maximum that it states"))

    @property
    def size(self) -> int:
        """The size of the file in bytes; ``ValueError`` once it is closed."""
        if self._handle is None:
            raise ValueError(f"{self.path} is closed")
        return self._handle.size

    def close(self) -> None:
        """Close the file; reading from it is a ``ValueError`` from now on."""
        self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"TableFile({str(self.path)!r})"

    def _stored(self, side: int, number: int) -> bytes:
        """A chunk as the file has it; :class:`Damage` if its checksum is wrong."""
        handle = self._handle
        if handle is None:
            raise ValueError(f"{self.path} is closed")
        if not (0 <= side < 2 and 0 <= number < self.chunks):
            raise IndexError(f"no chunk {number} for side {side}: there are {self.chunks}")
        offset, size, crc = self._index[side, number].item()
        try:
            stored = handle.read(offset, size)
        except OSError as error:
            raise Damage(f"it cannot be read ({error.strerror})") from None
        if crc32(stored) != crc:
            raise Damage(f"chunk {number} for {SIDES[side]} to move is damaged")
        return stored

    def _unpack(self, stored: bytes) -> bytes:
        """The codes of a chunk as bytes. The frame is asked for its size first, so that a strange
        file cannot have any amount of memory allocated."""
        expected = self._dtype.itemsize * int(np.prod(self.chunk_shape))
        frame = memoryview(stored)[:-FLETCHER_BYTES]
        try:
            if zstandard.frame_content_size(frame) == expected:
                codes = zstandard.ZstdDecompressor().decompress(frame, max_output_size=expected)
                if len(codes) == expected:
                    return codes
        except zstandard.ZstdError:
            pass
        raise Damage("a chunk of it does not unpack")

    def _refuse(self, damage: Damage, belongs_at: str | None = None) -> NoReturn:
        match = FILENAME.fullmatch(self.path.name)
        raise CorruptTableError(
            self.path,
            str(damage),
            material=match["name"] if match and _material_called(match["name"]) else None,
            metric=_metric_called(match["metric"]) if match else None,
            rules_key=self.path.absolute().parent.name,
            belongs_at=belongs_at,
            newer=isinstance(damage, NewerVersion),
        ) from None


def _material_called(name: str) -> Material | None:
    """The material called ``name``, if it is one that tables are made for."""
    try:
        material = Material.parse(name)
    except MaterialError:
        return None
    return material if len(material) <= MAX_ANIMALS else None


def _metric_called(name: str) -> Metric:
    return "dtc" if name == "dtc" else "dtw"


def _table_called(rules: Rules, name: str, metric: Metric) -> Table | None:
    """The table of the class whose name, and not only that of a material of it, is ``name``."""
    material = _material_called(name)
    table = Table.of(rules, material, metric) if material is not None else None
    return table if table is not None and table.name == name else None


class _Handle:
    """An open file descriptor that is closed with its last reference, so never under a reader."""

    __slots__ = ("_descriptor", "size")

    def __init__(self, path: Path) -> None:
        # Without O_NONBLOCK, opening a named pipe would wait for a writer.
        self._descriptor = -1
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        status = os.fstat(self._descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise Damage("it is a folder, not a file")
        if not stat.S_ISREG(status.st_mode):
            raise Damage("it is no ordinary file")
        self.size = status.st_size

    def read(self, offset: int, size: int) -> bytes:
        """``size`` bytes from ``offset``; :class:`Damage` if the file ends before."""
        data = os.pread(self._descriptor, size, offset)
        while len(data) < size:  # rare: the system may return less than it could
            more = os.pread(self._descriptor, size - len(data), offset + len(data))
            if not more:
                raise Damage("it ends too early")
            data += more
        return data

    def __del__(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def _read_header(handle: _Handle) -> tuple[TableHeader, Storage, int]:
    """The header, where things are stored, and the size of the header block."""
    start = handle.read(0, min(MIN_BLOCK, handle.size))
    size = parse_preamble(start)
    if size > handle.size:
        raise Damage("its header is damaged or cut off")
    header, storage = parse_block(start[:size] + handle.read(len(start), max(0, size - len(start))))
    if handle.size != storage.file_size:
        raise Damage(f"it has {handle.size} bytes and should have {storage.file_size}")
    return header, storage, size


def _read_index(handle: _Handle, storage: Storage, block: int, chunks: int) -> NDArray[np.void]:
    """The chunk index; :class:`Damage` unless it and all else outside the chunks is right."""
    data = handle.read(storage.index_offset, 2 * chunks * INDEX_DTYPE.itemsize)
    if crc32(data) != storage.index_crc32:
        raise Damage("its chunk index is damaged")
    index = np.frombuffer(data, dtype=INDEX_DTYPE).reshape(2, chunks)
    crc = 0
    for offset, size in gaps(index, block, storage.file_size):
        crc = crc32(handle.read(offset, size), crc)
    if crc != storage.rest_crc32:
        raise Damage("a part of it outside the values is damaged")
    return index
