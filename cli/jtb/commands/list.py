"""``jtb list``: the tables in the folder and what they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from jtb import errors
from jtb.options import Command, Settings, json_option

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.catalog import Catalog
    from tablebase.game.rules import Rules

__all__ = ["command"]


@click.command(
    cls=Command,
    help="""List the tables in the folder and what they cover.

    Of every rule set, or only of the one that --rules names. A table serves every material that
    equals its class after renaming animals or exchanging the sides. What is wrong with other files
    is told on stderr; the exit code is then 4 if one is damaged or not the table of its name, else
    5: one may not be read.

    \b
    Examples:
      jtb list
      jtb list --data-dir tables --rules leiden --json
    """,
)
@json_option
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """Print what each file says of itself; the exit code is that of the worst."""
    from jtb.render.tables import table_list
    from jtb.render.text import json_line, path_text, show
    from tablebase.catalog import Catalog

    rules = settings.rules() if settings.given_rules else None
    records, failures = _records(Catalog([settings.data_dir]), rules)
    codes = [errors.report(failure, settings, path) for path, failure in failures]
    if as_json:
        show(json_line({"data_dir": path_text(settings.data_dir), "tables": records}))
    elif records:
        show(table_list(records))
    if not records and not failures:
        settings.note(f"no tables in {settings.data_dir}: jtb generate makes them")
    return min(codes, default=errors.ExitCode.DONE)


def _records(
    catalog: Catalog, rules: Rules | None
) -> tuple[list[dict[str, Any]], list[tuple[Path, Exception]]]:
    """What each good table says of itself, and what is wrong with which other file."""
    from jtb.render.tables import table_record
    from tablebase.materials.classes import served_materials
    from tablebase.tablefile import TableFile

    records: list[dict[str, Any]] = []
    failures: list[tuple[Path, Exception]] = []
    for entry in catalog.entries(rules):
        try:
            with TableFile(entry.path) as file:
                header = file.require_its_place().header
                served = served_materials(header.rules, len(header.axes))
                records.append(table_record(header, served, entry.path, file.size))
        except FileNotFoundError:  # removed a moment ago
            continue
        except Exception as error:  # whatever it is, the others are listed
            failures.append((entry.path, error))
    records.sort(key=lambda record: (record["rules"], record["metric"], record["animals"]))
    return records, failures
