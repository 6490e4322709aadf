"""How fast the tables answer: one position, warm and cold, and many at once.

    python benchmarks/probe.py TABLES [--material ELvTPW] [--syzygy FOLDER]

TABLES is a data folder; the table is the largest in it, or that of --material. Times are of the
process (CPU), so that other work on the machine does not count; the machine's load is printed too.
With --syzygy, python-chess answers from the Syzygy tables in that folder in the same run; that is
the package ``chess``, whose source distribution (``pip download --no-binary :all: chess``) has
tables of up to four men in ``data/syzygy/regular``.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tablebase
from tablebase import Color, Material, Position, Rules
from tablebase.catalog import Catalog
from tablebase.game.rules import load_rules
from tablebase.materials.table import Table

REPEATS = 5


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--material")
    parser.add_argument("--syzygy", type=Path)
    parser.add_argument("--positions", type=int, default=20_000)
    parser.add_argument("--rows", type=int, default=4_000_000)
    arguments = parser.parse_args()
    with tablebase.open_tablebase(arguments.tables, arguments.rules) as tb:
        material = largest(arguments.tables, tb.rules, arguments.material)
        table = Table.of(tb.rules, material)
        print(f"table {table.name}: {2 * table.cells:,} codes; material {material};", end=" ")
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(f"{'what':<52}{'CPU time':>12}{'wanted':>16}")
    warm(arguments, material)
    cold(arguments.tables, arguments.rules, material)
    new_process(arguments.tables, arguments.rules, material)
    many(arguments, material)
    if arguments.syzygy:
        syzygy(arguments.syzygy)


def largest(folder: Path, rules: Rules, name: str | None) -> Material:
    """The material that was asked for, or one that the largest table serves."""
    if name:
        return Material.parse(name)
    entries = list(Catalog([folder]).entries(rules, "dtw"))
    if not entries:
        sys.exit(f"no tables in {folder}: make some with `jtb generate --pieces 4`")
    materials = [Material.parse(entry.name) for entry in entries]
    return max(materials, key=lambda material: Table.of(rules, material).cells)


def warm(arguments: argparse.Namespace, material: Material) -> None:
    """Single positions all over the table, whose chunks are in the cache; the best of some runs."""
    table = Table.of(load_rules(arguments.rules), material)
    with tablebase.open_tablebase(
        arguments.tables, arguments.rules, cache_bytes=2 * table.cells + 1
    ) as tb:
        positions = random_positions(tb.rules, material, arguments.positions)
        fens = [position.fen() for position in positions]
        for position in positions:
            tb.probe_dtw(position)
        report("probe_dtw, warm, a Position", per_item(tb.probe_dtw, positions), 1e6, "us", "15 us")
        report("probe_wdl, warm, a Position", per_item(tb.probe_wdl, positions), 1e6, "us")
        report("probe, warm, a Position", per_item(tb.probe, positions), 1e6, "us")
        report("probe, warm, a FEN", per_item(tb.probe, fens), 1e6, "us")
        some = positions[: len(positions) // 20]
        try:
            for position in some:
                tb.moves(position)
        except tablebase.MissingTableError as error:
            print(f"moves: not measured: {error}")
            return
        report("moves (all of a position), warm", per_item(tb.moves, some), 1e6, "us")


def cold(folder: Path, rules: str, material: Material) -> None:
    """Opening the table and reading one chunk, in a process that has probed others before."""
    with tablebase.open_tablebase(folder, rules) as tb:
        positions = random_positions(tb.rules, material, 200)
    times = []
    for position in positions:
        with tablebase.open_tablebase(folder, rules) as tb:
            start = time.process_time()
            tb.probe_dtw(position)
            times.append(time.process_time() - start)
    report(
        "first probe of a table: open, read (median)", statistics.median(times), 1e3, "ms", "2 ms"
    )
    with tablebase.open_tablebase(folder, rules, cache_bytes=0) as tb:
        tb.probe_dtw(positions[0])
        report("probe of a chunk not in the cache", per_item(tb.probe_dtw, positions), 1e3, "ms")


def new_process(folder: Path, rules: str, material: Material) -> None:
    """Everything from nothing: a new interpreter, imports, the class, the file, the chunk."""
    code = (
        "import sys, tablebase\n"
        "with tablebase.open_tablebase(sys.argv[1], sys.argv[2]) as tb:\n"
        "    tb.probe_dtw(sys.argv[3])\n"
    )
    with tablebase.open_tablebase(folder, rules) as tb:
        fen = random_positions(tb.rules, material, 1)[0].fen()
    command = [sys.executable, "-c", code, str(folder), rules, fen]
    times = []
    for _ in range(REPEATS):
        before = os.times()
        subprocess.run(command, check=True)
        after = os.times()
        used = after.children_user + after.children_system
        times.append(used - before.children_user - before.children_system)
    report("a new Python, import, one probe", min(times), 1e3, "ms")


def many(arguments: argparse.Namespace, material: Material) -> None:
    """``probe_many`` over random placements, everything that it does included."""
    with tablebase.open_tablebase(arguments.tables, arguments.rules, cache_bytes=1 << 32) as tb:
        squares, sides = random_rows(tb.rules, material, arguments.rows)
        tb.probe_many(material, squares[:1000], sides[:1000])
        for label in ("cold", "warm"):
            start = time.process_time()
            tb.probe_many(material, squares, sides)
            rate = len(squares) / (time.process_time() - start)
            wanted = "2 M/s a core" if label == "warm" else ""
            print(f"{f'probe_many, {label} cache':<52}{rate / 1e6:>8.2f} M/s{wanted:>16}")


def syzygy(folder: Path) -> None:
    """The same questions to python-chess."""
    import chess
    import chess.syzygy

    with chess.syzygy.open_tablebase(str(folder)) as tb:
        names = sorted(path.stem for path in folder.glob("*.rtbw"))
        if not names:
            sys.exit(f"no Syzygy tables (*.rtbw) in {folder}")
        name = max(names, key=lambda stem: (len(stem), stem))
        boards = list(random_boards(chess, name, 2000))
        for probe, label in ((tb.probe_wdl, "WDL"), (tb.probe_dtz, "DTZ")):
            try:
                for board in boards:
                    probe(board)
            except chess.syzygy.MissingTableError as error:
                print(f"python-chess {label}: not measured: {error}")
                continue
            seconds = per_item(probe, boards, repeats=2)
            report(f"python-chess, Syzygy {label} of {name}, warm", seconds, 1e6, "us")


def random_boards(chess: Any, name: str, count: int) -> Iterable[Any]:
    """Legal chess positions without castling or en passant, of the material of a Syzygy table."""
    chosen = random.Random(1)
    white, _, black = name.partition("v")
    pieces = [chess.Piece.from_symbol(letter) for letter in white + black.lower()]
    while count:
        board = chess.Board(None)
        for square, piece in zip(chosen.sample(range(64), len(pieces)), pieces, strict=True):
            board.set_piece_at(square, piece)
        board.turn = chosen.random() < 0.5
        if board.is_valid():
            count -= 1
            yield board


def random_rows(
    rules: Rules, material: Material, count: int
) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], np.ndarray[Any, np.dtype[np.uint8]]]:
    """Legal placements, shape ``(count, k)``, and sides to move, shape ``(count,)``."""
    generator = np.random.default_rng(1)
    axes = [np.array(sorted(rules.squares(animal)), np.uint8) for _, animal in material.pieces]
    squares = np.stack([axis[generator.integers(0, len(axis), 2 * count)] for axis in axes], 1)
    ordered = np.sort(squares, axis=1)
    legal = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return squares[legal][:count], generator.integers(0, 2, count, np.uint8)


def random_positions(rules: Rules, material: Material, count: int) -> list[Position]:
    """Positions in which no den was entered."""
    squares, sides = random_rows(rules, material, count)
    return [
        Position.from_pieces(dict(zip(row, material.pieces, strict=True)), Color(side))
        for row, side in zip(squares.tolist(), sides.tolist(), strict=True)
    ]


def per_item(ask: Callable[[Any], Any], items: Sequence[Any], repeats: int = REPEATS) -> float:
    """Seconds of CPU for each item, in the best of some runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        for item in items:
            ask(item)
        times.append(time.process_time() - start)
    return min(times) / len(items)


def report(what: str, seconds: float, factor: float, unit: str, wanted: str = "") -> None:
    """Print a line of the table."""
    print(f"{what:<52}{seconds * factor:>9.2f} {unit}{wanted:>16}")


if __name__ == "__main__":
    main()
