"""Verifying tables: every stored value derived anew from its successors, one ply ahead.

This shares the rules, the index and the files with the solver and nothing else, so that no mistake
of the solver's can hide. If the values of a table and of the smaller ones all agree with
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
from tablebase.game.rules import Rules, load_rules
from tablebase.materials.material import Material
from tablebase.materials.table import Table
from tablebase.resources import default_memory, usable_cores
from tablebase.values import Metric
from tablebase.verification.report import (
    Difference,
    FalseClaim,
    ForeignFile,
    Progress,
    Report,
    TableReport,
    Value,
)
from tablebase.verification.scope import named_tables, tables_there

__all__ = [
    "Difference",
    "FalseClaim",
    "ForeignFile",
    "Progress",
    "Report",
    "TableReport",
    "Value",
    "verify",
]

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

    started = time.monotonic()
    catalog = Catalog([directory])
    rules = load_rules(rules) if isinstance(rules, str) else rules
    if pieces is None and materials is None:
        scope = tables_there(catalog, rules, metric)
    else:
        scope = named_tables(catalog, rules, metric, pieces, materials or ())
    tables = scope.tables
    values = 2 * sum(table.cells for table in tables)
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

    from tablebase.verification.check import check_table  # loads numba

    largest = max((table.cells for table in tables), default=1)
    affordable = max(default_memory() // (_BYTES_PER_CELL * largest), 1)
    reports: list[TableReport] = []
    with ThreadPoolExecutor(min(jobs or usable_cores(), affordable)) as pool:
        try:
            # Large ones first, so that no thread is left with one at the end.
            pending: set[Future[TableReport]] = {
                pool.submit(check_table, catalog, table, sample, seed, done)
                for table in sorted(tables, key=lambda table: -table.cells)
            }
            while pending:
                finished, pending = wait(pending, _TICK, FIRST_COMPLETED)
                for future in finished:
                    report = future.result()
                    reports.append(report)
                    tell(report)
                if not finished:
                    tell(None)
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    reports += scope.unusable
    reports.sort(key=lambda report: _small_first(report.table))
    return Report(tuple(reports), scope.foreign, time.monotonic() - started)


class _Stopped(Exception):
    """The run ends early, so a check did."""


def _small_first(table: Table) -> tuple[int, bool, int, str]:
    return len(table.material), table.metric == "dtc", -table.cells, table.name
