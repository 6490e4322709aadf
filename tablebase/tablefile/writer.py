"""Writing a table file: a temporary file in the same folder, complete and on disk before it gets
its name.

The HDF5 library writes to a Python file object of ours. So a full disk is an ``OSError`` of our
own, and the library never sees a failure, which it would not recover from.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any, Final, Literal
from zlib import crc32

import numpy as np
import zstandard
from numpy.typing import NDArray

from tablebase.errors import CorruptTableError, ResourceError, TablebaseError
from tablebase.materials.table import Table
from tablebase.resources import resource_error
from tablebase.tablefile.checksum import FLETCHER_BYTES, fletcher32, values_hasher
from tablebase.tablefile.chunks import (
    CHUNK_AXES,
    CODE_DTYPES,
    INDEX_DTYPE,
    SIDES,
    chunk_count,
    chunk_shape,
    gaps,
)
from tablebase.tablefile.header import Storage, TableHeader, TableSummary
from tablebase.tablefile.reader import TableFile
from tablebase.tablefile.text import block_size, describe, pack_block, to_text
from tablebase.version import __version__

__all__ = ["LEVEL", "PART_SUFFIX", "Chunks", "write_table"]

PART_SUFFIX: Final = ".part"
"""How the name of an unfinished file ends; it begins with a dot and the name of the table file."""

LEVEL: Final = 5
"""zstd's level, as the file states it: on tables of five animals it packs 7 % better than level 3,
at 0.45 times its speed, and so much is less than what solving costs."""
_MIN_MATCH: Final = 7
"""Matches of fewer bytes than this are not looked for: on tables of five animals this packs 3 %
better than the level's own choice, at 1.1 times its speed."""

Chunks = Callable[[int, int], NDArray[np.unsignedinteger]]
"""The codes of a chunk by side to move (0 White, 1 Black) and number, as in
:meth:`TableFile.chunk`."""

_ZSTD_FILTER: Final = 32015
"""zstd's number in the HDF Group's registry of filters."""


def write_table(
    path: str | Path,
    table: Table,
    dtype: Literal["uint8", "uint16"],
    summary: TableSummary,
    chunks: Chunks,
) -> TableHeader:
    """Write ``table`` to ``path``; whoever looks there sees all of it or nothing.

    ``chunks(side, number)`` is called once for each chunk, White to move first, in order, and
    gives codes of ``dtype`` in the shape of a chunk (:func:`chunk_shape`). It all happens in the
    calling thread; several tables can be written in as many threads.

    Raises :class:`ResourceError` if the disk or the folder does not allow it. No unfinished file
    is left behind unless the process is killed: hold the lock of the table
    (:meth:`~tablebase.catalog.Catalog.lock`), and what it left is cleaned up by the next holder.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}{PART_SUFFIX}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with _Sink(part) as sink:
                header = _write(sink, table, dtype, summary, chunks)
                os.fsync(sink.fileno())
            _read_back(part, path)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except TablebaseError:
        raise
    except OSError as error:
        raise resource_error(f"cannot write {path}", error, path, writing=True) from error
    return header


class _Sink(io.FileIO):
    """The new file. After a failure it swallows what it is given, until :meth:`check` tells."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "x+")
        self._failure: BaseException | None = None

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        written = 0
        try:
            while written < len(view) and self._failure is None:
                written += super().write(view[written:])
        except BaseException as failure:  # also an interrupt: the library must not be left midway
            self._failure = failure
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as failure:
            self._failure = self._failure or failure
            return self.tell() if size is None else size

    def check(self) -> None:
        """Raise what went wrong, if anything did."""
        if self._failure is not None:
            raise self._failure


def _write(
    sink: _Sink,
    table: Table,
    dtype: str,
    summary: TableSummary,
    chunks: Chunks,
) -> TableHeader:
    import h5py  # only writing needs it

    header = TableHeader(
        metric=table.metric,
        rules=table.rules,
        rules_key=table.folder,
        name=table.name,
        axes=table.axes,
        squares=table.squares,
        dtype=dtype,
        summary=summary,
        digest=values_hasher().hexdigest(),
        software={
            "jtb": __version__,
            "numpy": np.__version__,
            "h5py": h5py.__version__,
            "hdf5": h5py.version.hdf5_version,
            "zstandard": zstandard.__version__,
            "zstd": ".".join(map(str, zstandard.ZSTD_VERSION)),
        },
    )
    block = block_size(header)
    try:
        # Pinned, so that the bytes do not depend on what a later library calls its latest format.
        with h5py.File(sink, "w", libver=("v110", "v110"), userblock_size=block) as file:
            index, digest = _write_chunks(file, sink, header, chunks)
            header = replace(header, digest=digest)
            file.attrs["header"] = np.bytes_(to_text(describe(header)).encode("ascii"))
            file.create_dataset("index", data=index)
            index_offset = file["index"].id.get_offset()
    except Exception:
        sink.check()  # the library's errors are consequences
        raise
    sink.check()

    size = os.fstat(sink.fileno()).st_size
    rest = 0
    for offset, length in gaps(index, block, size):
        rest = crc32(os.pread(sink.fileno(), length, offset), rest)
    sink.seek(0)
    sink.write(pack_block(header, Storage(size, index_offset, crc32(index.tobytes()), rest), block))
    sink.check()
    return header


def _write_chunks(
    file: Any, sink: _Sink, header: TableHeader, chunks: Chunks
) -> tuple[NDArray[np.void], str]:
    """Write both datasets; the chunk index and the values digest."""
    shape, dtype = header.shape, CODE_DTYPES[header.dtype]
    index = np.zeros((2, chunk_count(shape)), INDEX_DTYPE)
    hasher = values_hasher()
    parameters = zstandard.ZstdCompressionParameters.from_level(
        LEVEL, source_size=prod(chunk_shape(shape)) * dtype.itemsize, min_match=_MIN_MATCH
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters)
    for side, name in enumerate(SIDES):
        dataset = _create(file, name, shape, dtype)
        for number, leading in enumerate(np.ndindex(shape[:-CHUNK_AXES])):
            codes = chunks(side, number)
            if codes.shape != chunk_shape(shape) or codes.dtype != dtype:
                raise ValueError(
                    f"chunk {number} is {codes.dtype}{list(codes.shape)},"
                    f" not {dtype}{list(chunk_shape(shape))}"
                )
            if codes.max() > header.summary.maximum:
                raise ValueError(f"chunk {number} has codes above {header.summary.maximum}")
            data = np.ascontiguousarray(codes, dtype).data
            hasher.update(data)
            frame = compressor.compress(data)
            stored = frame + fletcher32(frame).to_bytes(FLETCHER_BYTES, "little")
            origin = (*leading, *(0 for _ in codes.shape))
            dataset.write_direct_chunk(origin, stored)
            sink.check()
            index["crc32"][side, number] = crc32(stored)
        _locate(dataset, index[side].reshape(shape[:-CHUNK_AXES]))
    return index, hasher.hexdigest()


def _create(file: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """A dataset whose chunks we pack ourselves: optional filters need not be there to write."""
    from h5py import h5d, h5p, h5s, h5t, h5z

    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_obj_track_times(False)  # the same values make the same file
    plist.set_chunk((*(1 for _ in shape[:-CHUNK_AXES]), *chunk_shape(shape)))
    plist.set_filter(_ZSTD_FILTER, h5z.FLAG_OPTIONAL, (LEVEL,))
    plist.set_fletcher32()
    space = h5s.create_simple(shape)
    return h5d.create(file.id, name.encode(), h5t.py_create(dtype), space, plist)


def _locate(dataset: Any, index: NDArray[np.void]) -> None:
    """Fill in where the library put the chunks, all at once: asking for each is slow."""

    def enter(chunk: Any) -> None:
        leading = chunk.chunk_offset[: index.ndim]
        index["offset"][leading] = chunk.byte_offset
        index["size"][leading] = chunk.size

    dataset.chunk_iter(enter)


def _read_back(part: Path, path: Path) -> None:
    """See to it that the file is what the reader expects, whatever the libraries did."""
    try:
        with TableFile(part) as file:
            file.check_stored()
    except CorruptTableError as error:
        raise ResourceError(
            f"cannot write {path}: what was written reads back differently ({error.reason});"
            " check the disk and the versions of h5py and zstandard",
            "system",
            path=path,
        ) from error


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the file system can promise that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)
