"""``jtb generate``: make tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from jtb.options import PIECES, Command, Settings, jobs_option, metric_option
from jtb.progress import run_display

if TYPE_CHECKING:
    from tablebase.values import Metric

__all__ = ["command"]


_MOST_MEMORY: Final = 1 << 20
"""A pebibyte, in GiB."""


def _in_bytes(ctx: click.Context, param: click.Parameter, gib: float | None) -> int | None:
    """The bytes of an amount in GiB, which may be no number at all."""
    if gib is None:
        return None
    if not 0 < gib <= _MOST_MEMORY:
        what = f"{gib:g} is not a number of GiB greater than 0 and up to {_MOST_MEMORY:,}"
        raise click.BadParameter(what, ctx, param)
    return int(gib * 2**30)


@click.command(
    cls=Command,
    help="""Make tables.

    Either all of 2 to N animals, or those of the named materials and what they depend on. What is
    there is not made again, so a run that was interrupted goes on when it is started again, and
    several runs on one folder share the work.

    \b
    Examples:
      jtb generate --pieces 3
      jtb generate ELvT CvD --rules leiden
      jtb generate --pieces 4 --dry-run
    """,
)
@click.argument("materials", nargs=-1, metavar="[ELvT]...")
@click.option("--pieces", type=PIECES, metavar="N", help="All tables of 2 to N animals.")
@jobs_option
@click.option(
    "--memory",
    type=float,
    callback=_in_bytes,
    metavar="GiB",
    help="Memory to use at most  [default: 6, or three quarters of what is free].",
)
@metric_option
@click.option("--dry-run", is_flag=True, help="Print the plan and make nothing.")
@click.option("--force", is_flag=True, help="Make tables anew that are there.")
@click.pass_obj
def command(
    settings: Settings,
    materials: tuple[str, ...],
    pieces: int | None,
    jobs: int | None,
    memory: int | None,
    metric: Metric | None,
    dry_run: bool,
    force: bool,
) -> None:
    """Make a plan, and what it says unless it is all that is wanted."""
    from jtb.render.tables import plan_text, run_text
    from jtb.render.text import duration, show
    from tablebase.catalog import Catalog
    from tablebase.generation import estimate_seconds, make_plan, run_plan

    if pieces is None and not materials:
        raise click.UsageError("say which tables: --pieces N, or materials such as ELvT")
    if pieces is not None and materials:
        raise click.UsageError("say which tables: --pieces N, or materials, not both")
    plan = make_plan(
        settings.data_dir,
        pieces=pieces,
        materials=materials,
        rules=settings.rules(),
        metric=metric,
        jobs=jobs,
        memory=memory,
        force=force,
    )
    if dry_run:
        show(plan_text(plan))
        plan.check(Catalog([plan.directory]).free_space())
        with run_display(settings) as watch:
            show(f"time: about {duration(estimate_seconds(plan, watch))}")
        return
    if plan.to_make:
        settings.note(plan_text(plan))
    with run_display(settings) as watch:
        summary = run_plan(plan, watch)
    settings.note(run_text(plan, summary))
