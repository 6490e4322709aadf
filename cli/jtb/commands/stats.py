"""``jtb stats``: counts of a material."""

from __future__ import annotations

import click

from jtb.options import Command, Settings, json_option

__all__ = ["command"]


@click.command(cls=Command)
@click.argument("material", metavar="MATERIAL")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print the histogram as CSV.")
@click.pass_obj
def command(settings: Settings, material: str, as_json: bool, as_csv: bool) -> None:
    """Count the wins, draws and losses of a material.

    Over all legal placements, mirror images included, for either side to move and from its view:
    how many are won, lost and drawn, how many plies that takes, the longest wins, and the mutual
    zugzwangs: full where whoever is to move loses, half where one of the two results is a draw.
    Odd distances are wins and even ones losses, if there is no limit.

    \b
    Examples:
      jtb stats ELvT
      jtb stats RvR --rules leiden --json
      jtb stats EvP --csv > EvP.csv
    """
    import tablebase
    from jtb.render.tables import stats_csv, stats_text
    from jtb.render.text import json_line
    from tablebase.stats import summary

    if as_json and as_csv:
        raise click.UsageError("give --json or --csv, not both")
    with tablebase.open_tablebase(settings.data_dir, settings.rules()) as tb:
        record = summary(tb, material)
    render = json_line if as_json else stats_csv if as_csv else stats_text
    click.echo(render(record))
