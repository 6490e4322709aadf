"""Files are as ``docs/file-format.md`` says: a reader made from that page alone reads them."""

from __future__ import annotations

import json
import math
import re
import struct
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pytest
import xxhash
import zstandard

from tablebase.tablefile.checksum import fletcher32
from tests.sample_tables import sample_codes, table_of, write_sample
from tests.tablefile.damage import ROOT


def independent_reader(stored: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Header and chunks as the page describes them."""
    first, second, rest = stored.split(b"\n", 2)
    assert first == b"jtb table 1"
    _, size, _, _, crc = second.decode().split(" ")
    block = int(size)
    text = rest[: block - len(first) - len(second) - 2]
    assert f"{crc32(text):08x}" == crc
    header: dict[str, Any] = json.loads(text)
    storage = header["storage"]
    assert storage["file_size"] == len(stored)
    count = 2 * math.prod(header["shape"][:-3])
    index = stored[storage["index_offset"] :][: 16 * count]
    assert f"{crc32(index):08x}" == storage["index_crc32"]
    entries = list(struct.iter_unpack("<QII", index))
    chunks, outside, position = [], b"", block
    for offset, length, _ in sorted(entries):
        assert offset >= position
        outside += stored[position:offset]
        position = offset + length
    assert f"{crc32(outside + stored[position:]):08x}" == storage["rest_crc32"]
    for offset, length, checksum in entries:
        chunk = stored[offset : offset + length]
        assert crc32(chunk) == checksum
        assert chunk[-4:] == fletcher32(chunk[:-4]).to_bytes(4, "little")
        chunks.append(zstandard.ZstdDecompressor().decompress(chunk[:-4]))
    return header, chunks


@pytest.mark.parametrize(("name", "dtype"), [("EvP", "uint8"), ("ELvTP", "uint16")])
def test_files_are_as_specified(
    tmp_path: Path, name: str, dtype: Literal["uint8", "uint16"]
) -> None:
    table, path = table_of(name), tmp_path / "table.h5"
    write_sample(path, table, dtype=dtype)
    header, chunks = independent_reader(path.read_bytes())
    codes = np.frombuffer(b"".join(chunks), header["dtype"]).reshape(2, *header["shape"])
    np.testing.assert_array_equal(codes, sample_codes(table, dtype, header["maximum"]))
    assert header["digest"] == {"xxh3_128": xxhash.xxh3_128_hexdigest(b"".join(chunks))}
    assert header["class"] == name
    assert [axis["squares"] for axis in header["axes"]] == [list(s) for s in table.squares]


def test_the_specification_names_every_member(small_file: Path) -> None:
    page = (ROOT / "docs" / "file-format.md").read_text("utf-8")
    header, _ = independent_reader(small_file.read_bytes())
    rows = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| .*? \|", page, re.MULTILINE))))
    assert set(header) | set(header["storage"]) <= rows
    assert f"# The file format of tables, version {header['version']}\n" in page
