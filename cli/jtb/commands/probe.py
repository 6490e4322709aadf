"""``jtb probe``: who wins a position, in how many plies, and what every move leads to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from jtb import errors
from jtb.options import Command, Settings, join_fens, json_option
from jtb.streams import read_lines

if TYPE_CHECKING:
    from tablebase import MoveValue, Position, Probe, Rules, Tablebase

__all__ = ["command"]

_LONGEST_LINE: Final = 4096
"""Bytes of a line of stdin; a FEN has less than a hundred."""
_LONGEST_ECHO: Final = 200
"""Characters of a line that are repeated in the answer that says what is wrong with it."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@click.command(
    cls=Command,
    help="""Say who wins, in how many plies, and what every move leads to.

    A FEN is the board from rank 9 to 1, the side to move, and the number of plies since the last
    capture, if not 0; write _ for its spaces, or quote it, or give its parts as they are. With
    --stdin a line that cannot be answered gets an answer with "error", and the run goes on.

    \b
    Examples:
      jtb probe 7/7/7/7/7/3e3/3L3/5R1/7_w
      jtb probe --json 7/7/7/7/7/3e3/3L3/5R1/7 b
      jtb probe --stdin --json --brief < positions.txt
    """,
)
@click.argument("fen", nargs=-1, metavar="FEN...")
@click.option("--stdin", "from_stdin", is_flag=True, help="Answer a FEN a line until input ends.")
@click.option("--brief", is_flag=True, help="The verdict only, without the moves.")
@json_option
@click.pass_obj
def command(
    settings: Settings, fen: tuple[str, ...], from_stdin: bool, brief: bool, as_json: bool
) -> None:
    """Answer for FENs, or for each line of stdin."""
    import tablebase
    from jtb.render.text import show

    if from_stdin == bool(fen):
        raise click.UsageError("give one FEN or more, or --stdin, and not both")
    rules = settings.rules()
    with tablebase.open_tablebase(settings.data_dir, rules) as tb:
        asked = Question(tb, rules, brief)
        if from_stdin:
            for line in asked.answer_lines(settings, as_json):
                # An engine waits for its answer; click.echo would take longer than to probe.
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
        elif as_json:
            show(asked.answer_json(join_fens(fen)))
        else:
            for text in join_fens(fen):
                show(asked.answer_text(text))


class Question(NamedTuple):
    """What is asked of each position, and of which tables."""

    tables: Tablebase
    rules: Rules
    brief: bool

    def ask(self, fen: str) -> tuple[Position, Rules, Probe, list[MoveValue] | None]:
        """The position of ``fen`` with its value and, unless ``brief``, its moves."""
        from tablebase import Position

        position = Position.from_fen(fen, self.rules)
        value = self.tables.probe(position)
        return position, self.rules, value, None if self.brief else self.tables.moves(position)

    def answer_json(self, fens: list[str]) -> str:
        """One JSON document: an object, or for several FENs a list of them."""
        from jtb.render.answers import probe_record
        from jtb.render.text import json_line

        records = [probe_record(*self.ask(fen)) for fen in fens]
        return json_line(records if len(records) > 1 else records[0])

    def answer_text(self, fen: str) -> str:
        """The answer for people."""
        from jtb.render.answers import probe_text, verdict

        position, rules, value, moves = self.ask(fen)
        if moves is None:
            return verdict(position, rules, value)
        return probe_text(position, rules, value, moves) + "\n"

    def answer_lines(self, settings: Settings, as_json: bool) -> Iterator[str]:
        """An answer for each line of stdin, as it comes."""
        from jtb.render.answers import probe_line, probe_record
        from jtb.render.text import cut, json_line

        for line in read_lines(sys.stdin.buffer, _LONGEST_LINE):
            try:
                answer = self.ask(_text_of(line))
            except Exception as error:
                message, code = errors.describe(error, settings)
                if code == errors.ExitCode.INTERNAL:
                    raise
                echo = cut(line.decode("utf-8-sig", "replace").strip(), _LONGEST_ECHO)
                record: dict[str, Any] = {"fen": echo, "error": message, "exit_code": code}
                yield json_line(record) if as_json else f"error: {message}"
                continue
            yield json_line(probe_record(*answer)) if as_json else probe_line(*answer)


def _text_of(line: bytes) -> str:
    """The FEN in a line; ``FenError`` if the line cannot hold one."""
    if len(line) <= _LONGEST_LINE:
        try:
            return line.removeprefix(_BYTE_ORDER_MARK).decode()
        except UnicodeDecodeError:
            what = "not text in UTF-8"
    else:
        what = f"longer than {_LONGEST_LINE} bytes"
    from tablebase.errors import FenError

    raise FenError(f"the line is {what}")
