"""``jtb rules`` and ``jtb perft``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from jtb.main import app
from tablebase.game.rules import RULE_SETS


def run(*arguments: str) -> tuple[str, str]:
    """What the command writes to stdout and stderr."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout, result.stderr


def test_rules_lists_every_rule_set_and_where_it_differs() -> None:
    out, err = run("rules")
    assert err == ""
    assert [line.split()[0] for line in out.splitlines()[1:] if line[0] != " "] == list(RULE_SETS)
    assert "plyyard    no_capture_limit: 60" in out
    assert "rat_entering_water_captures: yes" in out


def test_rules_json_lists_the_switches() -> None:
    records = json.loads(run("rules", "--json")[0])
    assert {r["name"]: r["switches"] for r in records} == {
        name: rules.switches() for name, rules in RULE_SETS.items()
    }


@pytest.mark.parametrize("arguments", [["rules", "baike"], ["--rules", "baike", "rules"]])
def test_rules_of_one_name_marks_what_differs(arguments: list[str]) -> None:
    lines = run(*arguments)[0].splitlines()
    assert lines[0] == "baike"
    assert {line[2:].split()[0] for line in lines[1:]} == set(RULE_SETS["baike"].switches())
    marked = {line[2:].split()[0] for line in lines if line.startswith("*")}
    standard = RULE_SETS["standard"].switches()
    baike = RULE_SETS["baike"].switches()
    assert marked == {switch for switch in standard if baike[switch] != standard[switch]}


@pytest.mark.parametrize("arguments", [["leiden"], ["--compare", "jade", "blinky"]])
def test_what_rules_is_asked_for_wins_over_the_common_option(arguments: list[str]) -> None:
    # Somebody's alias may give --rules always.
    more = [*arguments, "--pieces", "2"] if len(arguments) > 1 else arguments
    assert run("--rules", "my.toml", "rules", *more) == run("rules", *more)
    assert run("rules", *more, "--rules", "my.toml") == run("rules", *more)
    assert "wins over --rules" in " ".join(run("rules", "-h")[0].split())


def test_rules_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "plyyard"\nswimmers = "rat and dog"\n', encoding="utf-8")
    record = json.loads(run("rules", str(file), "--json")[0])
    assert record["name"] == str(file)
    assert record["switches"]["swimmers"] == "rat and dog"
    assert record["switches"]["no_capture_limit"] == 60


def test_perft_counts_each_depth_from_the_start() -> None:
    assert run("perft", "3") == ("1 24\n2 576\n3 12240\n", "")


def test_perft_takes_a_fen_in_one_word_or_several() -> None:
    expected = ("1 3\n2 14\n3 54\n4 246\n", "")
    assert run("perft", "4", "7/7/7/1r5/eR5/7/7/7/7_w", "--rules", "leiden") == expected
    assert run("perft", "4", "7/7/7/1r5/eR5/7/7/7/7", "w", "--rules", "leiden") == expected
    assert run("perft", "4", "7/7/7/1r5/eR5/7/7/7/7 w 0", "--rules", "leiden") == expected


def test_perft_divides_by_the_first_move() -> None:
    out, err = run("perft", "2", "7/7/7/1r5/eR5/7/7/7/7_w", "--divide")
    counts = dict(line.split() for line in out.splitlines())
    assert list(counts) == ["b5b4", "b5c5", "b5b6"]
    assert sum(map(int, counts.values())) == 14
    assert err == "14 in all\n"
    assert run("perft", "2", "7/7/7/1r5/eR5/7/7/7/7_w", "--divide", "-q") == (out, "")


def test_rules_can_be_compared() -> None:
    out, _ = run("rules", "--compare", "standard", "leiden", "--pieces", "2")
    lines = [line.split() for line in out.splitlines()]
    assert ["elephant_captures_rat", "in_trap", "always"] in lines
    assert ["EvR", "EvR", "EvR", "2", "5,880", "1,295", "42"] in lines
    assert "7/7/7/7/7/7/7/7/Er5 w    loss in 4  win in 1" in out
    record = json.loads(
        run("rules", "--compare", "standard", "leiden", "--pieces", "2", "--json")[0]
    )
    assert record["switches"]["elephant_captures_rat"] == ["in_trap", "always"]
    (two,) = record["animals"]
    first = two["differences"][0]
    assert (first["materials"], first["outcomes"]) == (["EvR", "RvE"], 1295)
    assert first["example"]["second"] == {"outcome": "win", "dtw": 1}


def test_rule_sets_that_are_the_same_are_said_to_be() -> None:
    assert "the same rules" in run("rules", "--compare", "jade", "jade", "--pieces", "2")[0]
    out, _ = run("rules", "--compare", "standard", "plyyard", "--pieces", "2")
    assert "in 64 of 64 materials all moves are the same" in out
    assert "All have the same values" in " ".join(out.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["baike", "--compare", "jade", "blinky"],
        ["--pieces", "3"],
        ["--compare", "jade", "nobody"],
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["rules", *arguments]).exit_code == 2
