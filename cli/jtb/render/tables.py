"""Listings: rule sets, tables, statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from jtb.render.text import counted, duration, plies, size, table, tables

if TYPE_CHECKING:
    from tablebase.generation import Plan, PlannedTable, RunSummary
    from tablebase.verification import Report, TableReport

__all__ = [
    "classes_csv",
    "classes_text",
    "plan_text",
    "report_text",
    "rule_set",
    "rule_sets",
    "run_text",
    "stats_csv",
    "stats_text",
    "switch_value",
    "table_list",
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
    for (animals, metric), group in groupby(
        plan.tables, key=lambda planned: (len(planned.table.material), planned.metric)
    ):
        found = list(group)
        to_make = [planned for planned in found if planned in plan.to_make]
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


def report_text(report: Report) -> str:
    """What is wrong with which table, with the first differences, and a sentence on the whole."""
    lines = [line for checked in report.tables for line in _complaints(checked)]
    failed = sum(checked.damage is not None for checked in report.tables)
    wrong = sum(not checked.ok for checked in report.tables) - failed
    results = [f"{wrong} wrong"] if wrong else []
    if failed:
        results.append(f"{failed} could not be checked")
    result = ", ".join(results) or "nothing is wrong"
    lines.append(
        f"{tables(len(report.tables))}, {report.checked:,} values checked in"
        f" {duration(report.seconds)}: {result}"
    )
    return "\n".join(lines)


def _complaints(checked: TableReport) -> list[str]:
    """All that is wrong with one table, a line each."""
    lines = []
    if checked.damage:
        lines.append(f"{checked.label}: {checked.damage}")
    lines += [f"{checked.label}: {problem}" for problem in checked.problems]
    if checked.differing:
        lines.append(f"{checked.label}: {checked.differing:,} of {checked.checked:,} values differ")
        lines += [f"  {difference}" for difference in checked.differences]
    return lines


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


def stats_text(record: Mapping[str, Any]) -> str:
    """The statistics of a material, from the JSON of ``jtb stats``."""
    sides = ("white", "black")
    metric = record["metric"]
    parts = [f"{record['material']} under the rules {record['rules']!r}, table {record['class']}"]
    counts = [
        (f"{side.capitalize()} to move", *(record[side][k] for k in ("win", "loss", "draw")))
        for side in sides
    ]
    parts.append(table(counts, ("", "won", "lost", "drawn")))
    longest = ((side.capitalize(), record["longest_win"][side]) for side in sides)
    parts.append(
        "\n".join(
            f"{side} never wins"
            if win["fen"] is None
            else f"Longest win of {side}: {plies(win[metric])}, {win['fen']}"
            for side, win in longest
        )
    )
    zugzwangs = record["zugzwangs"]
    parts.append(f"Mutual zugzwangs: {zugzwangs['full']:,} full, {zugzwangs['half']:,} half")
    rows = _histogram_rows(record)
    if rows:
        unit = "plies" if metric == "dtw" else "plies to capture or den"
        parts.append(table(rows, (unit, "White to move", "Black to move")))
    return "\n\n".join(parts)


def stats_csv(record: Mapping[str, Any]) -> str:
    """The histogram of a material as CSV: side to move, outcome, plies, placements."""
    lines = ["side_to_move,outcome,plies,placements"]
    for side in ("white", "black"):
        for outcome in ("win", "loss"):
            for distance, count in record["histogram"][side][outcome].items():
                lines.append(f"{side},{outcome},{distance},{count}")
        lines.append(f"{side},draw,,{record[side]['draw']}")
    return "\n".join(lines)


def classes_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The statistics of classes as CSV, a row each; what is unknown is empty."""
    lines = [",".join(rows[0])]
    lines += [",".join("" if v is None else str(v) for v in row.values()) for row in rows]
    return "\n".join(lines)


def classes_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The statistics of classes for people, a line each: the longest win and the zugzwangs."""
    heads = ("class", "materials", "placements", "White", "Black", "full", "half")
    keys = ("class", "materials", "placements", "white_longest", "black_longest")
    found = [
        (
            *("–" if row[key] is None else row[key] for key in keys),
            *(row["full_zugzwangs"], row["half_zugzwangs"]),
        )
        for row in rows
    ]
    note = "White, Black: longest win in plies; full, half: mutual zugzwangs"
    return f"{table(found, heads)}\n{note}"


def _histogram_rows(record: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """The placements decided at each distance, by side to move: wins and losses together."""
    white, black = (
        Counter({int(d): n for d, n in record["histogram"][side]["win"].items()})
        + Counter({int(d): n for d, n in record["histogram"][side]["loss"].items()})
        for side in ("white", "black")
    )
    return [(distance, white[distance], black[distance]) for distance in sorted(white | black)]


def switch_value(value: object) -> str:
    """The value of a switch, in words."""
    if value is None:
        return "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
