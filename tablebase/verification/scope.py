"""Which tables a verification is about: those that are named, or all that are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from tablebase.catalog import Catalog, Entry
from tablebase.errors import CorruptTableError, MaterialError, MissingTableError, ResourceError
from tablebase.game.rules import Rules
from tablebase.materials.material import MAX_ANIMALS, Material
from tablebase.materials.table import Table, metrics_of, selected_tables
from tablebase.tablefile import TableFile
from tablebase.values import Metric
from tablebase.verification.report import ForeignFile, TableReport

__all__ = ["Scope", "named_tables", "tables_there"]

_TO_BEGIN_WITH: Final = 3
"""Up to so many animals have the tables that an empty folder is said to lack."""


class Scope(NamedTuple):
    """What there is to verify, and what is known to be no use before."""

    tables: tuple[Table, ...]
    unusable: tuple[TableReport, ...] = ()
    foreign: tuple[ForeignFile, ...] = ()


def named_tables(
    catalog: Catalog,
    rules: Rules,
    metric: Metric | None,
    pieces: int | None,
    materials: Iterable[Material | str] | Material | str,
) -> Scope:
    """The tables of 2 to ``pieces`` animals, and of ``materials``.

    :class:`MissingTableError` if one, or one that its captures lead to, is not there.
    """
    names = [materials] if isinstance(materials, Material | str) else list(materials)
    found: dict[Table, None] = {}
    for each in metrics_of(rules, metric):
        if pieces is not None:
            whole = selected_tables(rules, each, pieces, closed=False)
            catalog.require_all(whole, pieces)
            found.update(dict.fromkeys(whole))
        found.update((Table.of(rules, name, each), None) for name in names)
    if not found:
        raise MaterialError("there is nothing to verify: name at least one material")
    for wanted in (found, *(table.needs for table in found)):
        for table in wanted:
            if catalog.find(table) is None:
                raise catalog.missing(table)
    return Scope(tuple(found))


def tables_there(catalog: Catalog, rules: Rules, metric: Metric | None) -> Scope:
    """All tables in the folders of ``catalog``, and reports of those that cannot be checked.

    :class:`MissingTableError` if no file there is named as a table of the rules.
    """
    found: list[Table] = []
    unusable: list[TableReport] = []
    foreign: list[ForeignFile] = []
    for entry in catalog.entries(rules, metric):
        try:
            with TableFile(entry.path) as file:
                file.require_its_place()
        except FileNotFoundError:  # removed a moment ago
            continue
        except (CorruptTableError, ResourceError) as error:
            table = _table_called(rules, entry)
            if table is None:
                foreign.append(ForeignFile(entry.path, error))
            else:
                unusable.append(TableReport(table, entry.path, failure=error))
            continue
        table = Table.of(rules, entry.name, entry.metric)
        lacking = next((needed for needed in table.needs if catalog.find(needed) is None), None)
        if lacking is None:
            found.append(table)
        else:
            unusable.append(TableReport(table, entry.path, failure=catalog.missing(lacking)))
    if not (found or unusable or foreign):
        raise _nothing(catalog, rules, metric)
    return Scope(tuple(found), tuple(unusable), tuple(foreign))


def _table_called(rules: Rules, entry: Entry) -> Table | None:
    """The table that by its name is in the file; ``None`` if no table is called so."""
    try:
        table = Table.of(rules, entry.name, entry.metric)
    except MaterialError:
        return None
    return table if table.name == entry.name and len(table.material) <= MAX_ANIMALS else None


def _nothing(catalog: Catalog, rules: Rules, metric: Metric | None) -> MissingTableError:
    """The error that says that there are no tables, and which to begin with."""
    first = selected_tables(rules, metric or "dtw", _TO_BEGIN_WITH)
    where = ", ".join(map(str, catalog.directories))
    return MissingTableError(
        f"there are no tables of these rules in {where}",
        materials=[table.name for table in first],
        pieces=_TO_BEGIN_WITH,
        metric=metric,
        rules_key=first[0].folder,
        directories=catalog.directories,
    )
