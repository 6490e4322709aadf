"""Table files: what is written is read, by this program and by others."""

from __future__ import annotations

import gc
import json
import re
import resource
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Literal

import h5py
import numpy as np
import pytest
import xxhash

from tablebase.errors import ResourceError
from tablebase.tablefile import TableFile, chunk_count, chunk_shape
from tablebase.tablefile.header import Storage
from tablebase.tablefile.text import MIN_BLOCK, block_size, pack_block, parse_block
from tests.sample_tables import (
    LARGE,
    SMALL,
    ChunkSource,
    sample_codes,
    sample_summary,
    table_of,
    write_sample,
)
from tests.tablefile.damage import flipped, run_python


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("name", ["EvP", "RvR", "ELvT", "ELvTP"])
def test_round_trip(tmp_path: Path, name: str, dtype: Literal["uint8", "uint16"]) -> None:
    table = table_of(name)
    maximum = 200 if dtype == "uint8" else 1000
    codes = sample_codes(table, dtype, maximum)
    source = ChunkSource(table, codes)
    path = tmp_path / "folder" / "of its own" / "table.h5"
    written = write_sample(path, table, dtype=dtype, chunks=source)
    count = chunk_count(table.shape)
    assert source.asked == [(side, number) for side in range(2) for number in range(count)]

    with TableFile(path) as file:
        assert file.header == written
        assert file.require(table) is file
        assert (file.header.name, file.header.shape) == (table.name, table.shape)
        assert (file.header.axes, file.header.squares) == (table.axes, table.squares)
        assert file.header.summary == sample_summary(maximum)
        assert (file.chunks, file.chunk_shape) == (count, chunk_shape(table.shape))
        for side in range(2):
            found = file.read(side)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, codes[side])
        chunk = file.chunk(1, count - 1)
        np.testing.assert_array_equal(chunk, codes[1].reshape(-1, *file.chunk_shape)[-1])
        assert not chunk.flags.writeable
        file.check()
    assert written.digest == xxhash.xxh3_128_hexdigest(codes.tobytes())
    assert [path] == list(path.parent.iterdir())


def test_codes_need_not_be_contiguous(tmp_path: Path) -> None:
    codes = sample_codes(SMALL)
    path = tmp_path / "table.h5"
    write_sample(path, SMALL, chunks=lambda side, _: np.asfortranarray(codes[side]))
    np.testing.assert_array_equal(TableFile(path).read(1), codes[1])


@pytest.mark.parametrize("name", ["EvP", "ELvTP"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_hdf5_programs_read_the_same(
    tmp_path: Path, name: str, dtype: Literal["uint8", "uint16"]
) -> None:
    pytest.importorskip("hdf5plugin")
    table, path = table_of(name), tmp_path / "table.h5"
    header = write_sample(path, table, dtype=dtype)
    with TableFile(path) as ours, h5py.File(path) as theirs:
        assert set(theirs) == {"white", "black", "index"}
        for side, dataset in enumerate(("white", "black")):
            assert theirs[dataset].dtype == dtype
            assert theirs[dataset].fletcher32
            np.testing.assert_array_equal(theirs[dataset][:], ours.read(side))
        content = json.loads(theirs.attrs["header"])
        index = theirs["index"][:]
    assert content["class"] == table.name
    assert content["digest"] == {"xxh3_128": header.digest}
    assert index.shape == (2, chunk_count(table.shape))
    stored = path.read_bytes()
    body = json.loads(stored[: index["offset"].min()].split(b"\n", 2)[2].split(b"\n}\n")[0] + b"}")
    assert body.pop("storage")["file_size"] == len(stored)
    assert body == content


def test_hdf5_sees_a_flipped_bit_too(tmp_path: Path) -> None:
    pytest.importorskip("hdf5plugin")
    path = tmp_path / "table.h5"
    write_sample(path, SMALL)
    with h5py.File(path) as file:
        offset, size, _ = file["index"][1, 0]
    for byte in range(int(size)):
        with flipped(path, 8 * (int(offset) + byte) + byte % 8), h5py.File(path) as file:
            assert file["white"][0, 0] >= 0
            with pytest.raises(OSError, match="filter returned failure"):
                file["black"][:]


def test_header_is_text_in_front(large_file: Path) -> None:
    stored = large_file.read_bytes()
    first, second, _ = stored.split(b"\n", 2)
    assert first == b"jtb table 1"
    size = int(second.split()[1])
    assert re.fullmatch(rb"header \d+ bytes, crc32 [0-9a-f]{8}", second)
    assert size >= MIN_BLOCK
    assert size & (size - 1) == 0
    assert stored[size : size + 8] == b"\x89HDF\r\n\x1a\n"
    text = stored[:size].decode("ascii")
    assert text.isprintable() or set(text) - set("\n") == {c for c in text if c.isprintable()}
    assert '"class": "ELvTP",\n' in text


def test_long_histograms_fit(tmp_path: Path) -> None:
    pytest.importorskip("hdf5plugin")
    path = tmp_path / "table.h5"
    summary = sample_summary(1000, distances=6000)
    write_sample(path, SMALL, dtype="uint16", summary=summary)
    with TableFile(path) as file:
        assert file.header.summary == summary
        file.check()
    with h5py.File(path) as hdf5:
        assert len(hdf5.attrs["header"]) > 1 << 16
        assert hdf5.userblock_size > 1 << 16


def test_same_values_make_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    write_sample(first, LARGE)
    write_sample(second, LARGE)
    assert first.read_bytes() == second.read_bytes()


def test_a_block_has_the_size_that_it_needs(large_file: Path) -> None:
    header = TableFile(large_file).header
    for distances in range(100, 240):
        summary = sample_summary(distances=distances)
        longer = replace(header, summary=summary)
        most = (1 << 64) - 1, (1 << 64) - 1, (1 << 32) - 1, (1 << 32) - 1
        block = pack_block(longer, Storage(*most), block_size(longer))
        assert parse_block(block) == (longer, Storage(*most))


def test_replaced_while_open(tmp_path: Path, small_file: Path, large_file: Path) -> None:
    path = tmp_path / "table.h5"
    shutil.copy(small_file, path)
    codes = sample_codes(SMALL)
    with TableFile(path) as file:
        other = Path(shutil.copy(large_file, tmp_path / "other.h5"))
        other.replace(path)
        np.testing.assert_array_equal(file.read(1), codes[1])
    assert TableFile(path).header.name == "ELvTP"


def test_closed_files_say_so_and_leave_no_descriptor(small_file: Path) -> None:
    def descriptors() -> int:
        gc.collect()
        return sum(1 for _ in Path("/dev/fd").iterdir())

    before = descriptors()
    files = [TableFile(small_file) for _ in range(5)]
    assert descriptors() == before + 5
    files[0].close()
    files[0].close()
    with pytest.raises(ValueError, match="is closed"):
        files[0].chunk(0, 0)
    files.clear()
    assert descriptors() == before


@pytest.mark.parametrize(("side", "number"), [(2, 0), (-1, 0), (0, 28), (1, -1)])
def test_no_such_chunk(large_file: Path, side: int, number: int) -> None:
    with TableFile(large_file) as file, pytest.raises(IndexError):
        file.chunk(side, number)


def test_too_many_open_files(small_file: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(ResourceError, match="too many files are open"):
            TableFile(small_file)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_many_threads_read_one_file_while_it_is_closed(large_file: Path) -> None:
    chunks = sample_codes(LARGE).reshape(2, 28, *chunk_shape(LARGE.shape))
    file = TableFile(large_file)
    wrong: list[object] = []
    right: list[int] = []

    def read(seed: int) -> None:
        random = np.random.default_rng(seed)
        for _ in range(2000):
            side, number = int(random.integers(2)), int(random.integers(28))
            try:
                if not np.array_equal(file.chunk(side, number), chunks[side, number]):
                    wrong.append((side, number))
            except ValueError:
                return
            except Exception as error:
                wrong.append(error)
            right.append(number)
            if len(right) == 400:
                file.close()
                others.extend(TableFile(path) for _ in range(8))

    path, others = large_file, list[TableFile]()
    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(right) >= 400


FORKED_READER = """
import os, sys
from tablebase.tablefile import TableFile
file = TableFile(sys.argv[1])
for _ in range(4):
    if not os.fork():
        for _ in range(5):
            file.check()
        os._exit(0)
file.check()
print(*(os.wait()[1] for _ in range(4)))
"""


def test_many_processes_read_one_open_file(large_file: Path) -> None:
    assert run_python(FORKED_READER, str(large_file)).stdout.split() == ["0"] * 4


def test_reading_needs_no_hdf5(small_file: Path) -> None:
    script = (
        "import sys; from tablebase.tablefile import TableFile\n"
        "with TableFile(sys.argv[1]) as file: file.check()\n"
        "print(*sorted({'h5py', 'hdf5plugin', 'numba', 'filelock'} & set(sys.modules)))\n"
    )
    assert run_python(script, str(small_file)).stdout.strip() == ""
