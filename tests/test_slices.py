"""Tables in slices, questions to all of them, and the values of moves: against one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tablebase
from tablebase import MissingTableError, Tablebase, open_tablebase, statistics
from tablebase.errors import IllegalPositionError
from tablebase.game.board import Color
from tablebase.game.rules import Rules
from tablebase.materials.material import Material
from tablebase.statistics import MovesOf, Slice, Slices, map_slices

MATERIALS = ("EvP", "PvE", "RvR", "TvLE", "RTvR", "LRvE", "EvLR", "EDvC", "CvED")
"""Classes as they stand, renamed, with the sides swapped, and with swimmers first."""


@pytest.fixture(scope="module")
def standard(tables: Path) -> Iterator[Tablebase]:
    with open_tablebase(tables) as tb:
        yield tb


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablebase]:
    """Under rules in which many wins take too long."""
    folder, rules = tmp_path_factory.mktemp("limited"), Rules(no_capture_limit=6)
    tablebase.generate(folder, materials=["LRvE"], rules=rules, jobs=1)
    with open_tablebase(folder, rules) as tb:
        yield tb


@pytest.mark.parametrize("name", MATERIALS)
def test_slices_have_every_placement_once(standard: Tablebase, name: str) -> None:
    whole = statistics.value_arrays(standard, name)
    expected = np.column_stack((whole.squares, whole.outcome.T, whole.distance.T))
    with Slices(standard, name) as slices:
        parts = [part.unfolded() for part in slices]
        weights = sum(int(part.weight.sum()) for part in slices)
    found = np.concatenate([np.column_stack((p.squares, p.outcome.T, p.distance.T)) for p in parts])
    assert weights == len(found) == len(whole) == slices.table.placements
    assert np.array_equal(found[np.lexsort(found.T[::-1])], expected)


def test_a_slice_and_its_parts(standard: Tablebase) -> None:
    with Slices(standard, "LRvE") as slices:
        (part,) = slices
        assert len(slices[:]) == 1
        assert slices[0:0] == []
        with pytest.raises(IndexError):
            slices[1]
    won = part.where(part.outcome[0] == 1)
    assert 0 < len(won) < len(part)
    assert (won.outcome[0] == 1).all()
    assert np.array_equal(won.squares, part.squares[part.outcome[0] == 1])
    row = len(won) // 2
    assert standard.probe_wdl(won.position(row, Color.WHITE)) == 1
    assert part.column("e") == 2
    with pytest.raises(ValueError, match="has no piece 'E'"):
        part.column("E")
    with pytest.raises(ValueError, match="read-only"):
        part.squares[0, 0] = 1
    assert part.unfolded().unfolded().weight.max() == 1
    assert np.array_equal(part.outcome_for(Color.WHITE)[1], -part.outcome[1])


def zugzwangs(part: Slice) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([part.weight[rows].sum(dtype=np.int64) for rows in part.zugzwangs()])


def test_questions_are_answered_as_by_the_header(standard: Tablebase) -> None:
    told: list[statistics.ReduceProgress] = []
    found = map_slices(standard, MATERIALS, zugzwangs, progress=told.append)
    assert list(found) == list(MATERIALS)
    for name, counts in found.items():
        summary = statistics.material_stats(standard, name)
        assert counts.tolist() == list(summary.zugzwangs)
    assert told[-1].materials_done == len(MATERIALS) - 1
    assert told[-1].slices_done == told[-1].slices == 1


def test_answers_are_put_together_in_order(tables: Path, tmp_path: Path) -> None:
    tablebase.generate(tmp_path, materials=["EvLTP"], jobs=1)
    with open_tablebase(tmp_path) as tb:
        with Slices(tb, "LTPvE") as slices:
            numbers = slices.numbers()
            squares = [part.squares[0].tolist() for part in slices if len(part)]
        assert len(numbers) == len(squares) > 20
        for jobs in (1, 3):
            found = map_slices(tb, "LTPvE", lambda part: [part.squares[0].tolist()], jobs=jobs)
            assert found == {"LTPvE": squares}
        some = map_slices(tb, "LTPvE", lambda part: [part.squares[0].tolist()], sample=5)
        assert len(some["LTPvE"]) == 5
        assert some == map_slices(tb, "LTPvE", lambda p: [p.squares[0].tolist()], sample=5)

        def fails(part: Slice) -> int:
            raise RuntimeError(f"{len(part)} placements")

        with pytest.raises(RuntimeError, match="placements"):
            map_slices(tb, "LTPvE", fails)
    with open_tablebase(tables) as tb, pytest.raises(MissingTableError):
        map_slices(tb, ["EvP", "LTPvE"], len)


@pytest.mark.parametrize("name", MATERIALS)
@pytest.mark.parametrize("turn", Color)
def test_values_of_moves_are_those_of_the_moves_one_by_one(
    standard: Tablebase, name: str, turn: Color
) -> None:
    captures = check_moves(standard, name, turn, 60)
    assert captures or name in ("PvE", "TvLE", "WvED", "CvED")  # the weaker take seldom


@pytest.mark.parametrize("turn", Color)
def test_values_of_moves_under_a_limit(limited: Tablebase, turn: Color) -> None:
    assert check_moves(limited, "LRvE", turn, 300)


def check_moves(tb: Tablebase, name: str, turn: Color, rows: int) -> int:
    """Compare some rows, and return how many captures were among the moves."""
    moves = MovesOf(tb, name, turn)
    pieces = Material.parse(name).pieces
    with Slices(tb, name) as slices:
        part = slices[0].unfolded()
    chosen = random.Random(name).sample(range(len(part)), rows)
    # And some in which animals meet.
    close = np.abs(part.squares[:, 0].astype(int) - part.squares[:, -1]) == 1
    part = part.where(np.array([*chosen, *np.flatnonzero(close)[:: len(part) // 500 + 1]]))
    values = moves.values(part.squares)
    assert np.array_equal(np.maximum(values.best, -1), part.outcome[turn])
    captures = 0
    for row in range(len(part)):
        one_by_one = tb.moves(part.position(row, turn))
        expected = {
            (*value.move, None if value.capture is None else value.capture.upper()): (
                value.outcome,
                value.dtw if part.metric == "dtw" else value.dtc,
            )
            for value in one_by_one
        }
        found = {}
        for slot in np.flatnonzero(values.legal[row]):
            taken = int(values.capture[row, slot])
            move = (
                int(part.squares[row, values.piece[slot]]),
                int(values.target[row, slot]),
                None if taken < 0 else pieces[taken].animal.letter,
            )
            captures += taken >= 0
            plies = int(values.distance[row, slot])
            found[move] = int(values.outcome[row, slot]), None if plies < 0 else plies
        if part.metric == "dtc":  # what the limit takes away has a distance there, and here none
            expected = {m: (o, d if o else None) for m, (o, d) in expected.items()}
        assert found == expected
        kept = [value for value in one_by_one if value.outcome == one_by_one[0].outcome]
        assert values.keeping[row] == len(kept)
        assert values.count(1)[row] == sum(value.outcome == 1 for value in one_by_one)
    return captures


def test_moves_of_what_is_no_placement(standard: Tablebase) -> None:
    moves = MovesOf(standard, "EvP", Color.WHITE)
    with pytest.raises(IllegalPositionError, match="row 1 is no placement of EvP"):
        moves.values(np.array([[0, 1], [1, 1]], np.uint8))
    with pytest.raises(ValueError, match="of the shape"):
        moves.values(np.array([[0, 1, 2]], np.uint8))
    empty = moves.values(np.empty((0, 2), np.uint8))
    assert empty.target.shape == (0, 4)


def test_arrow_batches(standard: Tablebase) -> None:
    pytest.importorskip("pyarrow")
    with Slices(standard, "LRvE") as slices:
        part = slices[0]
    batch = part.to_arrow()
    assert batch.num_rows == 2 * len(part)
    assert batch.schema.names == ["L", "R", "e", "weight", "side_to_move", "outcome", "dtw"]
    rows = batch.slice(len(part) - 1, 2).to_pylist()
    words = {1: "win", 0: "draw", -1: "loss"}
    for record, row, turn in zip(rows, (len(part) - 1, 0), Color, strict=True):
        assert [record[piece] for piece in "LRe"] == part.squares[row].tolist()
        assert record["side_to_move"] == turn.name.lower()
        assert record["outcome"] == words[int(part.outcome[turn, row])]
        plies = int(part.distance[turn, row])
        assert record["dtw"] == (None if plies < 0 else plies)
