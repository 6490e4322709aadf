"""The page on the rules: every answer in it is right, and nothing is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tablebase.errors import IllegalPositionError
from tablebase.game.games import Game
from tablebase.game.moves import legal_moves
from tablebase.game.position import Move, Position
from tablebase.game.rules import RULE_SETS, Rules
from tablebase.materials.material import Material
from tablebase.values import distance_of, outcome_of
from tests.in_memory import InMemory

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "rules.md").read_text("utf-8")
CHOICES = {
    "elephant_captures_rat": {"in_trap", "never", "always"},
    "rat_leaving_water_captures": {"none", "rat", "any"},
    "rat_entering_water_captures": {"no", "yes"},
    "lion_jumps": {"both", "vertical", "horizontal", "none"},
    "tiger_jumps": {"both", "vertical", "horizontal", "none"},
    "leopard_jumps": {"both", "vertical", "horizontal", "none"},
    "jump_blocked_by": {"any", "enemy"},
    "swimmers": {"rat", "rat and dog"},
    "traps_weaken": {"enemy", "all"},
    "trapped_attack": {"full", "zero"},
    "order": {"wolf over dog", "dog over wolf"},
    "no_moves": {"loss", "draw"},
    "no_capture_limit": {"none", "60", "100", "200"},
    "repetition": {"none", "3"},
    "history": {"none", "baike"},
}


class Statement(NamedTuple):
    switch: str
    value: str
    base: Rules
    subject: str
    move: str | None
    answer: str


def sections() -> dict[str, str]:
    """The text on each switch."""
    part = PAGE.split("\n## The switches\n")[1].split("\n## ")[0]
    _, *found = re.split(r"^### `(\w+)`$", part, flags=re.M)
    return dict(zip(found[::2], found[1::2], strict=True))


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Each table with the paragraph before it."""
    before = ""
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith("|"):
            yield before, [cells(line) for line in block.strip().splitlines()]
        before = block


def statements() -> Iterator[Statement]:
    for switch, text in sections().items():
        for before, (head, _, *rows) in tables(text):
            changed = re.search(r"with\s+`(\w+) = (\w+)`:$", before)
            base = Rules.from_switches({changed[1]: changed[2]}) if changed else Rules()
            first = 2 if head[1] == "move" else 1
            for row in rows:
                if row[0] == "rule sets":
                    continue
                move = row[1].strip("`") if first == 2 else None
                for value, answer in zip(head[first:], row[first:], strict=True):
                    yield Statement(switch, value.strip("`"), base, row[0], move, answer)


STATEMENTS = list(statements())


def rules_of(statement: Statement) -> Rules:
    value: object = statement.value
    if statement.switch in ("no_capture_limit", "repetition") and value != "none":
        value = int(statement.value)
    return Rules.from_switches({statement.switch: value}, statement.base)


@lru_cache(maxsize=64)
def tables_of(rules: Rules, metric: str) -> InMemory:
    return InMemory(rules, metric="dtw" if metric == "dtw" else "dtc")


def value_of(rules: Rules, fen: str) -> str:
    position = Position.from_fen(fen, rules)
    squares = [square for side in (position.white, position.black) for _, square in side]
    state = np.array([[*squares, int(position.turn)]])
    material = Material.of(position)
    code = int(tables_of(rules.without_limit(), "dtw").lookup(material, state)[0])
    outcome = outcome_of(code)
    if rules.no_capture_limit is not None:
        limited = int(tables_of(rules, "dtc").lookup(material, state)[0])
        distance = distance_of("dtc", limited)
        if distance is None or distance > rules.no_capture_limit - position.counter:
            outcome = 0
    if not outcome:
        return "draw"
    return f"{'win' if outcome > 0 else 'loss'} in {distance_of('dtw', code)}"


def answer_to(statement: Statement) -> str:
    rules = rules_of(statement)
    fen, *record = re.findall(r"`([^`]+)`", statement.subject)
    if record:
        game = Game(fen, rules, record[0].split())
        if statement.move is None:
            return "goes on" if game.result() is None else "draw"
        move = Move.parse(statement.move)
        rule = game.forbidden().get(move)
        if rule is not None:
            return f"forbidden by {rule}"
        return "legal" if move in game.legal_moves() else "illegal"
    if statement.move is None:
        return value_of(rules, fen)
    try:
        position = Position.from_fen(fen, rules)
    except IllegalPositionError:
        return "no position"
    return "legal" if Move.parse(statement.move) in legal_moves(position, rules) else "illegal"


@pytest.mark.parametrize("switch", CHOICES)
def test_every_answer_is_right(switch: str) -> None:
    found = [statement for statement in STATEMENTS if statement.switch == switch]
    assert found
    for statement in found:
        assert answer_to(statement) == statement.answer, statement


@pytest.mark.parametrize("switch", CHOICES)
def test_every_value_has_an_example_that_tells(switch: str) -> None:
    found = [statement for statement in STATEMENTS if statement.switch == switch]
    assert {statement.value for statement in found} == CHOICES[switch]
    answers: dict[str, list[str]] = {value: [] for value in CHOICES[switch]}
    for statement in found:
        answers[statement.value].append(statement.answer)
    default = next(
        value for value in CHOICES[switch]
        if rules_of(found[0]._replace(value=value, base=Rules())) == Rules()
    )  # fmt: skip
    for value, given in answers.items():
        if switch != "no_capture_limit":
            assert value == default or given != answers[default], value


def test_no_switch_is_left_out() -> None:
    assert list(sections()) == list(CHOICES)
    assert set(CHOICES) == set(Rules().switches())


@pytest.mark.parametrize("switch", CHOICES)
def test_it_says_which_rule_sets_have_which_value(switch: str) -> None:
    said: dict[str, str] = {}
    for _, (head, _, *rows) in tables(sections()[switch]):
        for row in rows:
            if row[0] == "rule sets":
                for value, names in zip(head[1:], row[1:], strict=True):
                    said |= {name: value.strip("`") for name in names.split(", ") if name != "–"}
    if switch == "history":
        assert "Rule sets with it: baike." in sections()[switch]
        said = {name: "baike" if name == "baike" else "none" for name in RULE_SETS}
    words = {True: "yes", False: "no", None: "none"}
    for name, rules in RULE_SETS.items():
        value = rules.switches()[switch]
        assert said.pop(name) == str(words.get(value, value)), name
    assert not said


def test_the_named_rule_sets_are_those_that_there_are() -> None:
    part = PAGE.split("\n## The rule sets that have a name\n")[1].split("\n## ")[0]
    (_, (_, _, *rows)), *_ = tables(part)
    found = {}
    for name, differing, _ in rows:
        switches: dict[str, object] = dict(re.findall(r"`(\w+) = ([^`]+)`", differing))
        switches = {k: int(str(v)) if str(v).isdigit() else v for k, v in switches.items()}
        found[name.strip("`")] = Rules.from_switches(switches)
    assert found == RULE_SETS


def test_the_toml_file_is_one(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.S)
    file = tmp_path / "my.toml"
    file.write_text(text, "utf-8")
    assert Rules.from_toml(file) == Rules(
        swimmers="rat and dog", rat_entering_water_captures=True, no_capture_limit=80
    )
