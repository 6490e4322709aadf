"""``jtb export``: the values of a material as CSV or NumPy arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from jtb.options import Command, Settings

if TYPE_CHECKING:
    from tablebase.statistics import ValueArrays

__all__ = ["command", "whole_file"]


@click.command(cls=Command)
@click.argument("material", metavar="MATERIAL")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to, by its ending as CSV or .npz  [default: CSV to stdout].",
)
@click.pass_obj
def command(settings: Settings, material: str, output: Path | None) -> None:
    """Write the values of a material to a CSV or NumPy file.

    All legal placements, mirror images included, for either side to move. A row of CSV has the
    square of each animal, the side to move, its outcome, and the distance in plies (empty for a
    draw): dtw, to the end, or under rules with a limit dtc, to the next capture or den entry. An
    .npz has the arrays pieces, squares (placements, animals; a1 = 0, g9 = 62), outcome and distance
    (White and Black to move, placements; 1, 0, -1 for the side to move; -1 plies for a draw).

    \b
    Examples:
      jtb export EvP > EvP.csv
      jtb export LRvE -o LRvE.npz
    """
    import tablebase
    from tablebase.statistics import value_arrays

    if output is not None and output.suffix not in (".csv", ".npz"):
        raise click.UsageError(f"{output} ends neither in .csv nor in .npz")
    if output is not None and not output.parent.is_dir():
        raise click.UsageError(f"there is no folder {output.parent}")
    with tablebase.open_tablebase(settings.data_dir, settings.rules()) as tb:
        values = value_arrays(tb, material)
    if output is None:
        _write_csv(sys.stdout.buffer, values)
    else:
        with whole_file(output) as file:
            (_write_csv if output.suffix == ".csv" else _write_npz)(file, values)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name when all of it is written."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        if error.errno is None:  # it has a text of its own and no place for a name
            raise
        # Of the names in it one is that of the unfinished file, which nobody knows.
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _letters(values: ValueArrays) -> list[str]:
    """The pieces of the material, in its order, as in a FEN."""
    return [p.animal.letter.lower() if p.color else p.animal.letter for p in values.material.pieces]


def _write_csv(file: IO[bytes], values: ValueArrays) -> None:
    from jtb.render.answers import OUTCOMES
    from tablebase.game.board import SQUARE_NAMES

    step = 1 << 16
    head = [*_letters(values), "side_to_move", "outcome", values.metric]
    file.write(f"{','.join(head)}\n".encode())
    for turn, to_move in enumerate(("white", "black")):
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            rows = zip(
                values.squares[part].tolist(),
                values.outcome[turn, part].tolist(),
                values.distance[turn, part].tolist(),
                strict=True,
            )
            lines = [
                f"{','.join([SQUARE_NAMES[square] for square in squares])},{to_move},"
                f"{OUTCOMES[outcome]},{'' if distance < 0 else distance}\n"
                for squares, outcome, distance in rows
            ]
            file.write("".join(lines).encode())


def _write_npz(file: IO[bytes], values: ValueArrays) -> None:
    import numpy as np

    np.savez_compressed(
        file,
        pieces=np.array(_letters(values)),
        squares=values.squares,
        outcome=values.outcome,
        distance=values.distance,
    )
