"""Making tables: plan what is missing, then solve and store it, class by class.

The finished file is the truth: what is there and valid is not made again, so a run that was
interrupted goes on where it was when it is started again, and several runs on one folder share the
work. Heavy libraries are imported by what needs them, not by this package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tablebase.catalog import Catalog
from tablebase.game.rules import Rules
from tablebase.generation.estimate import estimate_seconds
from tablebase.generation.events import Event, Made, RunSummary, State
from tablebase.generation.plan import Plan, PlannedTable, make_plan
from tablebase.materials.material import Material
from tablebase.values import Metric

__all__ = [
    "Event",
    "Made",
    "Plan",
    "PlannedTable",
    "RunSummary",
    "State",
    "estimate_seconds",
    "generate",
    "make_plan",
    "run_plan",
]


def generate(
    directory: str | Path,
    *,
    pieces: int | None = None,
    materials: Iterable[Material | str] | Material | str | None = None,
    rules: Rules | str = "standard",
    metric: Metric | None = None,
    jobs: int | None = None,
    memory: int | None = None,
    force: bool = False,
    progress: Callable[[Event], None] | None = None,
) -> RunSummary:
    """Make the tables of 2 to ``pieces`` animals, of ``materials``, or both, and all that they
    depend on, in ``directory``.

    Without a ``metric`` these are all that probing under ``rules`` needs: the tables of ``dtw``
    and, if there is a ``no_capture_limit``, those of ``dtc`` too. The limit plays no part in the
    former, so they are those of the same rules without it. The parameters are those of
    :func:`make_plan`; what can go wrong, :func:`run_plan` says.
    """
    plan = make_plan(
        directory,
        pieces=pieces,
        materials=materials,
        rules=rules,
        metric=metric,
        jobs=jobs,
        memory=memory,
        force=force,
    )
    return run_plan(plan, progress)


def run_plan(plan: Plan, progress: Callable[[Event], None] | None = None) -> RunSummary:
    """Make the tables of ``plan``.

    ``progress`` is called in the calling thread, twice a second and whenever something happened.
    What it raises ends the run, as ``KeyboardInterrupt`` does; a run that ends early leaves only
    whole tables. :class:`ResourceError` if memory or disk do not suffice, before anything is begun
    where that can be known; :class:`CorruptTableError` if a table that was damaged and made anew is
    damaged again.
    """
    if not plan.to_make:
        return RunSummary((), 0, len(plan.tables), 0.0)
    from tablebase.generation.local import table_threads
    from tablebase.generation.run import Run

    catalog = Catalog([plan.directory])
    plan.check(catalog.free_space())
    catalog.ensure_writable()
    catalog.clean()
    return Run(plan, catalog, progress).run(table_threads(plan.jobs, catalog))
