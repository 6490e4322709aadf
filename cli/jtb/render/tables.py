"""Listings: rule sets, tables, statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from jtb.render.text import counted, duration, path_text, size, table, tables

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.errors import TablebaseError
    from tablebase.generation import Plan, PlannedTable, RunSummary
    from tablebase.materials.classes import TableClass
    from tablebase.materials.material import Material
    from tablebase.tablefile import TableHeader
    from tablebase.verification import Report, TableReport

__all__ = [
    "plan_text",
    "report_text",
    "rule_set",
    "rule_sets",
    "run_text",
    "switch_value",
    "table_list",
    "table_record",
]


def rule_sets(named: Mapping[str, Mapping[str, Any]]) -> str:
    """Every rule set in ``named`` (switches by name), and where it differs from the first."""
    standard = next(iter(named.values()))
    rows = []
    for name, switches in named.items():
        differing = [f"{s}: {switch_value(v)}" for s, v in switches.items() if v != standard[s]]
        rows += [(name if not n else "", text) for n, text in enumerate(differing or ["–"])]
    return table(rows, ("name", f"differs from {next(iter(named))} by"))


def rule_set(name: str, switches: Mapping[str, Any], standard: Mapping[str, Any]) -> str:
    """All the switches of one rule set; those that differ from ``standard`` are marked."""
    rows = [
        (f"{'*' if value != standard[switch] else ' '} {switch}", switch_value(value))
        for switch, value in switches.items()
    ]
    return table(rows, (name, ""))


def plan_text(plan: Plan) -> str:
    """What a run will make, by the number of animals, and what that takes."""
    rows: list[tuple[int | str, ...]] = []
    wanted = set(plan.to_make)
    for (animals, metric), group in groupby(
        plan.tables, key=lambda planned: (len(planned.table.material), planned.table.metric)
    ):
        found = list(group)
        to_make = [planned for planned in found if planned in wanted]
        rows.append((animals, metric, len(found), len(to_make), *_sums(to_make)))
    rows.append(("all", "", len(plan.tables), len(plan.to_make), *_sums(plan.to_make)))
    heads = ("animals", "metric", "classes", "to make", "placements", "disk")
    threads = counted(plan.jobs, "thread", "threads")
    memory = f"memory: up to {size(plan.peak_memory)} of {size(plan.memory)}, {threads}"
    return "\n".join((f"plan for {plan.directory}", table(rows, heads), memory))


def _sums(planned_tables: Sequence[PlannedTable]) -> tuple[int, str]:
    """The legal placements for one side to move, and the disk space."""
    return (
        sum(planned.table.placements for planned in planned_tables),
        size(sum(planned.disk for planned in planned_tables)),
    )


def run_text(plan: Plan, summary: RunSummary) -> str:
    """What a run did, in a sentence."""
    made = f"{tables(len(summary.made))} made in {duration(summary.seconds)}"
    elsewhere = f", {summary.elsewhere} made by other processes" if summary.elsewhere else ""
    present = f", {summary.present} there before" if summary.present else ""
    return f"{plan.directory}: {made}{elsewhere}{present}"


def report_text(report: Report, advised: Callable[[TablebaseError], str]) -> str:
    """What is wrong with which table, with the first differences, and a sentence on the whole;
    ``advised`` says what an error says, and what can be done about it."""
    lines = [line for checked in report.tables for line in _complaints(checked, advised)]
    lines += [advised(file.failure) for file in report.foreign]
    failed = len(report.failures)
    wrong = sum(bool(checked.differing or checked.problems) for checked in report.tables)
    results = [f"{wrong} wrong"] if wrong else []
    if failed:
        results.append(f"{failed} could not be checked")
    result = ", ".join(results) or "nothing is wrong"
    lines.append(
        f"{tables(len(report.tables) + len(report.foreign))}, {report.checked:,} values checked in"
        f" {duration(report.seconds)}: {result}"
    )
    return "\n".join(lines)


def _complaints(checked: TableReport, advised: Callable[[TablebaseError], str]) -> list[str]:
    """All that is wrong with one table, a line each."""
    from tablebase.errors import MissingTableError

    lines = []
    failure = checked.failure
    if failure is not None:
        what = advised(failure)
        if isinstance(failure, MissingTableError) and checked.table.name not in failure.materials:
            what = f"a capture leads to another table, and {what}"
        lines.append(f"{checked.label}: {what}")
    lines += [f"{checked.label}: {problem}" for problem in checked.problems]
    if checked.differing:
        lines.append(f"{checked.label}: {checked.differing:,} of {checked.checked:,} values differ")
        lines += [f"  {difference}" for difference in checked.differences]
    return lines


def table_record(
    header: TableHeader,
    served: Mapping[TableClass, Sequence[Material]],
    path: Path,
    size: int,
) -> dict[str, Any]:
    """The JSON of a table in ``jtb list``; ``served`` has the materials of each class like it."""
    materials = next(found for each, found in served.items() if each.name == header.name)
    sides = header.summary.histogram
    distances = (d for side in sides for counts in (side.win, side.loss) for d in counts)
    return {
        "class": header.name,
        "rules": header.rules_key,
        "metric": header.metric,
        "animals": len(header.axes),
        "materials": [str(material) for material in materials],
        "classes_in_all": len(served),
        "longest": max(distances, default=None),
        "digest": header.digest,
        "bytes": size,
        "file": path_text(path),
    }


def table_list(records: Sequence[Mapping[str, Any]]) -> str:
    """The tables, sorted by rules, metric and animals, and what they cover together."""
    rows = [
        (
            *(record[key] for key in ("rules", "metric", "class")),
            len(record["materials"]),
            "–" if record["longest"] is None else record["longest"],
            size(record["bytes"]),
        )
        for record in records
    ]
    covered = []
    for (rules, metric, animals), group in groupby(
        records, key=itemgetter("rules", "metric", "animals")
    ):
        found = list(group)
        covered.append(
            (
                *(rules, metric, animals),
                f"{len(found)} of {found[0]['classes_in_all']}",
                sum(len(record["materials"]) for record in found),
                size(sum(record["bytes"] for record in found)),
            )
        )
    return "\n\n".join(
        (
            table(rows, ("rules", "metric", "class", "materials", "longest", "size")),
            table(covered, ("rules", "metric", "animals", "classes", "materials", "size")),
        )
    )


def switch_value(value: object) -> str:
    """The value of a switch, in words."""
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
