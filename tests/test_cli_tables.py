"""The commands that make and read tables, on real ones: generate, probe, line, list, export."""

from __future__ import annotations

import csv
import errno
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from jtb.main import app
from tablebase.game.board import SQUARE_NAMES
from tests.sample_tables import SMALL, write_sample

# The elephant takes the lion at once, or runs from the rat.
FORK = "7/7/7/7/7/3e3/3L3/5R1/7_w"
FORK_MOVES = {
    "win": ["d3e3", "d3c3"],
    "draw": ["f2e2"],
    "loss": ["d3d2", "f2f1", "f2g2", "f2f3"],
}
CATCH = "7/7/7/7/7/7/7/d6/D6_w"
OVER = "7/7/7/7/7/7/7/7/D6_b"


def run(*arguments: str, folder: Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(app, [*arguments, "--data-dir", str(folder)], input=stdin)


def good(*arguments: str, folder: Path, stdin: str | bytes | None = None) -> str:
    """What the command writes to stdout; it must end well and have no notes."""
    result = run(*arguments, folder=folder, stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def bad(code: int, *arguments: str, folder: Path) -> str:
    """The one sentence with which the command ends."""
    result = run(*arguments, folder=folder)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("jtb: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture
def folder(tables: Path) -> Path:
    """All tables of two animals, and LRvE among a few of three. Not to be changed."""
    return tables


@pytest.fixture
def damaged(folder: Path, tmp_path: Path) -> Path:
    """A copy of the folder with a flipped bit in the middle of the table of DvD."""
    copy = tmp_path / "damaged"
    shutil.copytree(folder, copy)
    file = copy / "standard" / "EvE.dtw.h5"
    content = bytearray(file.read_bytes())
    content[len(content) * 2 // 3] ^= 4
    file.write_bytes(content)
    return copy


# -- generate --------------------------------------------------------------------------------------


def test_generate_tells_its_plan_and_what_it_did_on_stderr(tmp_path: Path) -> None:
    result = run("generate", "EvL", "-v", folder=tmp_path)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "placements" in result.stderr
    assert "1 table made" in result.stderr
    assert "EvL: 17 plies" in result.stderr
    again = run("generate", "LvE", folder=tmp_path)
    [line] = again.stderr.splitlines()
    assert line.startswith(f"{tmp_path}: 0 tables made in ")
    assert line.endswith(", 1 there before")
    assert run("generate", "EvL", "--force", "-q", folder=tmp_path).output == ""


def test_generate_dry_run_prints_the_plan_and_makes_nothing(tmp_path: Path) -> None:
    rows = [
        line.split()
        for line in good(
            "generate", "--pieces", "4", "--dry-run", "-q", folder=tmp_path
        ).splitlines()
    ]
    assert rows[2][:5] == ["2", "dtw", "10", "10", "26,592"]
    assert rows[3][:5] == ["3", "dtw", "42", "42", "5,311,404"]
    assert rows[4][:5] == ["4", "dtw", "134", "134", "795,531,072"]
    assert rows[5][:3] == ["all", "186", "186"]
    for jobs, threads in (("1", "1 thread"), ("2", "2 threads")):
        plan = good("generate", "EvE", "--dry-run", "-q", "--jobs", jobs, folder=tmp_path)
        assert f", {threads}\n" in plan
    assert list(tmp_path.iterdir()) == []


def test_generate_refuses_what_cannot_be_done(tmp_path: Path) -> None:
    assert "say which tables" in bad(2, "generate", folder=tmp_path)
    assert "2<=x<=5" in bad(2, "generate", "--pieces", "9", "-q", folder=tmp_path)
    for command in ("generate", "verify"):
        assert "not both" in bad(2, command, "EvL", "--pieces", "2", folder=tmp_path)
    assert "'EvX' is no material" in bad(2, "generate", "EvX", folder=tmp_path)
    assert "more memory with --memory" in bad(
        5, "generate", "EvE", "--memory", "0.1", "-q", folder=tmp_path
    )
    file = tmp_path / "file"
    file.touch()
    assert bad(5, "generate", "EvE", "-q", folder=file) == (
        f"jtb: cannot list the folder {file}: a part of the path is no folder:"
        f" choose another folder with --data-dir\n"
    )


# -- probe and line --------------------------------------------------------------------------------


def test_probe_draws_the_board_and_groups_the_moves(folder: Path) -> None:
    paragraphs = good("probe", FORK, folder=folder).rstrip().split("\n\n")
    assert paragraphs[0].splitlines()[5] == "4 . ~ ~ e ~ ~ ."
    assert paragraphs[1] == "White to move wins in 13 plies."
    assert [p.split(" moves")[0] for p in paragraphs[2:]] == ["Winning", "Drawing", "Losing"]
    for paragraph, moves in zip(paragraphs[2:], FORK_MOVES.values(), strict=True):
        assert [word for word in paragraph.split(":")[1].split() if word[0] in "abcdefg"] == moves


def test_probe_json_is_that_of_the_contract(folder: Path) -> None:
    record = json.loads(good("probe", "--json", *FORK.split("_"), folder=folder))
    moves = record.pop("moves")
    assert record == {
        "fen": FORK.replace("_", " "),
        "rules": "standard",
        "material": "LRvE",
        "side_to_move": "white",
        "outcome": "win",
        "dtw": 13,
        "dtc": None,
    }
    assert [(m["outcome"], m["move"]) for m in moves] == [
        (outcome, move) for outcome, group in FORK_MOVES.items() for move in group
    ]
    assert moves[0] == {
        "move": "d3e3",
        "capture": None,
        "outcome": "win",
        "dtw": 13,
        "dtc": None,
        "fen": "7/7/7/7/7/3e3/4L2/5R1/7 b 1",
    }
    capture = json.loads(good("probe", "--json", CATCH, folder=folder))["moves"][0]
    assert (capture["move"], capture["capture"], capture["dtw"]) == ("a1a2", "d", 1)


def test_probe_of_several_positions_is_one_document(folder: Path) -> None:
    records = json.loads(good("probe", "--json", CATCH, *FORK.split("_"), OVER, folder=folder))
    assert [record["dtw"] for record in records] == [1, 13, 0]
    assert records[2]["moves"] == []
    assert (records[2]["outcome"], records[2]["material"]) == ("loss", "Dv")
    assert good("probe", CATCH, OVER, "--brief", folder=folder).splitlines() == [
        "White to move wins in 1 ply.",
        "White has won: Black has no animals left.",
    ]


@pytest.mark.parametrize("options", [["--json"], ["--json", "--brief"], [], ["--brief"]])
def test_probe_answers_each_line_of_stdin(options: list[str], folder: Path) -> None:
    lines = [FORK, "nonsense", "", "\x00", CATCH, "7/7/7/7/7/7/cp5/d6/D6_b", OVER]
    text = good("probe", "--stdin", *options, folder=folder, stdin="\n".join(lines))
    answers = text.splitlines()
    assert len(answers) == len(lines)
    if "--json" in options:
        records: list[dict[str, Any]] = [json.loads(answer) for answer in answers]
        assert [r.get("exit_code") for r in records] == [None, 2, 2, 2, None, 3, None]
        assert ["error" in r for r in records] == [False, True, True, True, False, True, False]
        assert (records[0]["moves"] is None) is ("--brief" in options)
        assert records[1]["fen"] == "nonsense"
    else:
        assert [a.startswith("error: ") for a in answers] == [0, 1, 1, 1, 0, 1, 0]
        best = "" if "--brief" in options else " Best is d3e3."
        assert answers[0] == f"White to move wins in 13 plies.{best}"


def test_probe_survives_bytes_that_are_no_text(folder: Path) -> None:
    stdin = b"\xff\xfe\n" + CATCH.encode() + b"\r\n"
    first, second = good("probe", "--stdin", "--json", folder=folder, stdin=stdin).splitlines()
    assert "error" in json.loads(first)
    assert json.loads(second)["outcome"] == "win"


def test_probe_says_what_is_wrong(folder: Path, damaged: Path, tmp_path: Path) -> None:
    assert "one FEN or more, or --stdin" in bad(2, "probe", folder=folder)
    assert "one FEN or more, or --stdin" in bad(2, "probe", "--stdin", FORK, folder=folder)
    assert "the board has 9 ranks" in bad(2, "probe", "nonsense", folder=folder)
    assert bad(3, "probe", "7/7/7/7/7/7/cp5/d6/D6_b", folder=folder) == (
        f"jtb: no table for the position itself (DvPDC): there is no table standard/EPWvP.dtw.h5"
        f" in {folder}: run `jtb generate --data-dir {folder} EPWvP`\n"
    )
    assert bad(3, "probe", CATCH, "--rules", "plyyard", folder=folder) == (
        f"jtb: no table for the position itself (DvD): there is no table plyyard/EvE.dtc.h5"
        f" in {folder}: run `jtb generate --data-dir {folder} EvE --rules plyyard`\n"
    )
    empty = tmp_path / "empty"
    assert bad(3, "line", CATCH, folder=empty) == (
        f"jtb: no table for the position after a1b1 (DvD): there is no table standard/EvE.dtw.h5"
        f" in {empty}: run `jtb generate --data-dir {empty} EvE`\n"
    )
    assert bad(3, "probe", "elt4/7/7/7/7/7/7/7/ELT4_w", folder=folder) == (
        "jtb: no table for the position itself (ELTvELT): tables are made for up to 5 animals, and"
        " there are 6\n"
    )
    file = damaged / "standard" / "EvE.dtw.h5"
    message = bad(4, "probe", CATCH, folder=damaged)
    assert message.startswith(f"jtb: {file} cannot be used: ")
    assert message.endswith(f"; delete it and run `jtb generate --data-dir {damaged} EvE`\n")


def test_line_begins_with_the_best_move_and_goes_to_the_end(folder: Path) -> None:
    record = json.loads(good("line", FORK, "--json", folder=folder))
    line = record["line"]
    assert [move["dtw"] for move in line] == list(range(13, 0, -1))
    assert [move["outcome"] for move in line] == ["win", "loss"] * 6 + ["win"]
    best = json.loads(good("probe", FORK, "--json", folder=folder))["moves"][0]
    assert line[0] == best
    shown = good("line", *FORK.split("_"), folder=folder)
    assert "White to move wins in 13 plies." in shown
    assert [word for word in shown.split() if word in {move["move"] for move in line}] == [
        move["move"] for move in line
    ]
    assert "not from several" in bad(2, "line", FORK, CATCH, folder=folder)


# -- verify ----------------------------------------------------------------------------------------


def test_verify_finds_nothing_wrong(folder: Path) -> None:
    result = run("verify", "LRvE", "DvD", "-v", folder=folder)
    assert result.exit_code == 0
    assert result.stdout.startswith("2 tables, ")
    assert result.stdout.endswith(": nothing is wrong\n")
    assert "LRvE: " in result.stderr
    assert good("verify", "LRvE", "--sample", "50", folder=folder).startswith("1 table, ")


def test_verify_shows_the_first_wrong_values(tmp_path: Path) -> None:
    write_sample(tmp_path / "standard" / "EvP.dtw.h5", SMALL)
    result = run("verify", folder=tmp_path)
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert any(line.startswith("EvP: ") and line.endswith(" values differ") for line in lines)
    assert any("is stored, " in line and line.startswith("  ") for line in lines)
    assert lines[-1].startswith("1 table, ")
    assert lines[-1].endswith(": 1 wrong")


def test_verify_says_what_is_damaged_or_missing(damaged: Path, tmp_path: Path) -> None:
    result = run("verify", "--pieces", "2", folder=damaged)
    assert result.exit_code == 4
    assert "EvE.dtw.h5 cannot be used" in result.stdout
    assert f"delete it and run `jtb generate --data-dir {damaged} EvE`" in result.stdout
    assert result.stdout.endswith(": 1 could not be checked\n")
    assert bad(3, "verify", "--rules", "jade", folder=tmp_path) == (
        f"jtb: there are no tables of these rules in {tmp_path}:"
        f" run `jtb generate --data-dir {tmp_path} --pieces 3 --rules jade`\n"
    )
    for command in ("verify", "stats", "export"):
        assert bad(3, command, "ELvTP", folder=damaged) == (
            f"jtb: there is no table standard/ELvTP.dtw.h5 in {damaged}:"
            f" run `jtb generate --data-dir {damaged} ELvTP`\n"
        )
    hint = f"`jtb generate --data-dir {damaged} --pieces 3 --rules leiden --metric dtc`"
    leiden = ("--rules", "leiden", "--metric", "dtc")
    assert hint in bad(3, "verify", "--pieces", "3", *leiden, folder=damaged)
    assert bad(3, "verify", "ELTvPWD", folder=damaged).endswith(" has 6\n")


def test_verify_ends_with_the_code_of_the_worst(
    folder: Path, tmp_path: Path, forbid_reading: Callable[[Path], None]
) -> None:
    standard = tmp_path / "standard"
    standard.mkdir()
    for name in ("EvE", "EvL", "LRvE"):  # the last one needs EvR too
        shutil.copy(folder / "standard" / f"{name}.dtw.h5", standard)

    def verified(code: int) -> str:
        result = run("verify", "--rules", "plyyard", folder=tmp_path)
        assert (result.exit_code, result.stderr) == (code, "")
        return result.stdout

    forbid_reading(standard / "EvE.dtw.h5")
    shown = verified(3)
    assert "EvE: cannot read" in shown
    assert "LRvE: a capture leads to another table, and there is no table" in shown
    assert f"run `jtb generate --data-dir {tmp_path} EvR --rules plyyard`\n" in shown
    assert shown.startswith("3 tables, ") or "\n3 tables, " in shown
    assert shown.endswith(": 2 could not be checked\n")
    (standard / "LRvE.dtw.h5").unlink()
    assert verified(5).endswith(": 1 could not be checked\n")
    write_sample(standard / "EvP.dtw.h5", SMALL)
    assert verified(1).endswith(": 1 wrong, 1 could not be checked\n")
    (standard / "QvZ.dtw.h5").write_bytes(b"nonsense")
    assert verified(4).endswith(": 1 wrong, 2 could not be checked\n")
    for command in ("list", "verify"):
        text = " ".join(run(command, "-h", folder=folder).stdout.split())
        assert "5 if a file may not be read" in text or "5: one may not be read" in text


# -- stats -----------------------------------------------------------------------------------------


def test_stats_are_those_of_the_contract(folder: Path) -> None:
    record = json.loads(good("stats", "RvR", "--rules", "leiden", "--json", folder=folder))
    assert record["white"] == {"win": 2055, "loss": 1605, "draw": 0}
    assert record["zugzwangs"]["full"] == 753
    assert (record["material"], record["rules"], record["class"]) == ("RvR", "leiden", "RvR")
    for side in ("white", "black"):
        for outcome in ("win", "loss"):
            assert sum(record["histogram"][side][outcome].values()) == record[side][outcome]
        longest = record["longest_win"][side]
        probed = json.loads(
            good("probe", longest["fen"], "--rules", "leiden", "--json", folder=folder)
        )
        assert (probed["side_to_move"], probed["outcome"]) == (side, "win")
        assert probed["dtw"] == longest["dtw"] == max(map(int, record["histogram"][side]["win"]))


def test_stats_as_text_and_csv(folder: Path) -> None:
    text = good("stats", "PvE", folder=folder)
    assert text.startswith("PvE under the rules 'standard', table ")
    rows = list(csv.DictReader(io.StringIO(good("stats", "PvE", "--csv", folder=folder))))
    assert sum(int(row["placements"]) for row in rows if row["side_to_move"] == "white") == 2352
    assert "--json or --csv" in bad(2, "stats", "PvE", "--csv", "--json", folder=folder)
    assert "is no material" in bad(2, "stats", "PE", folder=folder)


# -- list and export -------------------------------------------------------------------------------


def test_list_says_what_is_there_and_what_it_covers(folder: Path) -> None:
    document = json.loads(good("list", "--rules", "standard", "--json", folder=folder))
    assert document["data_dir"] == str(folder)
    tables = {table["class"]: table for table in document["tables"]}
    assert {table["rules"] for table in tables.values()} == {"standard"}
    assert tables["RvR"]["materials"] == ["RvR"]
    assert sum(len(t["materials"]) for t in tables.values() if t["animals"] == 2) == 64
    assert tables["LRvE"]["longest"] == 36
    assert all(len(table["digest"]) == 32 for table in tables.values())
    assert all(Path(table["file"]).stat().st_size == table["bytes"] for table in tables.values())


def test_list_is_of_every_rule_set_or_of_one(folder: Path) -> None:
    rows = [line.split() for line in good("list", folder=folder).splitlines()]
    for rules in ("standard", "leiden"):
        assert [rules, "dtw", "2", "10", "of", "10", "64"] in [row[:7] for row in rows]
    rows = [line.split() for line in good("list", "--rules", "leiden", folder=folder).splitlines()]
    assert {row[0] for row in rows if row} == {"rules", "leiden"}
    result = run("list", "--rules", "baike", folder=folder)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no tables" in result.stderr


def test_list_tells_damaged_files_and_goes_on(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "standard" / "EvE.dtw.h5").write_bytes(b"nonsense")
    result = run("list", "--json", folder=copy)
    assert result.exit_code == 4
    assert "EvE.dtw.h5 cannot be used" in result.stderr
    left = [t["class"] for t in json.loads(result.stdout)["tables"] if t["rules"] == "standard"]
    assert "EvE" not in left
    assert "EvL" in left


def test_list_and_verify_tell_files_under_a_wrong_name(folder: Path, tmp_path: Path) -> None:
    standard = Path(shutil.copytree(folder, tmp_path / "copy")) / "standard"
    for name in ("QvZ", "EvLR", "LTvE"):
        shutil.copy(standard / "LRvE.dtw.h5", standard / f"{name}.dtw.h5")
    (standard / "ELvE.dtw.h5").symlink_to("nowhere")
    result = run("list", "--json", folder=standard.parent)
    assert result.exit_code == 4
    assert result.stderr.count(" cannot be used: ") == 3
    misplaced = "it is not in its place: it is the table standard/LRvE.dtw.h5; move it there, or"
    assert misplaced in result.stderr
    left = [t["file"] for t in json.loads(result.stdout)["tables"]]
    assert sorted(left) == sorted(
        str(standard.parent / path.relative_to(folder)) for path in folder.glob("*/*.h5")
    )
    result = run("verify", folder=standard.parent)
    assert (result.exit_code, result.stderr) == (4, "")
    assert all(f"/{name}.dtw.h5 cannot be used" in result.stdout for name in ("QvZ", "EvLR"))
    assert result.stdout.endswith(": 3 could not be checked\n")


def test_list_goes_on_after_what_may_not_be_read(
    folder: Path, forbid_reading: Callable[[Path], None]
) -> None:
    path = folder / "standard" / "EvE.dtw.h5"
    forbid_reading(path)
    result = run("list", "--json", folder=folder)
    assert result.exit_code == 5
    assert result.stderr == f"jtb: cannot read {path}: permission is denied\n"
    assert any(table["class"] == "EvL" for table in json.loads(result.stdout)["tables"])


def test_export_writes_every_placement(folder: Path, tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO(good("export", "PvE", folder=folder))))
    assert rows[0] == ["P", "e", "side_to_move", "outcome", "dtw"]
    assert len(rows) == 1 + 2 * 2352
    record = json.loads(good("probe", "7/7/7/7/7/7/7/e6/P6_w", "--json", folder=folder))
    [row] = [row for row in rows if row[:3] == ["a1", "a2", "white"]]
    assert row[3:] == [record["outcome"], str(record["dtw"] or "")]
    file = tmp_path / "PvE.npz"
    assert good("export", "-q", "PvE", "-o", str(file), folder=folder) == ""
    with np.load(file) as arrays:
        assert arrays["pieces"].tolist() == ["P", "e"]
        names = [[SQUARE_NAMES[square] for square in row] for row in arrays["squares"].tolist()]
        assert names == [row[:2] for row in rows[1:]]
        sides = [["white", "black"].index(row[2]) for row in rows[1:]]
        assert arrays["side_to_move"].tolist() == sides
        outcomes = [{"win": 1, "draw": 0, "loss": -1}[row[3]] for row in rows[1:]]
        assert arrays["outcome"].tolist() == outcomes
        assert arrays["distance"].tolist() == [int(row[4] or -1) for row in rows[1:]]


def test_export_leaves_nothing_half_written(folder: Path, tmp_path: Path) -> None:
    assert bad(3, "export", "ELvTP", folder=folder)
    assert bad(3, "export", "-q", "ELvTP", "-o", str(tmp_path / "x.csv"), folder=folder)
    assert "neither in .csv nor in .npz" in bad(2, "export", "PvE", "-o", "x.txt", folder=folder)
    assert "no value of PvE" in bad(2, "export", "PvE", "--dtw", "500", folder=folder)
    assert "plies as 31" in bad(2, "export", "PvE", "--dtw", "5..3", folder=folder)
    assert "no folder" in bad(2, "export", "-q", "PvE", "-o", "none/x.csv", folder=folder)
    assert list(tmp_path.iterdir()) == []


def test_export_names_the_file_that_cannot_be_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "open", refuse)
    file = tmp_path / "x.csv"
    message = bad(5, "export", "-q", "PvE", "-o", str(file), folder=folder)
    sentence = f"cannot write {file}: permission is denied: choose another folder"
    assert message == f"jtb: {sentence}\n"


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError("3520 requested and 1536 written"), 2, "3520 requested and 1536 written"),
        (
            OSError(errno.ENOSPC, "No space left on device"),
            5,
            "cannot write {}: the disk is full: free some space, or choose another folder",
        ),
        (
            PermissionError(errno.EACCES, "No", "a", None, "b"),
            5,
            "cannot write {}: permission is denied: choose another folder",
        ),
    ],
)
def test_export_says_why_it_cannot_write(
    error: OSError,
    code: int,
    sentence: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("tablebase.statistics.exporting.export_values", fail)
    file = tmp_path / "x.csv"
    told = bad(code, "export", "-q", "PvE", "-o", str(file), folder=folder).splitlines()
    assert told[-1] == f"jtb: {sentence.format(file)}"
    assert list(tmp_path.iterdir()) == []
