"""Checksums equal those of the HDF5 library."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.tablefile.checksum import fletcher32


def hdf5_fletcher32(data: bytes) -> int:
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        shape = (len(data),)
        dataset = file.create_dataset("data", shape, "u1", chunks=shape, fletcher32=True)
        dataset[:] = np.frombuffer(data, "u1")
        file.flush()
        stored = dataset.id.read_direct_chunk((0,))[1]
    assert stored[:-4] == data
    return int.from_bytes(stored[-4:], "little")


@given(st.binary(min_size=1, max_size=3000))
def test_fletcher32_is_that_of_hdf5(data: bytes) -> None:
    assert fletcher32(data) == hdf5_fletcher32(data)


@pytest.mark.parametrize("size", [1, 2, 719, 720, 721, 7237, 131071, 131072, 131075, 400_001])
def test_fletcher32_of_any_length(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    for case in (data, bytes(size), b"\xff" * size):
        assert fletcher32(case) == hdf5_fletcher32(case)
