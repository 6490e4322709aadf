"""``jtb convert``: what goes to stdout, what is said on stderr, and the exit codes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jtb.main import app
from tests.formats.samples import ENDING, ENDING_MOVES, MIRRORED_ENDING, SAMPLES, dumped, export

MIRRORED = "its files a to g are our g to a"


def run(*arguments: str, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, ["convert", *arguments], input=given)


def test_a_game_of_katago_for_mistboard(tmp_path: Path) -> None:
    file = tmp_path / "few.gtp"
    file.write_text(SAMPLES["katago-gtp"], "utf-8")
    result = run(str(file), "--to", "mistboard-line")
    assert result.exit_code == 0
    assert result.stdout.startswith("/embed/line/jungle?fen=")
    assert result.stdout.count("\n") == 1
    assert result.stderr.splitlines() == [
        f"{file}: read as a GTP log of KataGo",
        "mistboard-line does not hold: the reason of the result, the rules (katago)",
    ]
    assert run("-q", str(file), "--to", "mistboard-line").stderr == ""


def test_positions_from_stdin() -> None:
    text = f"{MIRRORED_ENDING} b 4 31\n{MIRRORED_ENDING} r 0 32\n"
    result = run("-", "--to", "jtb", given=text)
    assert result.exit_code == 0
    assert result.stdout == f"{ENDING} b 4\n{ENDING} w\n"
    assert result.stderr.splitlines() == [
        f"stdin: read as Mistboard's FEN; {MIRRORED} (2 times)",
        "stdin: the move number 31 is left out",
        "stdin: the move number 32 is left out",
    ]


def test_a_month_to_a_file(tmp_path: Path) -> None:
    month, out = tmp_path / "jungle.jsonl.gz", tmp_path / "games.sgf"
    text = "\n".join(dumped(export(game_id=f"g{number}")) for number in range(3))
    month.write_bytes(gzip.compress(text.encode()))
    result = run(str(month), "--to", "katago-sgf", "-o", str(out))
    assert (result.exit_code, result.stdout) == (0, "")
    assert out.read_text("utf-8").count("SZ[7:9]") == 3
    assert "(3 times)" in result.stderr
    assert "katago-sgf does not hold: its id," in result.stderr


def test_a_game_as_all_its_positions() -> None:
    result = run("-", "--to", "jtb", given=f"{ENDING} b\n{' '.join(ENDING_MOVES)}\n")
    assert result.stdout.splitlines()[0] == f"{ENDING} b"
    assert len(result.stdout.splitlines()) == len(ENDING_MOVES) + 1
    assert "jtb does not hold: the moves" in result.stderr


def test_what_is_broken_is_told_and_the_rest_goes_on() -> None:
    bad = dumped(export()).replace("a4a5", "a4a9", 1)
    text = f"{dumped(export())}\n{bad}\n{dumped(export())}\n"
    result = run("-", "--to", "moves", given=text)
    assert result.exit_code == 2
    assert len(result.stdout.split("\n\n")) == 3
    assert "jtb: stdin: mistboard-games, line 2, ply " in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "given", "message"),
    [
        (["-", "--to", "jtb"], "a3a4 a7a6", "more than one way: as moves: a game, a3a4 moves"),
        (["-", "--to", "jtb"], "a3a4 a7a6", "; --format NAME says which"),
        (["-", "--to", "jtb"], "", "there is nothing in the text"),
        (["-", "--to", "jtb"], "nonsense", "in none of the formats that are known"),
        (["-", "--to", "chess"], "", "no format is called 'chess'; these are: jtb, mistboard"),
        (["-", "--to", "bbdsq"], "", "can be read and not written; these can: jtb"),
        (["-", "--to", "jtb", "--format", "pgn"], "x", "no format is called 'pgn'"),
        (["no-such-file", "--to", "jtb"], "", "no-such-file: No such file or directory"),
        (["-", "--to", "katago-sgf"], f"{ENDING} b", "begins at the start of the game"),
        (["-", "--to", "jtb", "--rules", "no-such"], "", "no rule set is called"),
        (["-"], "", "Missing option '--to'"),
        (["--to", "jtb"], "", "Missing argument"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], given: str, message: str) -> None:
    result = run(*arguments, given=given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_the_format_may_be_named() -> None:
    result = run("-", "--format", "moves-mirrored", "--to", "moves", given="a3a4 a7a6")
    assert result.stdout == "g3g4 g7g6\n\n"
    assert MIRRORED in result.stderr


def test_rules_are_those_of_the_record_unless_others_are_named() -> None:
    text = f"{ENDING} b\nb3b2"
    named = run("-", "--to", "katago-sgf", "--format", "moves", given="a3a4")
    assert "RU[score0drawjudgeDRAWmm0mc0]" in named.stdout
    other = run("-", "--to", "katago-sgf", "--format", "moves", "--rules", "katago", given="a3a4")
    assert "RU[TrompTaylor]" in other.stdout
    assert run("-", "--to", "katago", "--rules", "leiden", given=text).exit_code == 0


def test_many_notes_are_not_all_shown() -> None:
    text = "".join(f"{MIRRORED_ENDING} b 4 {number}\n" for number in range(2, 42))
    assert "and 31 notes more, which -v shows" in run("-", "--to", "jtb", given=text).stderr
    assert "the move number 41" in run("-", "--to", "jtb", "-v", given=text).stderr
