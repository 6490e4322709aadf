"""``jtb export``: the values of a material for other tools."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from jtb.options import Command, Settings, plies_range
from jtb.progress import count_display

if TYPE_CHECKING:
    from tablebase.statistics.exporting import Format

__all__ = ["command"]

_OUTCOMES = {"win": 1, "draw": 0, "loss": -1}


@click.command(
    cls=Command,
    help="""Write the values of a material to a CSV, NumPy or Parquet file.

    All legal placements, mirror images included, for either side to move, or those that the filters
    leave. A row has the square of each animal, the side to move, its outcome, and the distance in
    plies (empty for a draw): dtw, to the end, or under rules with a limit dtc, to the next capture
    or den entry. An .npz has the arrays pieces, squares (rows, animals; a1 = 0, g9 = 62),
    side_to_move (0 White, 1 Black), outcome (1, 0, -1 for it) and distance (-1 for a draw).
    Parquet needs pyarrow: pip install 'jtb[arrow]'.

    \b
    Examples:
      jtb export EvP > EvP.csv
      jtb export LRvE -o LRvE.npz --outcome draw
      jtb export LRvE -o hard.csv --dtw 25..35 --sample 1000
    """,
)
@click.argument("material", metavar="MATERIAL")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to, by its ending: .csv, .npz or .parquet  [default: CSV to stdout].",
)
@click.option("--outcome", type=click.Choice(list(_OUTCOMES)), help="Only those values.")
@click.option(
    "--dtw", "--dtc", "distance", callback=plies_range, metavar="N|N..M", help="Only these plies."
)
@click.option(
    "--zugzwang",
    type=click.Choice(["full", "half"]),
    help="Only mutual zugzwangs: whoever moves loses, or one loses and the other draws.",
)
@click.option("--sample", type=click.IntRange(1, 10**8), metavar="K", help="K of them at random.")
@click.option("--seed", type=int, default=0, help="For another sample  [default: 0].")
@click.pass_obj
def command(
    settings: Settings,
    material: str,
    output: Path | None,
    outcome: str | None,
    distance: tuple[int, int] | None,
    zugzwang: Literal["full", "half"] | None,
    sample: int | None,
    seed: int,
) -> None:
    """Write the values, slice by slice."""
    import tablebase
    from jtb.render.counts import export_text
    from tablebase.files import require_space, whole_file
    from tablebase.statistics import Selection, Slices
    from tablebase.statistics.exporting import estimate_export, export_values

    kind = _format_of(output)
    wanted = Selection(_OUTCOMES[outcome] if outcome else None, distance, zugzwang)
    with ExitStack() as stack:
        tb = stack.enter_context(tablebase.open_tablebase(settings.data_dir, settings.rules()))
        slices = stack.enter_context(Slices(tb, material))
        expected = estimate_export(slices, kind, wanted, sample)
        if expected.rows == 0:
            raise click.UsageError(f"no value of {material} is what is asked for")
        if output is not None:
            settings.note(export_text(material, kind, expected))
            require_space(output.absolute().parent, expected.bytes)
        advance = stack.enter_context(count_display(settings, "slices", len(slices.numbers())))
        file = sys.stdout.buffer if output is None else stack.enter_context(whole_file(output))
        rows = export_values(slices, file, kind, wanted, sample=sample, seed=seed, progress=advance)
        if rows == 0:
            raise click.UsageError(f"no value of {material} is what is asked for")


def _format_of(output: Path | None) -> Format:
    from tablebase.statistics.exporting import FORMATS

    if output is None:
        return "csv"
    kind = next((kind for kind in FORMATS if output.suffix == f".{kind}"), None)
    if kind is None:
        raise click.UsageError(f"{output} ends neither in .csv nor in .npz or .parquet")
    if not output.absolute().parent.is_dir():
        raise click.UsageError(f"there is no folder {output.parent}")
    if kind == "parquet":
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise click.UsageError(
                "Parquet needs pyarrow, which is not installed: pip install 'jtb[arrow]'"
            ) from None
    return kind
