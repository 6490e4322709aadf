"""``jtb verify``: check the values of tables against each other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from jtb import errors
from jtb.errors import ExitCode
from jtb.options import PIECES, Command, Settings, jobs_option, metric_option
from jtb.progress import check_display

if TYPE_CHECKING:
    from tablebase.values import Metric
    from tablebase.verification import Report

__all__ = ["command"]


@click.command(
    cls=Command,
    help="""Check the values of tables against each other.

    Derives every value, or a sample of them, from those of the positions one ply later, and checks
    what the files say of themselves. Without materials and --pieces: all tables in the folder of
    the rule set. Tables that cannot be checked are told, and the others are checked. The exit code
    is 4 if a file is damaged or not the table of its name; else 1 if a value is wrong; else 3 if a
    table is missing, 5 if a file may not be read.

    \b
    Examples:
      jtb verify
      jtb verify --pieces 4 --sample 1000000
      jtb verify ELvT
    """,
)
@click.argument("materials", nargs=-1, metavar="[ELvT]...")
@click.option("--pieces", type=PIECES, metavar="N", help="All tables of 2 to N animals.")
@click.option("--sample", type=click.IntRange(min=1), metavar="K", help="About K values a table.")
@jobs_option
@metric_option
@click.pass_obj
def command(
    settings: Settings,
    materials: tuple[str, ...],
    pieces: int | None,
    sample: int | None,
    jobs: int | None,
    metric: Metric | None,
) -> int:
    """Print what is wrong; the exit code is that of the worst."""
    import tablebase
    from jtb.render.tables import report_text
    from jtb.render.text import show

    if pieces is not None and materials:
        raise click.UsageError("say which tables: --pieces N, or materials, not both")
    with check_display(settings) as watch:
        report = tablebase.verify(
            settings.data_dir,
            pieces=pieces,
            materials=materials or None,
            rules=settings.rules(),
            metric=metric,
            sample=sample,
            jobs=jobs,
            progress=watch,
        )
    show(report_text(report, partial(errors.advised, settings=settings)))
    return _exit_code(report)


def _exit_code(report: Report) -> ExitCode:
    """That of the worst that was found."""
    codes = {errors.code_of(type(failure)) for failure in report.failures}
    if any(table.differing or table.problems for table in report.tables):
        codes.add(ExitCode.NO)
    worst_first = (ExitCode.DAMAGED, ExitCode.NO, ExitCode.MISSING, ExitCode.NO_ROOM)
    return next((code for code in worst_first if code in codes), ExitCode.DONE)
