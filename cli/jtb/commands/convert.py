"""``jtb convert``: positions and games between the formats of Jungle programs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from jtb import errors
from jtb.options import Command, Settings
from jtb.streams import tell
from tablebase.files import whole_file

if TYPE_CHECKING:
    from tablebase import Rules
    from tablebase.game.formats import ReadPosition, Record

__all__ = ["command"]

_MOST_NOTES: Final = 10
"""So many kinds of notes are shown unless ``-v`` is given."""


@click.command(
    cls=Command,
    help="""Convert positions and games between the formats of Jungle programs.

    Reads files, also gzipped, or stdin for "-". Positions: jtb, mistboard, misty-jungle, katago,
    dandelion, netcan. Games: mistboard-games (-room, -study, -puzzles, -line, -match), katago-sgf,
    katago-gtp, bbdsq, codingame, junglechess, moves, moves-mirrored. Written are all those of
    positions, to which a game gives all of its positions, and mistboard-line, mistboard-match,
    katago-sgf, katago-gtp and moves.

    What a text was taken for, and what the other format cannot hold, is said on stderr. What
    cannot be read or written is told and left out, and the exit code is 2. Rules are those of the
    record or of its program, unless --rules says others.

    \b
    Examples:
      jtb convert game.sgf --to mistboard-line
      jtb convert jungle.jsonl.gz --to jtb -o positions.txt
      jtb convert - --format moves --to katago-sgf < game.txt
    """,
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--to", "target", required=True, metavar="NAME", help="The format to write.")
@click.option(
    "--format", "source", metavar="NAME", help="The format to read  [default: the text tells]."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to  [default: stdout].",
)
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[str, ...],
    target: str,
    source: str | None,
    output: Path | None,
) -> int:
    """Write what the files hold in the other format, and say what that cost."""
    from tablebase.game.formats.reading import writable

    writable(target)
    rules = settings.rules() if settings.given_rules else None
    conversion = Conversion(settings, target, source, rules)
    with nullcontext(sys.stdout.buffer) if output is None else whole_file(output) as out:
        for file in files:
            for text in conversion.texts(file):
                out.write(text.encode())
    for note in conversion.notes():
        settings.note(note)
    return errors.ExitCode.USAGE if conversion.failed else errors.ExitCode.DONE


class Conversion:
    """What is converted to what, and what there was to say of it so far."""

    def __init__(
        self, settings: Settings, target: str, source: str | None, rules: Rules | None
    ) -> None:
        self._settings = settings
        self._target = target
        self._source = source
        self._rules = rules
        self._notes: Counter[str] = Counter()
        self._lost: dict[str, None] = {}
        self.failed = False

    def texts(self, file: str) -> Iterator[str]:
        """What ``file`` holds, item by item, in the other format."""
        from tablebase.game.formats import Record, read, write_game, write_position

        name = "stdin" if file == "-" else file
        with _opened(file) as stream:
            for item in read(stream, self._source, rules=self._rules, errors="give"):
                if isinstance(item, Exception):
                    self._fail(name, item)
                    continue
                self._note_reading(name, item)
                try:
                    if isinstance(item, Record):
                        written = write_game(item, self._target)
                    else:
                        written = write_position(item.position, self._target)
                except ValueError as error:
                    self._fail(name, error)
                    continue
                self._lost.update(dict.fromkeys(written.lost))
                yield written.text

    def notes(self) -> Iterator[str]:
        """What there was to say, the same thing once."""
        every = self._settings.verbosity > 0
        shown = list(self._notes.items())
        for text, count in shown if every else shown[:_MOST_NOTES]:
            yield f"{text} ({count} times)" if count > 1 else text
        if len(shown) > _MOST_NOTES and not every:
            yield f"and {len(shown) - _MOST_NOTES} notes more, which -v shows"
        if self._lost:
            yield f"{self._target} does not hold: {', '.join(self._lost)}"

    def _note_reading(self, name: str, item: Record | ReadPosition) -> None:
        from tablebase.game.formats import FORMATS, Record

        if isinstance(item, Record):
            mirrored = "; its files a to g are our g to a" if item.mirrored else ""
            self._notes[f"{name}: read as {FORMATS[item.format].title}{mirrored}"] += 1
            self._notes.update(f"{name}: {note}" for note in item.notes)
        else:
            self._notes[f"{name}: {item.reading._replace(notes=())}"] += 1
            self._notes.update(f"{name}: {note}" for note in item.reading.notes)

    def _fail(self, name: str, error: Exception) -> None:
        self.failed = True
        message, _ = errors.describe(error, self._settings)
        tell(f"jtb: {name}: {message}")


def _opened(file: str) -> AbstractContextManager[IO[bytes]]:
    return nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb")
