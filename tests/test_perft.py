"""Move counts: the published ones, and laws that all must follow."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tablebase.game.moves import divide, legal_moves, perft
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tests.strategies import rules_and_position

STANDARD = Rules()

# Leaves at depth 1, 2, 3 …; those of netcan from a generator written after its own source.
START = {
    "standard": [24, 576, 12240, 260099, 5111620, 100453636],
    "leiden": [24, 576, 12240, 260100, 5111725],
}
RATS_AND_ELEPHANT = "7/7/7/1r5/eR5/7/7/7/7 w"
JUMPERS = "7/3C3/7/T2e3/1R2r2/7/1L4d/7/7 w"
CORNERED_CAT = "7/7/7/7/7/7/2w1t2/D6/c1T4 w"
TRAPPED_RAT = "1eR4/7/7/7/7/7/7/7/7 b"
COUNTS: dict[str, dict[str, list[int]]] = {
    RATS_AND_ELEPHANT: {
        "standard": [3, 14, 54, 242, 890, 4786],
        "leiden": [3, 14, 54, 246, 895, 4858],
        "baike": [3, 14, 54, 242, 895, 4820],
        "netcan": [3, 14, 54, 242, 895, 4820],
    },
    JUMPERS: {
        "standard": [13, 108, 1391, 11313, 146456, 1238701],
        "leiden": [13, 108, 1392, 11345, 146956, 1245846],
        "blinky": [13, 108, 1373, 11142, 141265, 1191044],
        "baike": [14, 117, 1592, 12989, 174695, 1480229],
        "netcan": [13, 108, 1392, 11338, 146879, 1243955],
    },
    CORNERED_CAT: {
        "standard": [5, 39, 215, 1616, 7800, 60828],
        "jade": [5, 39, 215, 1616, 7800, 60754],
        "blinky": [5, 39, 215, 1616, 7800, 60478],
        "baike": [5, 39, 218, 1606, 8065, 60880],
    },
    TRAPPED_RAT: {
        "standard": [3, 6, 9, 32, 87, 289],
        "leiden": [3, 6, 12, 32, 99, 289],
        "netcan": [2, 6, 9, 32, 84, 289],
    },
}
CASES = [
    (fen, rules, depth, leaves)
    for fen, by_rules in COUNTS.items()
    for rules in RULE_SETS
    for depth, leaves in enumerate(by_rules.get(rules, by_rules["standard"]), start=1)
]
START_CASES = [
    (rules, depth, leaves)
    for rules, counts in START.items()
    for depth, leaves in enumerate(counts, start=1)
]


@pytest.mark.parametrize(("fen", "rules", "depth", "leaves"), [c for c in CASES if c[3] < 150_000])
def test_counts(fen: str, rules: str, depth: int, leaves: int) -> None:
    assert perft(Position.from_fen(fen), depth, RULE_SETS[rules]) == leaves


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "rules", "depth", "leaves"), [c for c in CASES if c[3] >= 150_000])
def test_deep_counts(fen: str, rules: str, depth: int, leaves: int) -> None:
    assert perft(Position.from_fen(fen), depth, RULE_SETS[rules]) == leaves


@pytest.mark.parametrize(("rules", "depth", "leaves"), [c for c in START_CASES if c[1] <= 4])
def test_counts_from_the_start(rules: str, depth: int, leaves: int) -> None:
    assert perft(Position.start(), depth, RULE_SETS[rules]) == leaves


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "depth", "leaves"), [c for c in START_CASES if c[1] > 4])
def test_deep_counts_from_the_start(rules: str, depth: int, leaves: int) -> None:
    assert perft(Position.start(), depth, RULE_SETS[rules]) == leaves


def test_depth_0_is_the_position_itself() -> None:
    assert perft(Position.start(), 0, STANDARD) == 1


def test_depths_that_are_none() -> None:
    with pytest.raises(ValueError, match="depth is 0 or more"):
        perft(Position.start(), -1, STANDARD)
    with pytest.raises(ValueError, match="1 or more"):
        divide(Position.start(), 0, STANDARD)


def test_divide_splits_by_the_first_move() -> None:
    position = Position.from_fen(JUMPERS)
    split = divide(position, 3, STANDARD)
    assert list(split) == legal_moves(position, STANDARD)
    assert sum(split.values()) == perft(position, 3, STANDARD)
    assert divide(position, 1, STANDARD) == dict.fromkeys(split, 1)


def test_a_finished_game_has_no_leaves() -> None:
    entered = Position.from_fen("3R3/7/7/7/7/7/7/7/e6 b")
    assert [perft(entered, depth, STANDARD) for depth in (1, 2)] == [0, 0]
    assert divide(entered, 1, STANDARD) == {}


def test_the_limit_ends_a_game_unless_its_last_ply_captures() -> None:
    rules = Rules(no_capture_limit=10)
    fen = "7/7/7/7/7/7/7/dr5/D6 w"
    assert perft(Position.from_fen(f"{fen} 8"), 2, rules) == perft(
        Position.from_fen(fen), 2, STANDARD
    )
    last = Position.from_fen(f"{fen} 9")
    captures = {Move.parse("a1a2")}
    assert {move for move, leaves in divide(last, 2, rules).items() if leaves} == captures
    assert perft(last, 1, rules) == len(legal_moves(last, STANDARD))
    assert perft(Position.from_fen(f"{fen} 10"), 1, rules) == 0
    assert divide(Position.from_fen(f"{fen} 10"), 1, rules) == {}


@given(rules_and_position(most=6))
@settings(max_examples=50)
def test_counts_do_not_notice_symmetries(case: tuple[Rules, Position]) -> None:
    rules, position = case
    leaves = perft(position, 2, rules)
    assert perft(position.mirrored(), 2, rules) == leaves
    assert perft(position.swapped(), 2, rules) == leaves
