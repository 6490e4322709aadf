"""``jtb stats``: counts of a material, or of every class of materials."""

from __future__ import annotations

import click

from jtb.options import PIECES, Command, Settings, json_option

__all__ = ["command"]


@click.command(
    cls=Command,
    help="""Count the wins, draws and losses of a material.

    Over all legal placements, mirror images included, for either side to move and from its view:
    how many are won, lost and drawn, how many plies that takes, the longest wins, and the mutual
    zugzwangs: full where whoever is to move loses, half where one of the two results is a draw.
    Odd distances are wins and even ones losses, if there is no limit. With --pieces, the same of
    every class of materials that share a table; the histograms of all with --histogram.

    \b
    Examples:
      jtb stats ELvT
      jtb stats RvR --rules leiden --json
      jtb stats EvP --csv > EvP.csv
      jtb stats --pieces 3 --csv > classes.csv
      jtb stats --pieces 3 --csv --histogram > plies.csv
    """,
)
@click.argument("material", metavar="[MATERIAL]", required=False)
@click.option(
    "--pieces",
    type=PIECES,
    metavar="N",
    help="Every class of 2 to N animals, one row each.",
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the histogram, or the rows, as CSV.")
@click.option(
    "--histogram", is_flag=True, help="With --pieces and --csv: a row for each class and ply."
)
@click.pass_obj
def command(
    settings: Settings,
    material: str | None,
    pieces: int | None,
    as_json: bool,
    as_csv: bool,
    histogram: bool,
) -> None:
    """Print the counts of a material, or of every class."""
    import tablebase
    from jtb.render import counts
    from jtb.render.text import json_line, show
    from tablebase import statistics

    if as_json and as_csv:
        raise click.UsageError("give --json or --csv, not both")
    if (material is None) == (pieces is None):
        raise click.UsageError("say which: a MATERIAL, or --pieces N for every class")
    if histogram and (pieces is None or not as_csv):
        raise click.UsageError("--histogram goes with --pieces N and --csv")
    with tablebase.open_tablebase(settings.data_dir, settings.rules()) as tb:
        if material is not None:
            stats = statistics.material_stats(tb, material)
            longest = [win and tb.probe(win.fen) for win in stats.longest_win]
            record = counts.stats_record(stats, longest)
            render = counts.stats_csv if as_csv else counts.stats_text
            show(json_line(record) if as_json else render(record))
            return
        assert pieces is not None
        if histogram:
            show(counts.histogram_csv(statistics.histogram_rows(tb, pieces)))
            return
        rows = list(statistics.table_rows(tb, pieces))
    if as_json:
        show(json_line({"classes": rows}))
    else:
        show(counts.classes_csv(rows) if as_csv else counts.classes_text(rows))
