"""Exports: every row there once, filters, samples, and nothing half done."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tablebase import Tablebase, open_tablebase, statistics
from tablebase.errors import ResourceError
from tablebase.files import require_space, whole_file
from tablebase.game.board import SQUARE_NAMES, Color
from tablebase.statistics import Selection, Slices
from tablebase.statistics.exporting import FORMATS, Format, estimate_export, export_values
from tests.small_disk import lines_on_small_disk

WORDS = {1: "win", 0: "draw", -1: "loss"}


@pytest.fixture(scope="module")
def standard(tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(tables) as tb:
        yield tb


Record = tuple[str, ...]


def exported(
    tb: Tablebase, name: str, wanted: Selection, kind: Format = "csv", sample: int | None = None
) -> list[Record]:
    """The rows of an export as CSV has them."""
    buffer = io.BytesIO()
    with Slices(tb, name) as slices:
        rows = export_values(slices, buffer, kind, wanted, sample=sample)
    buffer.seek(0)
    found = READERS[kind](buffer)
    assert len(found) == rows
    return found


def read_csv(buffer: io.BytesIO) -> list[Record]:
    head, *rows = csv.reader(io.TextIOWrapper(buffer, "ascii", newline=""))
    assert head[-3:] == ["side_to_move", "outcome", "dtw"]
    return [tuple(row) for row in rows]


def read_npz(buffer: io.BytesIO) -> list[Record]:
    with np.load(buffer) as arrays:
        assert arrays["pieces"].tolist() == ["L", "R", "e"]
        columns = [arrays[key] for key in ("squares", "side_to_move", "outcome", "distance")]
    return [
        (
            *(SQUARE_NAMES[square] for square in squares),
            Color(side).name.lower(),
            WORDS[outcome],
            "" if plies < 0 else str(plies),
        )
        for squares, side, outcome, plies in zip(*map(np.ndarray.tolist, columns), strict=True)
    ]


def read_parquet(buffer: io.BytesIO) -> list[Record]:
    import pyarrow.parquet as pq

    return [
        (
            *(SQUARE_NAMES[row[piece]] for piece in "LRe"),
            row["side_to_move"],
            row["outcome"],
            "" if row["dtw"] is None else str(row["dtw"]),
        )
        for row in pq.read_table(buffer).to_pylist()
    ]


READERS: dict[Format, Callable[[io.BytesIO], list[Record]]] = {
    "csv": read_csv,
    "npz": read_npz,
    "parquet": read_parquet,
}


def expected(tb: Tablebase, name: str) -> list[Record]:
    whole = statistics.value_arrays(tb, name)
    return [
        (
            *(SQUARE_NAMES[square] for square in whole.squares[row]),
            turn.name.lower(),
            WORDS[int(whole.outcome[turn, row])],
            "" if whole.distance[turn, row] < 0 else str(whole.distance[turn, row]),
        )
        for turn in Color
        for row in range(len(whole))
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_has_every_row(standard: Tablebase, kind: Format) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    found = exported(standard, "LRvE", Selection(), kind)
    assert sorted(found) == sorted(expected(standard, "LRvE"))


@pytest.mark.parametrize(
    "wanted",
    [
        Selection(outcome=1),
        Selection(outcome=0),
        Selection(outcome=-1, distance=(10, 20)),
        Selection(distance=(35, 35)),
        Selection(zugzwang="half"),
        Selection(zugzwang="half", outcome=-1),
        Selection(zugzwang="full"),
    ],
)
def test_filters_leave_what_they_say(standard: Tablebase, wanted: Selection) -> None:
    whole = statistics.value_arrays(standard, "LRvE")
    full, half = statistics.zugzwang_rows(whole)
    keep = np.ones((2, len(whole)), np.bool_)
    if wanted.outcome is not None:
        keep &= whole.outcome == wanted.outcome
    if wanted.distance is not None:
        keep &= (whole.distance >= wanted.distance[0]) & (whole.distance <= wanted.distance[1])
    if wanted.zugzwang is not None:
        keep &= half if wanted.zugzwang == "half" else full
    everything = expected(standard, "LRvE")
    rest = [everything[i] for i in np.flatnonzero(keep.ravel())]
    assert rest
    assert sorted(exported(standard, "LRvE", wanted)) == sorted(rest)
    with Slices(standard, "LRvE") as slices:
        counted = wanted.count(slices.header.summary)
        estimate = estimate_export(slices, "csv", wanted)
    assert counted in (None, len(rest))
    assert (counted is None) == (wanted.zugzwang is not None and wanted.outcome is not None)
    assert estimate.rows == counted
    assert estimate.bytes > 0


def test_a_sample_is_of_the_rows_and_the_same_for_a_seed(standard: Tablebase) -> None:
    everything = set(expected(standard, "LRvE"))
    some = exported(standard, "LRvE", Selection(outcome=1), sample=500)
    assert len(some) == len(set(some)) == 500
    assert set(some) <= {row for row in everything if row[-2] == "win"}
    assert some == exported(standard, "LRvE", Selection(outcome=1), sample=500)
    assert len(exported(standard, "LRvE", Selection(zugzwang="half"), sample=500)) == 4


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("before")

    def stop_midway() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop_midway()
    assert path.read_text() == "before"
    with whole_file(path) as file:
        file.write(b"after")
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]
    nowhere = whole_file(tmp_path / "none" / "values.csv")
    with pytest.raises(ResourceError, match=r"cannot write .*: No such file or directory"):
        nowhere.__enter__()


def test_room_is_looked_for_first(tmp_path: Path) -> None:
    require_space(tmp_path, 1)
    with pytest.raises(ResourceError, match="1,000,000,000,000,000,000 bytes") as caught:
        require_space(tmp_path, 10**18)
    assert caught.value.shortage == "disk"
    assert caught.value.needed == 10**18


def test_a_disk_that_is_full(tables: Path, tmp_path: Path) -> None:
    script = f"""
import sys
from pathlib import Path
from tablebase import open_tablebase
from tablebase.errors import ResourceError
from tablebase.files import whole_file
from tablebase.statistics import Selection, Slices
from tablebase.statistics.exporting import export_values
folder = Path(sys.argv[1])
with open_tablebase({str(tables)!r}) as tb, Slices(tb, "LRvE") as slices:
    try:
        with whole_file(folder / "values.csv") as file:
            export_values(slices, file, "csv", Selection())
    except ResourceError as error:
        print(error.shortage, error)
print(sorted(path.name for path in folder.iterdir()))
"""
    told, left = lines_on_small_disk(script, tmp_path, 1024)
    assert told.startswith("disk cannot write ")
    assert told.endswith("the disk is full")
    assert left == "[]"
