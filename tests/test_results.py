"""The published results: made anew where that is quick, and consistent everywhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import tablebase
from tablebase import RULE_SETS, Position, statistics
from tablebase.materials.classes import classes
from tablebase.materials.material import Material, materials

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "data" / "results"
FILES = sorted(RESULTS.glob("*.csv"))
MADE_ANEW = 3


@pytest.fixture(scope="module")
def report() -> Any:
    """The script that writes the report, as a module."""
    spec = importlib.util.spec_from_file_location("report", RESULTS / "report.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_results_under_standard() -> None:
    assert "standard.csv" in [path.name for path in FILES]
    assert all(path.stem in RULE_SETS for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_small_tables_made_anew_are_those_published(
    path: Path, report: Any, tmp_path: Path
) -> None:
    tablebase.generate(tmp_path, pieces=MADE_ANEW, rules=path.stem)
    with tablebase.open_tablebase(tmp_path, path.stem) as tb:
        made = list(statistics.table_rows(tb, MADE_ANEW))
    published = [row for row in report.read_rows(path) if row["animals"] <= MADE_ANEW]
    assert [row["digest"] for row in made] == [row["digest"] for row in published]
    assert made == published


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_published_rows_are_of_every_class_and_add_up(path: Path, report: Any) -> None:
    rows = report.read_rows(path)
    rules = RULE_SETS[path.stem]
    animals = max(row["animals"] for row in rows)
    assert animals >= 4
    assert all(tuple(row) == statistics.COLUMNS for row in rows)
    tables = [table for count in range(2, animals + 1) for table in classes(rules, count)]
    assert [row["class"] for row in rows] == [table.name for table in tables]
    names = [name for row in rows for name in row["names"].split()]
    assert sorted(names) == sorted(str(m) for n in range(2, animals + 1) for m in materials(n))
    for row, table in zip(rows, tables, strict=True):
        assert row["placements"] == table.placements
        assert row["materials"] == len(row["names"].split())
        assert re.fullmatch(r"[0-9a-f]{32}", row["digest"])
        for side in ("white", "black"):
            counts = [row[f"{side}_{outcome}"] for outcome in ("won", "lost", "drawn")]
            assert sum(counts) == table.placements
            if counts[0]:
                position = Position.from_fen(row[f"{side}_longest_fen"], rules)
                assert position.turn.name.lower() == side
                assert str(Material.of(position)) == table.name


def test_the_report_is_that_of_the_files(report: Any) -> None:
    text = report.readme()
    assert text == (RESULTS / "README.md").read_text("utf-8")
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text):
        assert (RESULTS / picture).is_file()


def test_the_report_draws_its_pictures(report: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is in the extra 'notebooks'")
    (tmp_path / "standard.csv").write_bytes((RESULTS / "standard.csv").read_bytes())
    report.write_pictures(tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()} - {"standard.csv"}
    assert drawn == {"animals.png", "growth.png", "longest.svg", "movers.png"}
    assert (tmp_path / "longest.svg").read_text("utf-8") == (RESULTS / "longest.svg").read_text(
        "utf-8"
    )
