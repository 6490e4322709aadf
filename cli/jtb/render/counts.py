"""Statistics of a material and of classes: JSON, CSV and text."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jtb.render.text import counted, duration, plies, size, table
from tablebase.game.board import Color

if TYPE_CHECKING:
    from tablebase.probe import Probe
    from tablebase.statistics import MaterialStats
    from tablebase.statistics.exporting import ExportEstimate

__all__ = [
    "classes_csv",
    "classes_text",
    "export_text",
    "histogram_csv",
    "stats_csv",
    "stats_record",
    "stats_text",
]


def stats_record(stats: MaterialStats, longest: Sequence[Probe | None]) -> dict[str, Any]:
    """The JSON of ``jtb stats``; ``longest`` has the values of the longest wins of White and Black.

    The histogram is in plies of ``metric``, and the longest win the longest in it.
    """
    sides = [(color.name.lower(), stats.histogram[color]) for color in Color]
    return {
        "material": str(stats.material),
        "rules": stats.rules.name,
        "class": stats.class_name,
        "metric": stats.metric,
        **{
            side: {"win": counts.wins, "loss": counts.losses, "draw": counts.draw}
            for side, counts in sides
        },
        "longest_win": {
            color.name.lower(): {
                "dtw": value and value.dtw,
                "dtc": value and value.dtc,
                "fen": win and win.fen,
            }
            for color, win, value in zip(Color, stats.longest_win, longest, strict=True)
        },
        "histogram": {
            side: {
                "win": {str(d): n for d, n in sorted(counts.win.items())},
                "loss": {str(d): n for d, n in sorted(counts.loss.items())},
            }
            for side, counts in sides
        },
        "zugzwangs": stats.zugzwangs._asdict(),
    }


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
    rows: list[Sequence[object]] = [("side_to_move", "outcome", "plies", "placements")]
    for side in ("white", "black"):
        for outcome in ("win", "loss"):
            for distance, count in record["histogram"][side][outcome].items():
                rows.append((side, outcome, distance, count))
        rows.append((side, "draw", None, record[side]["draw"]))
    return _csv(rows)


def classes_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """The statistics of classes as CSV, a row each; what is unknown is empty."""
    return _csv([list(rows[0]), *(list(row.values()) for row in rows)])


def histogram_csv(rows: Iterable[Sequence[object]]) -> str:
    """The histograms of classes as CSV, a row for each outcome and ply of a side to move."""
    from tablebase.statistics import HISTOGRAM_COLUMNS

    return _csv([HISTOGRAM_COLUMNS, *rows])


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().rstrip("\n")


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


def export_text(material: str, kind: str, expected: ExportEstimate) -> str:
    """What an export will come to."""
    rows = "an unknown number of rows" if expected.rows is None else _rows(expected.rows)
    return (
        f"{material}: {rows}, about {size(expected.bytes)} of {kind}, about"
        f" {duration(expected.seconds)}"
    )


def _rows(count: int) -> str:
    return counted(count, "row", "rows")
