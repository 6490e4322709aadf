"""Folders of real tables for tests: made by the program, or written from the slow reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tablebase
from tablebase.catalog import Catalog
from tablebase.game.rules import Rules
from tablebase.materials.table import Table
from tablebase.tablefile import write_table
from tablebase.values import Metric, code_of
from tests.reference import Endgame
from tests.sample_tables import ChunkSource, sample_summary

__all__ = ["THREE", "made_tables", "write_from_reference"]

THREE = ("ELvT", "TRvR", "LRvE", "EDvC")
"""The materials of three animals that have tables under ``standard``."""


def made_tables(folder: Path) -> Path:
    """All of two animals under ``standard`` and ``leiden``, and a few of three."""
    for rules in ("standard", "leiden"):
        tablebase.generate(folder, pieces=2, rules=rules, jobs=1)
    tablebase.generate(folder, materials=THREE, jobs=1)
    return folder


def write_from_reference(folder: Path, rules: Rules, name: str, metric: Metric) -> Table:
    """Write the table that serves the material called ``name``, with the reference's values."""
    table = Table.of(rules, name, metric)
    material = table.material
    endgame = Endgame(material.white, material.black, rules)
    values = endgame.dtw() if metric == "dtw" else endgame.dtc()
    column = [material.pieces.index(piece) for piece in table.axes]
    number = [{square: i for i, square in enumerate(axis)} for axis in table.squares]
    codes = np.zeros((2, *table.shape), np.uint8)
    for state, value in values.items():
        if state[column[0]] in number[0]:
            cell = [numbers[state[c]] for numbers, c in zip(number, column, strict=True)]
            codes[(state[-1], *cell)] = code_of(metric, *value)
    path = Catalog([folder]).path(table)
    summary = sample_summary(int(codes.max()))
    write_table(path, table, "uint8", summary, ChunkSource(table, codes))
    return table
