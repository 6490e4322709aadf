"""Verifying tables: every stored value derived anew from its successors, one ply ahead.

This shares the rules and the order of the cells with the solver and nothing else, so that no
mistake of the solver's can hide. If the values of a table and of the smaller ones all agree with
their successors', they are the true ones: each win leads to a loss one ply shorter, and so on down
to the end of the game. Heavy libraries are imported by what needs them, not by this package.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tablebase.catalog import Catalog
from tablebase.errors import (
    CorruptTableError,
    MaterialError,
    MissingTableError,
    ResourceError,
)
from tablebase.game.rules import Rules, load_rules
from tablebase.generation.plan import metrics_of, named, wanted
from tablebase.generation.resources import default_memory, usable_cores
from tablebase.materials.classes import TableClass, locate
from tablebase.materials.material import Material, captured_materials
from tablebase.tablefile import TableFile, pieces_command, table_rules
from tablebase.values import Metric
from tablebase.verification.report import (
    Difference,
    Progress,
    Report,
    TableReport,
    Value,
    unusable,
)

__all__ = ["Difference", "Progress", "Report", "TableReport", "Value", "verify"]

_TICK: Final = 0.5
_BYTES_PER_CELL: Final = 4
"""Codes for both sides to move, the grades of one, and some room; 16-bit codes are rare."""


def verify(
    directory: str | Path,
    *,
    pieces: int | None = None,
    materials: Iterable[Material | str] | Material | str | None = None,
    rules: Rules | str = "standard",
    metric: Metric | None = None,
    sample: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Report:
    """Check the tables of 2 to ``pieces`` animals, or of ``materials``, or all in ``directory``.

    Those of ``metric`` if it is given; else those that ``rules`` need, ``dtw`` and with a
    ``no_capture_limit`` also ``dtc``, or, of all in ``directory``, those of either metric. Of each,
    every value is derived from its successors and what the header says is compared with the values.
    With ``sample``, only about so many values are, in parts of the table chosen by ``seed``, and
    not the header. ``jobs`` is the number of threads (default: the number of cores), fewer if
    memory is short. ``progress`` is called in the calling thread, twice a second and after each
    table; what it raises ends the run.

    Differences and damage are reported, not raised, and so are files that may not be read. Of all
    in ``directory``, so are files that are not the table of their name, and tables whose captures
    lead to one that is not there; of those that are named, that is a :class:`MissingTableError`,
    as is a folder without tables.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

    from tablebase.verification.check import check_table

    started = time.monotonic()
    catalog = Catalog([directory])
    rules = load_rules(rules) if isinstance(rules, str) else rules
    bad: list[TableReport] = []
    if pieces is None and materials is None:
        tables, bad = _tables_there(catalog, rules, metric)
    else:
        tables = _tables(catalog, rules, metric, pieces, materials)
    values = 2 * sum(table.cells for table, _ in tables)
    stop = threading.Event()
    lock = threading.Lock()
    values_done = 0

    def done(cells: int) -> None:
        nonlocal values_done
        if stop.is_set():
            raise _Stopped
        with lock:
            values_done += cells

    def tell(finished: TableReport | None) -> None:
        if progress is not None:
            progress(Progress(len(tables), len(reports), values, values_done, finished))

    largest = max((table.cells for table, _ in tables), default=1)
    affordable = max(default_memory() // (_BYTES_PER_CELL * largest), 1)
    reports: dict[tuple[str, Metric], TableReport] = {}
    with ThreadPoolExecutor(min(jobs or usable_cores(), affordable)) as pool:
        try:
            # Large ones first, so that no thread is left with one at the end.
            pending: set[Future[TableReport]] = {
                pool.submit(check_table, catalog, table, each, sample, seed, done)
                for table, each in sorted(tables, key=lambda pair: -pair[0].cells)
            }
            while pending:
                finished, pending = wait(pending, _TICK, FIRST_COMPLETED)
                for future in finished:
                    report = future.result()
                    reports[report.name, report.metric] = report
                    tell(report)
                if not finished:
                    tell(None)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return Report(
        (*(reports[table.name, each] for table, each in tables), *bad),
        time.monotonic() - started,
    )


class _Stopped(Exception):
    """The run ends early, so a check did."""


def _tables_there(
    catalog: Catalog, rules: Rules, metric: Metric | None
) -> tuple[list[tuple[TableClass, Metric]], list[TableReport]]:
    """All tables of the folder that can be checked, small ones first, and a report of each other
    file."""
    found: list[tuple[TableClass, Metric]] = []
    bad: list[TableReport] = []
    for entry in catalog.entries(rules, metric):
        try:
            with TableFile(entry.path) as file:
                file.require_its_place()
        except FileNotFoundError:  # removed a moment ago
            continue
        except (CorruptTableError, ResourceError) as error:
            bad.append(unusable(entry.name, entry.metric, entry.path, error))
            continue
        here = table_rules(rules, entry.metric)
        table = locate(here, Material.parse(entry.name)).table
        lacking = _lacking(catalog, rules, table, entry.metric)
        if lacking is None:
            found.append((table, entry.metric))
        else:
            needs = MissingTableError(f"a capture leads to another table, and {lacking}")
            bad.append(unusable(entry.name, entry.metric, entry.path, needs))
    if not found and not bad:
        raise MissingTableError(
            f"there are no tables of these rules in {catalog.directories[0]}:"
            f" run `{pieces_command(3, rules, metric or 'dtw')}`"
        )
    return sorted(found, key=_small_first), bad


def _tables(
    catalog: Catalog,
    rules: Rules,
    metric: Metric | None,
    pieces: int | None,
    materials: Iterable[Material | str] | Material | str | None,
) -> list[tuple[TableClass, Metric]]:
    """The tables that are named, small ones first; :class:`MissingTableError` if one, or one that
    its captures lead to, is not there."""
    names = named(materials or ())
    found: dict[tuple[TableClass, Metric], None] = {}
    for each in metrics_of(rules, metric):
        here = table_rules(rules, each)
        if pieces is not None:
            whole = [(table, each) for table in wanted(here, pieces, None)]
            catalog.require_all(whole, pieces_command(pieces, rules, each))
            found.update((table, None) for table in whole)
        for name in names:
            material = Material.parse(name) if isinstance(name, str) else name
            found[locate(here, material).table, each] = None
    if not found:
        raise MaterialError("there is nothing to verify: name at least one material")
    for table, each in found:
        if catalog.find(table, each) is None:
            raise catalog.missing(table, each, rules)
    for table, each in found:
        lacking = _lacking(catalog, rules, table, each)
        if lacking is not None:
            raise lacking
    return sorted(found, key=_small_first)


def _lacking(
    catalog: Catalog, rules: Rules, table: TableClass, metric: Metric
) -> MissingTableError | None:
    """The error that says that a table that captures lead to is not there; ``None`` if all are."""
    for left in captured_materials(table.rules, table.material).values():
        needed = locate(table.rules, left).table
        if catalog.find(needed, metric) is None:
            return catalog.missing(needed, metric, rules)
    return None


def _small_first(item: tuple[TableClass, Metric]) -> tuple[int, bool, int, str]:
    table, metric = item
    return len(table.material), metric == "dtc", -table.cells, table.name
