"""Writing table files under poor conditions: a whole table or none, and a clear error."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tablebase.errors import CorruptTableError, ResourceError
from tablebase.tablefile import (
    TableFile,
    write_table,
)
from tablebase.tablefile.text import MIN_BLOCK
from tests.sample_tables import (
    LARGE,
    SMALL,
    ChunkSource,
    sample_codes,
    write_sample,
)
from tests.small_disk import lines_on_small_disk
from tests.tablefile.damage import ROOT, unprivileged


def test_nothing_is_left_of_a_table_whose_values_cannot_be_had(tmp_path: Path) -> None:
    path = tmp_path / "table.h5"
    write_sample(path, SMALL)
    before = path.read_bytes()
    codes = ChunkSource(LARGE, sample_codes(LARGE))

    for error in (
        KeyboardInterrupt(),
        CorruptTableError(path, "it is another table"),
        ZeroDivisionError(),
    ):

        def failing(side: int, number: int, error: BaseException = error) -> Any:
            if (side, number) == (1, 5):
                raise error
            return codes(side, number)

        with pytest.raises(type(error)) as caught:
            write_sample(path, LARGE, chunks=failing)
        assert caught.value is error
        assert list(tmp_path.iterdir()) == [path]
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("chunk", "reason"),
    [
        (np.zeros(SMALL.shape[::-1], "u1"), "chunk 0 is uint8"),
        (np.zeros(SMALL.shape, "u2"), "chunk 0 is uint16"),
        (np.full(SMALL.shape, 201, "u1"), "chunk 0 has codes above 200"),
    ],
)
def test_chunks_must_be_what_was_announced(
    tmp_path: Path, chunk: np.ndarray[Any, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        write_sample(tmp_path / "table.h5", SMALL, chunks=lambda *_: chunk)
    assert list(tmp_path.iterdir()) == []


def test_a_limit_on_file_sizes_is_a_clear_error(tmp_path: Path, large_file: Path) -> None:
    size = large_file.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = tmp_path / "table.h5"
    for limit in (0, 1000, MIN_BLOCK, 6000, size // 2, size - 5000, size - 1):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            with pytest.raises(ResourceError, match=r"so large a file") as caught:
                write_sample(path, LARGE)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert str(path) in str(caught.value)
        assert list(tmp_path.iterdir()) == []
    write_sample(path, LARGE)
    assert path.read_bytes() == large_file.read_bytes()


FULL_DISK = """
import os, pathlib, sys
from tablebase.errors import ResourceError
from tests.sample_tables import table_of, write_sample
folder = pathlib.Path(sys.argv[1])
write_sample(folder / "small.h5", table_of("EvP"))
try:
    write_sample(folder / "large.h5", table_of("ELvTP"))
except ResourceError as error:
    print(error)
print(sorted(os.listdir(folder)))
"""


def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    message, listing = lines_on_small_disk(FULL_DISK, tmp_path, kibibytes=60)
    assert message.startswith(f"cannot write {tmp_path}/large.h5: the disk is full")
    assert listing == "['small.h5']"


def test_a_disk_that_turns_out_full_when_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceError, match="the disk is full"):
        write_sample(tmp_path / "table.h5", SMALL)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    for path in (tmp_path / "file" / "table.h5", tmp_path / "file" / "folder" / "table.h5"):
        with pytest.raises(ResourceError, match="no folder"):
            write_sample(path, SMALL)
    (tmp_path / "table.h5").mkdir()
    with pytest.raises(ResourceError, match="a folder has that name"):
        write_sample(tmp_path / "table.h5", SMALL)
    with unprivileged() as folder:
        for path in (folder / "table.h5", folder / "new" / "table.h5"):
            with pytest.raises(ResourceError, match="permission is denied") as caught:
                write_sample(path, SMALL)
            assert (caught.value.shortage, caught.value.path) == ("folder", path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "table.h5"]


KILLED_WRITER = """
import pathlib, sys, time
from tests.sample_tables import ChunkSource, sample_codes, table_of, write_sample
table = table_of("ELvTP")
codes = ChunkSource(table, sample_codes(table))
stop = int(sys.argv[2])
def chunks(side, number):
    if 28 * side + number == stop:
        print("here", flush=True)
        time.sleep(60)
    return codes(side, number)
path = pathlib.Path(sys.argv[1])
write_sample(path, table, chunks=chunks)
while True:
    print("here", flush=True)
    write_sample(path, table, chunks=codes)
"""


@pytest.mark.parametrize(
    ("chunk", "milliseconds"), [(0, 0), (1, 0), (40, 0), (55, 0), (56, 3), (56, 20), (56, 40)]
)
def test_a_killed_writer_leaves_a_whole_table_or_none(
    tmp_path: Path, chunk: int, milliseconds: int
) -> None:
    path = tmp_path / "table.h5"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_WRITER, str(path), str(chunk)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        threading.Event().wait(milliseconds / 1000)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    if chunk < 56:
        (left,) = tmp_path.iterdir()
        assert left.name.startswith(".table.h5.")
        assert left.suffix == ".part"
        with pytest.raises(CorruptTableError):
            TableFile(left)
    else:
        with TableFile(path) as file:
            file.check()


def test_writers_in_many_threads_do_not_disturb_each_other(
    tmp_path: Path, large_file: Path
) -> None:
    names = ["one.h5", "two.h5", "two.h5", "three.h5", "three.h5"]
    threads = [
        threading.Thread(target=write_sample, args=(tmp_path / name, LARGE)) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(set(names))
    for path in tmp_path.iterdir():
        assert path.read_bytes() == large_file.read_bytes()


def test_a_table_may_be_read_while_another_is_written(tmp_path: Path, large_file: Path) -> None:
    codes = sample_codes(LARGE)
    with TableFile(large_file) as file:
        header = write_table(tmp_path / "copy.h5", LARGE, "uint8", file.header.summary, file.chunk)
        assert header == file.header
    np.testing.assert_array_equal(TableFile(tmp_path / "copy.h5").read(0), codes[0])
