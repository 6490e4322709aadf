"""Values of a material as files for other tools: CSV, NumPy's .npz, Parquet; in constant memory."""

from __future__ import annotations

import io
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, Any, Final, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tablebase.game.board import SQUARE_NAMES
from tablebase.game.fen import LETTERS
from tablebase.materials.material import Material
from tablebase.statistics.selecting import Rows, Selection, sampled
from tablebase.statistics.slices import Slices
from tablebase.values import Metric

__all__ = ["FORMATS", "ExportEstimate", "Format", "estimate_export", "export_values"]

Format = Literal["csv", "npz", "parquet"]
FORMATS: Final[tuple[Format, ...]] = ("csv", "npz", "parquet")

_SIDES: Final = ("white", "black")
_OUTCOMES: Final = {1: "win", 0: "draw", -1: "loss"}
_ROW_GROUP: Final = 1 << 20
_TRIED: Final = 2
"""So many slices are written to memory to tell how long all of them will take."""


class ExportEstimate(NamedTuple):
    """What an export will come to."""

    rows: int | None
    """Exactly, where the header of the table tells; else ``None``."""
    bytes: int
    seconds: float
    """As long as nothing else uses the machine."""


def estimate_export(
    slices: Slices, kind: Format, wanted: Selection, sample: int | None = None
) -> ExportEstimate:
    """What :func:`export_values` will come to, from the header and a trial with a few slices."""
    rows = wanted.count(slices.header.summary)
    if rows is not None and sample is not None:
        rows = min(rows, sample)
    numbers = slices.numbers()
    tried = numbers[len(numbers) // 2 :][:_TRIED]
    buffer = io.BytesIO()
    started = time.perf_counter()
    with _row_writer(kind, buffer, slices.material, slices.table.metric) as writer:
        parts = [wanted.rows(slices[number]) for number in tried]
        for part in parts:
            writer.write(part)
    seconds = (time.perf_counter() - started) * len(numbers) / len(tried)
    found = sum(len(part.side) for part in parts)
    if rows is None or not found:
        size = len(buffer.getvalue()) * len(numbers) // len(tried)
    else:
        size = len(buffer.getvalue()) * rows // found
    return ExportEstimate(rows, size, seconds)


def export_values(
    slices: Slices,
    file: IO[bytes],
    kind: Format,
    wanted: Selection,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the ``wanted`` values to ``file``, and return how many there were.

    A row has the square of each animal, the side to move, its outcome, and the distance in plies;
    mirror images are rows of their own. With ``sample``, so many of them at random, chosen by
    ``seed``. ``progress`` is told how many slices are done, after each. Parquet needs pyarrow:
    ``ImportError`` if it is not there. Memory does not grow with the table, but with ``sample``.
    """

    def parts() -> Iterator[Rows]:
        for done, number in enumerate(slices.numbers(), 1):
            yield wanted.rows(slices[number])
            if progress is not None:
                progress(done)

    count = 0
    with _row_writer(kind, file, slices.material, slices.table.metric) as writer:
        for rows in parts() if sample is None else sampled(parts(), sample, seed):
            count += len(rows.side)
            writer.write(rows)
    return count


class _RowWriter(Protocol):
    """Takes rows, part by part."""

    def write(self, rows: Rows) -> None:
        """Append ``rows``."""


@contextmanager
def _row_writer(
    kind: Format, file: IO[bytes], material: Material, metric: Metric
) -> Iterator[_RowWriter]:
    """A writer of rows of ``material`` to ``file``, complete at the end of the ``with`` block.

    A row has the square of each animal, the side to move, its outcome, and the distance in plies of
    ``metric``. Parquet needs pyarrow: ``ImportError`` if it is not there.
    """
    letters = [LETTERS[piece] for piece in material.pieces]
    with ExitStack() as stack:
        if kind == "csv":
            yield _Csv(file, letters, metric)
        elif kind == "npz":
            writer = _Npz(stack, letters)
            yield writer
            writer.finish(file)
        else:
            parquet = _Parquet(stack, file, letters, metric)
            yield parquet
            parquet.flush()


class _Csv:
    """Lines put together by whole columns of bytes; bytes of value 0 fill up and are left out."""

    def __init__(self, file: IO[bytes], letters: Sequence[str], metric: Metric) -> None:
        self._file = file
        self._squares = _words(f"{name}," for name in SQUARE_NAMES)
        self._sides = _words(f"{name}," for name in _SIDES)
        self._ends: npt.NDArray[np.uint8] = np.empty((3, 0, 0), np.uint8)
        file.write(f"{','.join([*letters, 'side_to_move', 'outcome', metric])}\n".encode())

    def write(self, rows: Rows) -> None:
        highest = int(rows.distance.max(initial=0))
        if highest + 1 >= self._ends.shape[1]:
            self._ends = self._endings(highest)
        n, k = rows.squares.shape
        line = np.concatenate(
            (
                self._squares[rows.squares].reshape(n, 3 * k),
                self._sides[rows.side],
                self._ends[rows.outcome, rows.distance + 1],
            ),
            axis=1,
        )
        self._file.write(line[line != 0].tobytes())

    @staticmethod
    def _endings(highest: int) -> npt.NDArray[np.uint8]:
        """``(3, distances + 1, width)``: outcome and distance as a line ends with them."""
        distances = ["", *map(str, range(highest + 1))]
        words = [f"{_OUTCOMES[o]},{d}\n" for o in (0, 1, -1) for d in distances]
        return _words(words).reshape(3, len(distances), -1)


class _Npz:
    """Arrays kept in files without a name until their length is known."""

    def __init__(self, stack: ExitStack, letters: Sequence[str]) -> None:
        self._letters = letters
        self._rows = 0
        self._columns: dict[str, tuple[IO[bytes], np.dtype[Any]]] = {}
        kinds = {"squares": "u1", "side_to_move": "u1", "outcome": "i1", "distance": "<i2"}
        for name, kind in kinds.items():
            spool = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
            self._columns[name] = spool, np.dtype(kind)

    def write(self, rows: Rows) -> None:
        self._rows += len(rows.side)
        for (spool, dtype), column in zip(self._columns.values(), rows, strict=True):
            spool.write(np.ascontiguousarray(column, dtype).data)

    def finish(self, file: IO[bytes]) -> None:
        """Write the archive."""
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            with archive.open("pieces.npy", "w") as member:
                np.lib.format.write_array(member, np.array(self._letters), allow_pickle=False)
            for name, (spool, dtype) in self._columns.items():
                shape = (self._rows, len(self._letters)) if name == "squares" else (self._rows,)
                header = {"descr": dtype.str, "fortran_order": False, "shape": shape}
                spool.seek(0)
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array_header_1_0(member, header)
                    shutil.copyfileobj(spool, member, 1 << 20)


class _Parquet:
    """Row groups of about a million rows."""

    def __init__(
        self, stack: ExitStack, file: IO[bytes], letters: Sequence[str], metric: Metric
    ) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._pa = pa
        self._waiting: list[Rows] = []
        words = pa.dictionary(pa.int8(), pa.string())
        self._schema = pa.schema(
            [
                *((letter, pa.uint8()) for letter in letters),
                ("side_to_move", words),
                ("outcome", words),
                (metric, pa.int16()),
            ]
        )
        self._writer = stack.enter_context(pq.ParquetWriter(file, self._schema, compression="zstd"))

    def write(self, rows: Rows) -> None:
        self._waiting.append(rows)
        if sum(len(part.side) for part in self._waiting) >= _ROW_GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting as a row group."""
        if not self._waiting:
            return
        pa = self._pa
        rows = Rows.joined(self._waiting)
        self._waiting = []
        outcomes = pa.array(list(_OUTCOMES.values()))
        columns = [
            *(pa.array(column) for column in rows.squares.T),
            pa.DictionaryArray.from_arrays(rows.side.astype(np.int8), pa.array(_SIDES)),
            pa.DictionaryArray.from_arrays((1 - rows.outcome).astype(np.int8), outcomes),
            pa.array(rows.distance.astype(np.int16), mask=rows.distance < 0),
        ]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))


def _words(words: Any) -> npt.NDArray[np.uint8]:
    """``(words, width)``: their bytes, filled up with zeros."""
    array = np.array([word.encode() for word in words])
    return array.view(np.uint8).reshape(len(array), array.dtype.itemsize)
