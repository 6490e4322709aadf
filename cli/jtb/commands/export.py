"""``jtb export``: the values of a material as CSV or NumPy arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from jtb.options import Command, Settings

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tablebase import Material, Probes, Rules, Tablebase

    Block = tuple[npt.NDArray[np.uint8], int, Probes]

__all__ = ["command"]


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

    One row for each legal placement and side to move, mirror images included. CSV has the square of
    each animal, the side to move, its outcome, and the distance to the end in plies (empty for a
    draw). An .npz has the arrays pieces, squares (n, animals; a1 = 0, g9 = 62), side (0 White),
    outcome (1, 0, -1 for the side to move) and dtw (-1 for a draw).

    \b
    Examples:
      jtb export EvP > EvP.csv
      jtb export LRvE -o LRvE.npz
    """
    import tablebase

    if output is not None and output.suffix not in (".csv", ".npz"):
        raise click.UsageError(f"{output} ends neither in .csv nor in .npz")
    if output is not None and not output.parent.is_dir():
        raise click.UsageError(f"there is no folder {output.parent}")
    rules = settings.rules()
    parsed = tablebase.Material.parse(material)
    with tablebase.open_tablebase(settings.data_dir, rules) as tb:
        blocks = _blocks(tb, rules, parsed)
        if output is None:
            _write_csv(sys.stdout.buffer, parsed, blocks)
            return
        write = _write_csv if output.suffix == ".csv" else _write_npz
        with _whole_file(output) as file:
            write(file, parsed, blocks)


@contextmanager
def _whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name when all of it is written."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _blocks(tb: Tablebase, rules: Rules, material: Material) -> Iterator[Block]:
    """All placements, by side to move and the square of the first animal, with their values."""
    import numpy as np

    standing = [np.array(sorted(rules.squares(p.animal)), np.uint8) for p in material.pieces]
    for side in (0, 1):
        for first in standing[0]:
            grid = np.meshgrid(first, *standing[1:], indexing="ij")
            squares = np.stack([axis.ravel() for axis in grid], axis=1)
            for i in range(1, len(standing)):
                for j in range(i):
                    squares = squares[squares[:, i] != squares[:, j]]
            yield squares, side, tb.probe_many(material, squares, side)


def _letters(material: Material) -> list[str]:
    """The pieces of ``material``, in its order, as in a FEN."""
    return [p.animal.letter.lower() if p.color else p.animal.letter for p in material.pieces]


def _write_csv(file: IO[bytes], material: Material, blocks: Iterator[Block]) -> None:
    from jtb.render.answers import OUTCOMES
    from tablebase.board import SQUARE_NAMES

    head: str | None = ",".join([*_letters(material), "side_to_move", "outcome", "dtw\n"])
    for squares, side, probes in blocks:
        if head is not None:  # only now is it known that there is a table
            file.write(head.encode())
            head = None
        to_move = ("white", "black")[side]
        rows = zip(squares.tolist(), probes.outcome.tolist(), probes.dtw.tolist(), strict=True)
        lines = [
            f"{','.join([SQUARE_NAMES[square] for square in row])},{to_move},{OUTCOMES[outcome]},"
            f"{'' if dtw < 0 else dtw}\n"
            for row, outcome, dtw in rows
        ]
        file.write("".join(lines).encode())


def _write_npz(file: IO[bytes], material: Material, blocks: Iterator[Block]) -> None:
    import numpy as np

    found = list(blocks)
    arrays: dict[str, Any] = {
        "pieces": np.array(_letters(material)),
        "squares": np.concatenate([squares for squares, _, _ in found]),
        "side": np.concatenate([np.full(len(s), side, np.uint8) for s, side, _ in found]),
        "outcome": np.concatenate([probes.outcome for _, _, probes in found]),
        "dtw": np.concatenate([probes.dtw for _, _, probes in found]),
    }
    np.savez_compressed(file, **arrays)
