"""Table files that are damaged, foreign or of something else are refused, in one sentence."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import h5py
import numpy as np
import pytest

from tablebase.errors import CorruptTableError, ResourceError
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.materials.table import Table
from tablebase.tablefile import (
    TableFile,
)
from tests.sample_tables import (
    SMALL,
    table_of,
    write_sample,
)
from tests.tablefile.damage import flipped, read_all, refusal, unprivileged


def test_no_flipped_bit_goes_unseen(tmp_path: Path, large_file: Path) -> None:
    path = Path(shutil.copy(large_file, tmp_path / large_file.name))
    read_all(path)
    with TableFile(path) as file:
        start = int(file._index["offset"].min())
    random = np.random.default_rng(1)
    bits = 8 * path.stat().st_size
    for bit in (*random.integers(0, bits, 250), *random.integers(0, 8 * start, 50)):
        with flipped(path, int(bit)), pytest.raises(CorruptTableError):
            read_all(path)
    read_all(path)


def test_every_byte_is_covered(tmp_path: Path, small_file: Path) -> None:
    path = Path(shutil.copy(small_file, tmp_path / small_file.name))
    read_all(path)
    random = np.random.default_rng(2)
    for byte in range(path.stat().st_size):
        with (
            flipped(path, 8 * byte + int(random.integers(8))),
            pytest.raises(CorruptTableError),
        ):
            read_all(path)
    read_all(path)


def test_damage_in_the_header_is_seen_on_opening_and_in_a_chunk_on_reading(
    tmp_path: Path, large_file: Path
) -> None:
    path = Path(shutil.copy(large_file, tmp_path / large_file.name))
    with TableFile(path) as file:
        offset, size, _ = file._index[1, 3].item()
    with flipped(path, 8 * 200):
        assert "header is damaged" in refusal(path)
    with flipped(path, 8 * (path.stat().st_size - 1)):
        assert "damaged" in refusal(path)
    with flipped(path, 8 * (offset + size // 2)), TableFile(path) as file:
        assert file.chunk(1, 2).shape == file.chunk_shape
        message = refusal(path, lambda _: file.chunk(1, 3))
        assert "chunk 3 for black to move is damaged" in message
        refusal(path, lambda _: file.check())
        refusal(path, lambda _: file.check_stored())


def test_truncated_and_extended(tmp_path: Path, small_file: Path) -> None:
    stored = small_file.read_bytes()
    path = tmp_path / small_file.name
    for size in (*range(200), *range(200, len(stored), 61), len(stored) - 1):
        path.write_bytes(stored[:size])
        message = refusal(path)
        assert "empty" in message or size
    for extra in (b"\0", b"x" * 5000, stored):
        path.write_bytes(stored + extra)
        assert f"it has {len(stored + extra)} bytes" in refusal(path)


def test_cut_off_while_open(tmp_path: Path, large_file: Path) -> None:
    path = Path(shutil.copy(large_file, tmp_path / large_file.name))
    with TableFile(path) as file:
        os.truncate(path, path.stat().st_size // 2)
        assert "ends too early" in refusal(path, lambda _: file.read(1))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b"fen,outcome\n1,2\n", "it is no table of this program"),
        (b"jtb tables are fine\n", "it is no table of this program"),
        (b"jtb table one\n", "it is no table of this program"),
        (b"jtb table 1\n", "its header is damaged"),
        (b"jtb table 0\nheader 4096 bytes, crc32 00000000\n", "its header is damaged"),
        (b"jtb table 1\nheader 4096 bytes, crc32 00000000\n", "damaged or cut off"),
        (b"jtb table 1\nheader 4096 bytes, crc32 00000000\n" + bytes(9000), "header is damaged"),
        (bytes(10_000), "it is no table of this program"),
    ],
)
def test_foreign_files(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "EvP.dtw.h5"
    path.write_bytes(content)
    assert reason in refusal(path)


def test_other_hdf5_files(tmp_path: Path) -> None:
    path = tmp_path / "EvP.dtw.h5"
    with h5py.File(path, "w") as file:
        file["white"] = np.zeros(SMALL.shape, "u1")
    assert "it is no table of this program" in refusal(path)


def test_newer_versions(tmp_path: Path, small_file: Path) -> None:
    path = tmp_path / "EvP.dtw.h5"
    path.write_bytes(small_file.read_bytes().replace(b"jtb table 1\n", b"jtb table 2\n", 1))
    with pytest.raises(CorruptTableError, match="version 2") as caught:
        TableFile(path)
    assert caught.value.newer


def test_a_file_is_the_table_that_its_name_and_folder_say(tmp_path: Path) -> None:
    write_sample(tmp_path / "standard" / "EvP.dtw.h5", SMALL)
    TableFile(tmp_path / "standard" / "EvP.dtw.h5").require_its_place()

    def misplaced(path: str) -> CorruptTableError:
        write_sample(tmp_path / path, SMALL)
        with pytest.raises(CorruptTableError) as caught:
            TableFile(tmp_path / path).require_its_place()
        error = caught.value
        assert error.path == tmp_path / path
        assert error.rules_key == path.split("/")[0]
        return error

    for path, material in (
        ("standard/PvE.dtw.h5", "PvE"),
        ("standard/QvZ.dtw.h5", None),
        ("old/EvP.dtw.h5", "EvP"),
        ("standard/x.h5", None),
        ("standard/EvL.dtw.h5", "EvL"),
        ("standard/EvP.dtc.h5", "EvP"),
    ):
        error = misplaced(path)
        assert error.reason == "it is not in its place: it is the table standard/EvP.dtw.h5"
        assert error.belongs_at == "standard/EvP.dtw.h5"
        assert error.material == material


def test_folders_and_other_things_that_are_no_files(tmp_path: Path) -> None:
    path = tmp_path / "EvP.dtw.h5"
    path.mkdir()
    assert "it is a folder" in refusal(path)
    pipe = tmp_path / "PvE.dtw.h5"
    os.mkfifo(pipe)
    assert "no ordinary file" in refusal(pipe)
    loop = tmp_path / "EvT.dtw.h5"
    loop.symlink_to(loop)
    assert "cannot be read" in refusal(loop)
    with pytest.raises(FileNotFoundError):
        TableFile(tmp_path / "nothing.h5")


def test_what_may_not_be_read_is_not_called_damaged(small_file: Path) -> None:
    stored = small_file.read_bytes()
    with unprivileged() as folder:
        user = os.geteuid()
        os.seteuid(os.getuid())
        path = folder / "EvP.dtw.h5"
        path.write_bytes(stored)
        path.chmod(0)
        os.seteuid(user)
        with pytest.raises(ResourceError) as caught:
            TableFile(path)
        assert str(caught.value) == f"cannot read {path}: permission is denied"


def change_header(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change what a header says and make the checksums right again."""
    stored = path.read_bytes()
    size = int(stored.split(b" ", 4)[3])
    content = json.loads(stored[:size].split(b"\n", 2)[2])
    change(content)
    first = b"jtb table 1\nheader %d bytes, crc32 %08x\n"
    body = json.dumps(content).encode().ljust(size - len(first % (size, 0)))
    path.write_bytes(first % (size, crc32(body)) + body + stored[size:])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: c.pop("axes"), "not understood"),
        (lambda c: c.pop("storage"), "not understood"),
        (lambda c: c["storage"].update(index_crc32="?"), "not understood"),
        (lambda c: c["storage"].update(index_offset=1 << 40), "ends too early"),
        (lambda c: c["storage"].update(index_offset=0), "index is damaged"),
        (lambda c: c["storage"].update(index_offset=-1), "cannot be read"),
        (lambda c: c.update(version=3), "contradicts itself"),
        (lambda c: c.update(dtype="float64"), "contradicts itself"),
        (lambda c: c.update(metric="dtz"), "contradicts itself"),
        (lambda c: c.update(shape=[1]), "contradicts itself"),
        (lambda c: c["axes"][0].update(color="green"), "not understood"),
        (lambda c: c["rules"]["switches"].update(gravity=True), "'gravity'"),
        (lambda c: c["rules"]["switches"].update(order="up"), "order is one of"),
        (lambda c: c["zugzwangs"].pop("full"), "not understood"),
    ],
)
def test_headers_that_make_no_sense(
    tmp_path: Path, small_file: Path, change: Callable[[dict[str, Any]], object], reason: str
) -> None:
    path = Path(shutil.copy(small_file, tmp_path / small_file.name))
    change_header(path, change)
    assert reason in refusal(path)


def test_a_switch_that_a_header_does_not_know_has_its_default(
    tmp_path: Path, small_file: Path
) -> None:
    path = Path(shutil.copy(small_file, tmp_path / small_file.name))
    change_header(path, lambda content: content["rules"]["switches"].pop("leopard_jumps"))
    with TableFile(path) as file:
        assert file.require(SMALL).header.rules == Rules()


def test_values_must_be_those_of_the_digest_and_the_maximum(
    tmp_path: Path, small_file: Path
) -> None:
    path = Path(shutil.copy(small_file, tmp_path / small_file.name))
    change_header(path, lambda content: content["digest"].update(xxh3_128="0" * 32))
    assert "digest" in refusal(path, lambda path: TableFile(path).check())
    shutil.copy(small_file, path)
    change_header(path, lambda content: content.update(maximum=199))
    assert "maximum" in refusal(path, lambda path: TableFile(path).check())


def require(path: Path, table: Table) -> None:
    TableFile(path).require(table)


def test_tables_of_other_rules_or_materials_are_refused(tmp_path: Path, small_file: Path) -> None:
    with TableFile(small_file) as file:
        file.require(table_of("EvP", RULE_SETS["plyyard"]))
    for table, reason in (
        (table_of("EvP", RULE_SETS["jade"]), "trapped_attack is 'full' in it and 'zero'"),
        (table_of("EvP", Rules(no_moves="draw")), "another rule set (standard)"),
        (table_of("EvP", metric="dtc"), "it holds dtw values, not dtc"),
        (table_of("ELvT"), "it is the table of EvP, not of ELvT"),
    ):
        assert reason in refusal(small_file, partial(require, table=table))

    limited = table_of("EvP", RULE_SETS["plyyard"], "dtc")
    path = tmp_path / "EvP.dtc.h5"
    assert write_sample(path, limited).rules.no_capture_limit == 60
    unlimited = table_of("EvP", metric="dtc")
    assert "no_capture_limit is 60" in refusal(path, partial(require, table=unlimited))


def test_axes_must_be_the_same(small_file: Path) -> None:
    class Turned:
        metric, rules, name = SMALL.metric, SMALL.rules, SMALL.name
        axes, squares = SMALL.axes[::-1], SMALL.squares[::-1]

    turned: Any = Turned
    assert "axes" in refusal(small_file, partial(require, table=turned))
