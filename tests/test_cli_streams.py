"""What ``jtb`` reads and writes: UTF-8 whatever the locale; streams closed, full or absent."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jtb.errors import ExitCode
from jtb.streams import read_lines
from tests.processes import ENVIRONMENT, JTB, run, run_python
from tests.sample_tables import SMALL, write_sample

needs_posix = pytest.mark.skipif(os.name == "nt", reason="needs a shell")

EvP = "7/7/7/7/7/7/7/4p2/E6 w"
NO_TEXT = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale that knows ASCII only, and nothing that mends it."""
LOCALES: list[dict[str, str]] = [
    {},
    NO_TEXT,
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONIOENCODING": "utf-16"},
]
FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one table of two animals."""
    folder = tmp_path_factory.mktemp("one")
    write_sample(folder / SMALL.file, SMALL)
    return folder


def answers(stdin: bytes, folder: Path, **environment: str) -> list[dict[str, Any]]:
    """The documents that ``jtb probe --stdin`` writes; it must end well."""
    done = run(
        *("probe", "--stdin", "--json", "--brief", "--data-dir", folder),
        input=stdin,
        environment=environment,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]


# -- lines of input --------------------------------------------------------------------------------


class Pieces(io.BytesIO):
    """A file that is there only piece by piece, as a pipe is."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__()
        self._pieces = iter(pieces)

    def read1(self, size: int | None = -1) -> bytes:  # noqa: ARG002
        return next(self._pieces, b"")


@given(st.lists(st.binary(min_size=1, max_size=6).map(lambda b: b.replace(b"\r", b"x"))))
def test_lines_do_not_depend_on_how_they_arrive(pieces: list[bytes]) -> None:
    text = b"".join(pieces)
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    assert list(read_lines(Pieces(pieces), 100)) == lines
    returns = [piece.replace(b"\n", b"\r\n") for piece in pieces]
    assert list(read_lines(Pieces(returns), 100)) == lines
    halves = [half for piece in returns for half in (piece[:1], piece[1:]) if half]
    assert list(read_lines(Pieces(halves), 100)) == lines


@given(st.lists(st.sampled_from([b"a", b"bc", b"\r", b""]), max_size=8))
def test_a_carriage_return_alone_ends_a_line(words: list[bytes]) -> None:
    text = b"".join(words)
    expected = text.removesuffix(b"\r").split(b"\r") if text else []
    assert list(read_lines(Pieces(w for w in words if w), 100)) == expected


def test_a_line_is_there_before_the_next_one_is_sent() -> None:
    sent: list[bytes] = []

    def pieces() -> Iterable[bytes]:
        for piece in (b"one\n", b"two\r", b"\nthree\r\r\n", b"four"):
            sent.append(piece)
            yield piece

    lines = read_lines(Pieces(pieces()), 100)
    assert [(line, len(sent)) for line in lines] == [
        (b"one", 1),
        (b"two", 2),
        (b"three", 3),
        (b"four", 4),
    ]


def test_of_a_long_line_only_the_beginning_is_kept() -> None:
    pieces = [b"x" * 50] * 20 + [b"\ny\n"]
    assert list(read_lines(Pieces(pieces), 100)) == [b"x" * 101, b"y"]
    pieces = [b"x" * 100, b"\n", b"x" * 101]
    assert list(read_lines(Pieces(pieces), 100)) == [pieces[0], pieces[2]]


# -- UTF-8 whatever the locale ---------------------------------------------------------------------


@needs_posix
@pytest.mark.parametrize("environment", LOCALES, ids=str)
def test_every_line_is_answered_in_utf_8(environment: dict[str, str], folder: Path) -> None:
    stdin = b"\n".join((b"\xff\xfe", "斗兽棋".encode(), b"\x00", b"", EvP.encode()))
    *bad, good = answers(stdin, folder, **environment)
    assert (good["fen"], good["material"]) == (EvP, "EvP")
    assert [answer["exit_code"] for answer in bad] == [2] * 4
    assert [answer["fen"] for answer in bad] == ["\ufffd\ufffd", "斗兽棋", "\0", ""]
    assert bad[0]["error"] == "the line is not text in UTF-8"
    assert "'斗兽棋' has 1" in bad[1]["error"]


@needs_posix
def test_byte_order_mark_and_line_ends_of_windows(folder: Path) -> None:
    stdin = f"\ufeff{EvP}\r\n{EvP}\r\n\ufeff{EvP}\r\n".encode()
    assert [answer["fen"] for answer in answers(stdin, folder)] == [EvP] * 3


@needs_posix
def test_a_long_line_is_repeated_in_part(folder: Path) -> None:
    long, broken, good = answers(
        b"x" * 5_000_000 + b"\n" + b"y" * 4000 + b"\n" + EvP.encode(), folder
    )
    assert good["fen"] == EvP
    assert long["error"] == "the line is longer than 4096 bytes"
    assert long["fen"] == "x" * 199 + "…"
    assert broken["fen"] == "y" * 199 + "…"
    assert len(broken["error"]) < 200


@needs_posix
@pytest.mark.parametrize("environment", [{}, NO_TEXT], ids=str)
@pytest.mark.parametrize("name", [b"d\xff\xe9", "斗".encode()], ids=str)
def test_paths_in_json_open_the_file(
    name: bytes, environment: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    odd = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))  # noqa: PTH118
    try:
        odd.symlink_to(folder)
    except OSError:
        pytest.skip("no such names here")
    done = run("list", "--json", "--data-dir", odd, environment=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    document = json.loads(done.stdout.decode("utf-8"))
    assert document["data_dir"].encode("utf-8", "surrogateescape").endswith(name)
    [table] = document["tables"]
    path = table["file"].encode("utf-8", "surrogateescape")
    assert os.stat(path).st_size == table["bytes"]  # noqa: PTH116
    # And what is said about it in words does not fail.
    done = run("probe", "7/7/7/7/7/7/7/d6/D6_w", "--data-dir", odd, environment=environment)
    assert done.returncode == ExitCode.MISSING
    assert str(tmp_path).encode() in done.stderr


@needs_posix
def test_text_in_a_pipe_is_utf_8() -> None:
    for environment in LOCALES[-2:]:
        done = run("rules", environment=environment)
        lines = done.stdout.decode("utf-8").splitlines()
        assert ["standard", "–"] in [line.split() for line in lines]


def on_terminal(*arguments: str, **environment: str) -> str:
    """What a terminal gets, as the bytes that it is sent."""
    leader, follower = os.openpty()
    with open(leader, "rb", buffering=0) as screen:  # noqa: PTH123
        with subprocess.Popen(
            [*JTB, *arguments],
            stdout=follower,
            stderr=follower,
            env=ENVIRONMENT | {"NO_COLOR": "1"} | environment,
        ) as process:
            os.close(follower)
            text = b""
            try:
                while piece := screen.read(4096):
                    text += piece
            except OSError:  # how Linux says that the other end was closed
                pass
        assert process.returncode == 0
    return text.replace(b"\r\n", b"\n").decode("latin-1")


@needs_posix
@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1252", "utf-8"])
def test_a_terminal_gets_stand_ins_for_what_it_lacks(encoding: str, folder: Path) -> None:
    text = on_terminal("rules", PYTHONIOENCODING=encoding)
    dash = {"cp1252": "\x96", "utf-8": "\xe2\x80\x93"}.get(encoding, "-")
    assert ["standard", dash] in [line.split() for line in text.splitlines()]
    odd = folder.with_name("né斗\U0001f400")
    said = on_terminal("list", "--json", "--data-dir", str(odd), PYTHONIOENCODING=encoding)
    if encoding == "ascii":
        document = json.loads(said.splitlines()[0])
        assert document["data_dir"] == str(odd)
        assert r"no tables in" in said
        assert r"n\u00e9\u6597\ud83d\udc00: jtb" in said


# -- where they lead to ----------------------------------------------------------------------------


def sentence(done: subprocess.CompletedProcess[bytes]) -> str:
    """The one sentence on stderr."""
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("jtb: ")
    return line.removeprefix("jtb: ")


@needs_posix
@pytest.mark.parametrize("command", [["rules"], ["perft", "2"], ["--help"], ["--version"]], ids=str)
def test_closed_output_is_told(command: list[str]) -> None:
    done = run(*command, redirect=">&-")
    assert done.returncode == ExitCode.NO_ROOM
    assert sentence(done) == "standard output is closed"


@needs_posix
@pytest.mark.skipif(not FULL.exists(), reason=f"no {FULL}")
@pytest.mark.parametrize(
    "command", [["rules"], ["--help"], ["perft", "2"], ["probe", "--stdin", "--json"]], ids=str
)
def test_a_full_disk_is_told(command: list[str]) -> None:
    done = run(*command, redirect=f">{FULL}", input=b"x\n")
    assert done.returncode == ExitCode.NO_ROOM
    assert sentence(done) == "cannot write to standard output: the disk is full"


@needs_posix
def test_a_limit_of_file_size_is_told(tmp_path: Path) -> None:
    done = run("rules", setup="ulimit -f 0", redirect=f">{tmp_path / 'out'}")
    assert done.returncode == ExitCode.NO_ROOM
    assert "so large a file (see `ulimit -f`)" in sentence(done)


@needs_posix
def test_closed_input_is_told(folder: Path) -> None:
    done = run("probe", "--stdin", "--data-dir", folder, redirect="<&-")
    assert done.returncode == ExitCode.USAGE
    assert sentence(done) == "standard input is closed"
    assert run("perft", "1", redirect="<&-").stdout == b"1 24\n"


@needs_posix
@pytest.mark.parametrize("where", ["2>&-", f"2>{FULL}", "<&- >&- 2>&-"])
def test_where_nobody_can_be_told_the_exit_code_is_right(where: str) -> None:
    if str(FULL) in where and not FULL.exists():
        pytest.skip(f"no {FULL}")
    for command, code in ((["perft", "x"], 2), (["probe", EvP, "--data-dir", "none"], 3)):
        done = run(*command, redirect=where)
        assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@needs_posix
def test_notes_to_a_closed_stderr_disturb_nothing(tmp_path: Path) -> None:
    done = run("list", "--data-dir", tmp_path, redirect="2>&-")  # would note: no tables
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@needs_posix
@pytest.mark.parametrize("command", ["rules", "--help"])
def test_a_pipe_without_a_reader_is_no_error(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as pipe:  # noqa: PTH123
        done = run(command, capture_output=False, stdout=pipe, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")


def test_without_any_stream_as_under_pythonw() -> None:
    program = (
        "import sys; sys.stdin = sys.stdout = sys.stderr = None\n"
        "from jtb.__main__ import main; main()"
    )
    done = run_python(program, "perft", "x")
    assert (done.returncode, done.stdout, done.stderr) == (ExitCode.USAGE, "", "")
    assert run_python(program, "perft", "1").returncode == ExitCode.NO_ROOM
    assert run_python(program, "perft", "--divide", "1", "bad").returncode == ExitCode.USAGE


@needs_posix
def test_what_would_block_is_waited_for(folder: Path) -> None:
    ends = [os.pipe() for _ in range(2)]
    (questions, ask), (answer, replies) = ends
    for end in (questions, replies):
        os.set_blocking(end, False)
    command = [*JTB, "probe", "--stdin", "--json", "--brief", "--data-dir", str(folder)]
    with subprocess.Popen(command, stdin=questions, stdout=replies, env=ENVIRONMENT) as process:
        os.close(questions)
        os.close(replies)
        with open(answer, "rb") as out, open(ask, "wb") as text:  # noqa: PTH123
            text.write(f"{EvP}\n".encode())
            text.flush()
            assert json.loads(out.readline())["fen"] == EvP  # then there is nothing to read
            text.write(f"{EvP}\n".encode() * 800)  # and more answers than a pipe holds
            text.close()
            assert process.stdout is None
            assert len(out.readlines()) == 800
    assert process.returncode == 0


@needs_posix
def test_no_file_takes_the_number_of_a_closed_stream() -> None:
    program = (
        "import os, sys\n"
        "from jtb.streams import prepare\n"
        "prepare()\n"
        "number = os.open(os.devnull, os.O_RDONLY)\n"
        "os.write(int(sys.argv[1]), str(number).encode())"
    )
    command = ["sh", "-c", 'exec 9>&1; exec "$@" <&- >&- 2>&-', "sh"]
    done = subprocess.run(
        [*command, *JTB[:1], "-c", program, "9"], env=ENVIRONMENT, capture_output=True
    )
    assert int(done.stdout) == 3
