"""Write the report of the published results: ``README.md`` and its pictures, from the CSV files.

    jtb stats --pieces 5 --csv > data/results/standard.csv
    python data/results/report.py

The pictures need the extra ``notebooks``. Text that does not depend on the figures is in
``README.template.md``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from string import Template
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tablebase import RULE_SETS, Animal, Material, Position, Rules, figures
from tablebase.materials.classes import locate
from tablebase.materials.material import materials

__all__ = ["read_rows", "readme", "write_pictures"]

FOLDER: Final = Path(__file__).resolve().parent
LONGEST: Final = 20
SHOWN: Final = 8
"""How many of the longest wins are drawn."""

Row = dict[str, Any]
Tallies = npt.NDArray[np.float64]

_TEXTS: Final = {
    "class", "names", "white_longest_fen", "black_longest_fen", "digest",
}  # fmt: skip


def read_rows(path: Path) -> list[Row]:
    """The rows of a file that ``jtb stats --pieces N --csv`` wrote; what is empty is ``None``."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {
                key: (text if key in _TEXTS else int(text)) if text else None
                for key, text in r.items()
            }
            for r in csv.DictReader(file)
        ]


def readme(folder: Path = FOLDER) -> str:
    """The text of the report on the CSV files in ``folder``."""
    rows = read_rows(folder / "standard.csv")
    template = Template((FOLDER / "README.template.md").read_text(encoding="utf-8"))
    return template.substitute(
        animals=max(row["animals"] for row in rows),
        classes=f"{len(rows):,}",
        materials=f"{sum(row['materials'] for row in rows):,}",
        totals=_totals(rows),
        movers=_movers(rows),
        longest=_longest_table(rows, LONGEST),
        pairs=_pairs(rows),
        others="".join(_other(name, folder) for name in RULE_SETS if name != "standard"),
    )


def write_pictures(folder: Path = FOLDER) -> None:
    """Draw the pictures that the report shows, into ``folder``."""
    import matplotlib as mpl

    mpl.use("agg")
    rows = read_rows(folder / "standard.csv")
    found = _longest(rows)[:SHOWN]
    boards = figures.boards(
        [Position.from_fen(fen) for _, _, fen in found],
        [f"{row['class']}: {plies} plies" for plies, row, _ in found],
    )
    (folder / "longest.svg").write_text(boards.text + "\n", encoding="utf-8")

    longest = {count: max(p for p, _, _ in _longest(list(g))) for count, g in _by_animals(rows)}
    ax = figures.bars({f"{n} animals": plies for n, plies in longest.items()}, label="plies")
    _save(ax, folder / "growth.png")

    movers = _mover_tallies(rows)
    ax = figures.shares(list(movers.values()), list(movers), title="The side to move")
    _save(ax, folder / "movers.png")

    letters = [animal.letter for animal in sorted(Animal, reverse=True)]
    ax = figures.heat_map(
        _scores(rows), letters, [letter.lower() for letter in letters],
        title="Score of White, by an animal of each side",
        row_label="White has", column_label="Black has", limits=(-0.5, 0.5),
    )  # fmt: skip
    _save(ax, folder / "animals.png")


def _save(ax: Any, path: Path) -> None:
    # Without the version of matplotlib in it, the same figures give the same file.
    ax.get_figure().savefig(path, metadata={"Software": None})


# -- figures ---------------------------------------------------------------------------------------


def _by_animals(rows: Iterable[Row]) -> list[tuple[int, list[Row]]]:
    return [(count, list(group)) for count, group in groupby(rows, key=lambda r: r["animals"])]


def _tally(row: Row, side: str) -> Tallies:
    """Won, lost and drawn with ``side`` to move, in one of the materials of the class."""
    return np.array([row[f"{side}_{outcome}"] for outcome in ("won", "lost", "drawn")], float)


def _longest(rows: Iterable[Row]) -> list[tuple[int, Row, str]]:
    """The longest win of each class: plies, row and FEN, the longest first."""
    found = []
    for row in rows:
        wins = [(row[f"{s}_longest"] or 0, row[f"{s}_longest_fen"]) for s in ("white", "black")]
        plies, fen = max(wins, key=lambda win: win[0])
        if fen:
            found.append((plies, row, fen))
    return sorted(found, key=lambda win: -win[0])


def _mover_tallies(rows: Iterable[Row]) -> dict[str, Tallies]:
    """Won, lost and drawn for the side to move, by how many animals it and the other one have."""
    found: dict[tuple[int, int], Tallies] = {}
    for row in rows:
        white, black = map(len, row["class"].split("v"))
        for side, sizes in (("white", (white, black)), ("black", (black, white))):
            tally = row["materials"] * _tally(row, side)
            found[sizes] = found.get(sizes, np.zeros(3)) + tally
    order = sorted(found, key=lambda sizes: (sum(sizes), -sizes[0]))
    return {f"{own} against {other}": found[own, other] for own, other in order}


def _scores(rows: Sequence[Row]) -> npt.NDArray[np.float64]:
    """The mean score of White (1, 0, -1), either side to move, over all materials in which White
    has one animal and Black another: ``(8, 8)``, strongest first."""
    sums = np.zeros((8, 8, 2))
    for material, (white, black) in _by_material(rows):
        cells = np.ix_([8 - a for a in material.white], [8 - a for a in material.black])
        sums[cells] += [white[0] - white[1] + black[1] - black[0], (white + black).sum()]
    return np.asarray(sums[..., 0] / sums[..., 1])


def _by_material(rows: Sequence[Row]) -> Iterable[tuple[Material, list[Tallies]]]:
    """Each material under ``standard``, and its tallies with White and with Black to move."""
    by_name = {row["class"]: row for row in rows}
    for count in sorted({row["animals"] for row in rows}):
        for material in materials(count):
            found, swapped, _ = locate(Rules(), material)
            tallies = [_tally(by_name[found.name], side) for side in ("white", "black")]
            yield material, tallies[::-1] if swapped else tallies


# -- text ------------------------------------------------------------------------------------------


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """A Markdown table; the first ``left`` columns are text."""
    ruler = ["---" if number < left else "---:" for number in range(len(heads))]
    lines = [heads, ruler, *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _percent(part: float, whole: float) -> str:
    return f"{part / whole:.1%}"


def _totals(rows: Sequence[Row], longest: str = "longest win") -> str:
    heads = (
        "animals", "classes", "materials", "placements", "mover wins", "draws", "loses",
        longest, "full zugzwangs", "half",
    )  # fmt: skip
    lines = []
    for count, group in _by_animals(rows):
        tally = sum(r["materials"] * (_tally(r, "white") + _tally(r, "black")) for r in group)
        won, lost, drawn = tally
        lines.append(
            (
                count,
                len(group),
                f"{sum(row['materials'] for row in group):,}",
                f"{int(won + lost + drawn):,}",
                *(_percent(part, won + lost + drawn) for part in (won, drawn, lost)),
                f"{_longest(group)[0][0]} plies",
                *(
                    f"{sum(row['materials'] * row[f'{kind}_zugzwangs'] for row in group):,}"
                    for kind in ("full", "half")
                ),
            )
        )
    return _table(heads, lines, left=0)


def _movers(rows: Sequence[Row]) -> str:
    heads = ("the side to move has", "wins", "draws", "loses")
    return _table(
        heads,
        (
            (name, *(_percent(tally[k], tally.sum()) for k in (0, 2, 1)))
            for name, tally in _mover_tallies(rows).items()
        ),
    )


def _longest_table(rows: Sequence[Row], count: int) -> str:
    return _table(
        ("class", "position", "plies", "materials"),
        (
            (row["class"], f"`{fen}`", plies, row["materials"])
            for plies, row, fen in _longest(rows)[:count]
        ),
        left=2,
    )


def _pairs(rows: Sequence[Row]) -> str:
    """Won and drawn for White to move, one against one."""
    animals = sorted(Animal, reverse=True)
    cells = {}
    for material, (white, _) in _by_material([row for row in rows if row["animals"] == 2]):
        won, drawn = (f"{white[k] / white.sum():.0%}" for k in (0, 2))
        cells[material.white[0], material.black[0]] = f"{won} + {drawn}" if white[2] else won
    return _table(
        ("", *(animal.letter.lower() for animal in animals)),
        ((f"**{own.letter}**", *(cells[own, other] for other in animals)) for own in animals),
    )


def _other(name: str, folder: Path) -> str:
    """What is said of another rule set, if there is a file of it."""
    path = folder / f"{name}.csv"
    if not path.exists():
        return ""
    rows = read_rows(path)
    parts = [f"## Under the rules `{name}`"]
    if RULE_SETS[name].without_limit() == Rules():
        parts += [_totals(rows, "longest to a capture")]
        parts += _taken_away(name, rows, read_rows(folder / "standard.csv"))
    else:
        parts += [_totals(rows), "The longest wins:", _longest_table(rows, 5)]
    return "".join(f"\n{part}\n" for part in parts)


def _taken_away(name: str, rows: Sequence[Row], standard: Sequence[Row]) -> list[str]:
    """What a limit, the only difference to ``standard``, makes draws of."""
    without = {row["class"]: row for row in standard}
    found: list[tuple[int, int, Row]] = []
    for row in rows:
        tally, free = (
            _tally(r, "white") + _tally(r, "black") for r in (row, without[row["class"]])
        )
        found.append((int(tally[2] - free[2]), int(free[0] + free[1]), row))
    by_animals = []
    for count, _ in _by_animals(rows):
        group = [(drawn, decided) for drawn, decided, row in found if row["animals"] == count]
        drawn, decided = map(sum, zip(*group, strict=True))
        by_animals.append(
            (
                count,
                sum(d > 0 for d, _ in group),
                len(group),
                f"{drawn:,}",
                f"{drawn / decided:.4%}",
            )
        )
    most = sorted((f for f in found if f[0]), key=lambda f: (-f[0] / f[1], f[2]["class"]))[:10]
    limit = RULE_SETS[name].no_capture_limit
    said = (
        f"The only difference to `standard` is that {limit} plies without a capture end a game as a"
        " draw. What that makes draws of, over one material a class, both sides to move, with the"
        " counter at 0:"
    )
    return [
        said,
        _table(
            ("animals", "classes touched", "of", "wins and losses drawn", "of all wins and losses"),
            by_animals,
            left=0,
        ),
        "The classes that lose most of their wins and losses:",
        _table(
            ("class", "drawn by the limit", "of its wins and losses", "materials"),
            (
                (row["class"], f"{drawn:,}", f"{drawn / decided:.2%}", row["materials"])
                for drawn, decided, row in most
            ),
        ),
    ]


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(readme(), encoding="utf-8")
    write_pictures()
