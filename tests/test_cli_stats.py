"""``jtb stats --pieces``: a row for each class."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from click.testing import CliRunner, Result

from jtb.main import app
from tablebase import open_tablebase, statistics


def run(*arguments: str, folder: Path) -> Result:
    return CliRunner().invoke(app, ["stats", *arguments, "--data-dir", str(folder)])


def test_rows_are_those_of_the_library(tables: Path) -> None:
    with open_tablebase(tables) as tb:
        expected = list(statistics.table_rows(tb, 2))
    result = run("--pieces", "2", "--csv", folder=tables)
    assert (result.exit_code, result.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [tuple(row) for row in rows] == [statistics.COLUMNS] * 10
    assert [list(row.values()) for row in rows] == [list(map(str, r.values())) for r in expected]
    result = run("--pieces", "2", "--json", folder=tables)
    assert json.loads(result.stdout) == {"classes": expected}


def test_rows_for_people(tables: Path) -> None:
    result = run("--pieces", "2", "--rules", "leiden", folder=tables)
    assert result.exit_code == 0
    words = [line.split() for line in result.stdout.splitlines()]
    assert ["RvR", "1", "3,660"] in [line[:3] for line in words]
    assert "753" in next(line for line in words if line[0] == "RvR")


def test_what_is_missing_or_contradictory(tables: Path) -> None:
    for arguments in ([], ["RvR", "--pieces", "2"]):
        result = run(*arguments, folder=tables)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "a MATERIAL, or --pieces N" in result.stderr
    assert run("--pieces", "9", folder=tables).exit_code == 2
    result = run("--pieces", "3", "--csv", folder=tables)
    assert (result.exit_code, result.stdout) == (3, "")
    number, _, rest = result.stderr.removeprefix("jtb: ").partition(" ")
    assert int(number) > 30
    assert rest.startswith(f"of 52 tables are not in {tables}, the first of them standard/")
    assert rest.endswith(f": run `jtb generate --data-dir {tables} --pieces 3`\n")
