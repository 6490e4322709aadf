"""What the tests of making tables have in common."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Self

import pytest

from tablebase.catalog import Catalog
from tablebase.errors import CorruptTableError
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.generation import Made
from tablebase.generation.classwork import BadSmallerTable, ClassWork, TableTask
from tablebase.generation.executor import Executor, Outcome
from tablebase.materials.classes import classes
from tablebase.materials.table import Table
from tablebase.solve import Buffers
from tablebase.tablefile import TableFile
from tests.tablefile.damage import flip

__all__ = [
    "FEW",
    "STANDARD",
    "InTurn",
    "digests",
    "path_of",
    "spoil_values",
    "table_of",
    "tables_of_two",
    "unfinished",
]


STANDARD = RULE_SETS["standard"]
FEW = ("LvRT", "ERvE")
"""Materials of three animals that together need most classes of two."""


def table_of(name: str, rules: Rules = STANDARD) -> Table:
    return Table.of(rules, name)


def tables_of_two(rules: Rules = STANDARD) -> list[Table]:
    return [Table(found) for found in classes(rules, 2)]


def path_of(folder: Path, name: str) -> Path:
    return folder / table_of(name).file


def digests(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.glob("*/*.h5"):
        with TableFile(path) as file:
            found[f"{path.parent.name}/{path.name}"] = file.header.digest
    return found


def unfinished(folder: Path) -> list[Path]:
    return list(folder.rglob("*.part"))


def spoil_values(path: Path) -> None:
    """Flip a bit in the values of either side to move, which opening the file does not notice."""
    with TableFile(path) as file:
        offsets = file._index["offset"][:, 0].tolist()
    for offset in offsets:
        flip(path, 8 * offset + 300)
    with TableFile(path) as file, pytest.raises(CorruptTableError):
        file.check_stored()


class InTurn(Executor[TableTask, Made]):
    """The simplest executor: each table when the outcome is asked for, one after the other."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._tasks: deque[TableTask] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tasks.clear()

    @property
    def is_hungry(self) -> bool:
        return len(self._tasks) < 2

    def begin(self, task: TableTask) -> None:
        self._tasks.append(task)

    def next(self, timeout: float) -> Outcome[TableTask, Made] | None:  # noqa: ARG002
        task = self._tasks.popleft()
        work = ClassWork(task, self._catalog, Buffers(), lambda: None)
        obstacle = work.claim()
        if obstacle is not None:
            return Outcome(task, obstacle=obstacle)
        try:
            results = [step() for stage in work.stages() for step in stage]
        except BadSmallerTable as error:
            return Outcome(task, error=error)
        finally:
            work.release()
        return Outcome(task, results[-1])
