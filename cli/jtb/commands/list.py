"""``jtb list``: the tables in the folder and what they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jtb import errors
from jtb.options import Command, Settings, json_option

if TYPE_CHECKING:
    from tablebase.catalog import Catalog
    from tablebase.game.rules import Rules

__all__ = ["command"]


@click.command(cls=Command)
@json_option
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """List the tables in the folder and what they cover.

    Of every rule set, or only of the one that --rules names. A table serves every material that
    equals its class after renaming animals or exchanging the sides. What is wrong with other files
    is told on stderr; the exit code is then 4 if one is damaged or not the table of its name, else
    5: one may not be read.

    \b
    Examples:
      jtb list
      jtb list --data-dir tables --rules leiden --json
    """
    from jtb.render.tables import table_list
    from jtb.render.text import json_line
    from tablebase.catalog import Catalog

    rules = settings.rules() if settings.given_rules else None
    records, failures = _records(Catalog([settings.data_dir]), rules)
    codes = [errors.report(failure, settings) for failure in failures]
    if as_json:
        click.echo(json_line({"data_dir": str(settings.data_dir), "tables": records}))
    elif records:
        click.echo(table_list(records))
    if not records and not failures:
        settings.note(f"no tables in {settings.data_dir}: jtb generate makes them")
    return min(codes, default=0)


def _records(catalog: Catalog, rules: Rules | None) -> tuple[list[dict[str, Any]], list[Exception]]:
    """What each good table says of itself, and what is wrong with the other files."""
    from jtb.render.tables import table_record
    from tablebase.errors import CorruptTableError, ResourceError
    from tablebase.materials.classes import served_materials
    from tablebase.tablefile import TableFile

    records: list[dict[str, Any]] = []
    failures: list[Exception] = []
    for entry in catalog.entries(rules):
        try:
            with TableFile(entry.path) as file:
                header = file.require_its_place().header
                size = file.size
        except FileNotFoundError:  # removed a moment ago
            continue
        except (CorruptTableError, ResourceError) as error:
            failures.append(error)
            continue
        served = served_materials(header.rules, len(header.axes))
        records.append(table_record(header, served, entry.path, size))
    records.sort(key=lambda record: (record["rules"], record["metric"], record["animals"]))
    return records, failures
