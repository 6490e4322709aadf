"""The options that every command takes, before or after its name, and what they set."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from jtb.limits import KERNELS, TABLES, require_memory
from jtb.streams import tell

if TYPE_CHECKING:
    from tablebase.game.rules import Rules

__all__ = [
    "PIECES",
    "Command",
    "Settings",
    "common_options",
    "jobs_option",
    "join_fens",
    "json_option",
    "metric_option",
    "plies_range",
    "write_options",
]


PIECES: Final = click.IntRange(2, 5)
"""How many animals tables are made for."""

_MEMORY: Final = {
    **dict.fromkeys(("generate", "verify"), KERNELS),
    **dict.fromkeys(("probe", "line", "list", "stats", "export"), TABLES),
}
"""Bytes that a command needs for libraries."""


@dataclass
class Settings:
    """What the common options say; a value given after the command's name wins."""

    given_data_dir: Path | None = None
    given_rules: str | None = None
    verbosity: int = 0
    """-1 with ``-q``; more with each ``-v``."""
    running: str = ""
    """The name of the command that was called."""

    @property
    def data_dir(self) -> Path:
        """The folder of the tables: ``--data-dir``, else ``$JTB_DATA``, else the user's own."""
        given = self.given_data_dir or os.environ.get("JTB_DATA")
        if given:
            directory = Path(given)
            if not directory.is_absolute():
                Path.cwd()  # which may have been removed; then nothing could be made there
            return directory
        import platformdirs

        return Path(platformdirs.user_data_dir("jtb", appauthor=False))

    @property
    def rules_name(self) -> str:
        """The name of the rule set, or of its file, as it was given."""
        return self.given_rules or "standard"

    def command(self, name: str, arguments: str) -> str:
        """The command line of another command about the same folder and rules."""
        words = ["jtb", name]
        if self.given_data_dir is not None:
            words += ["--data-dir", shlex.quote(str(self.given_data_dir))]
        words.append(arguments)
        if self.rules_name != "standard":
            words += ["--rules", shlex.quote(self.rules_name)]
        return " ".join(words)

    def is_in_data_dir(self, path: Path | None) -> bool:
        """Whether ``path`` is the folder of the tables, or in it, or in the way to it."""
        if path is None:
            return False
        path, folder = path.absolute(), self.data_dir.absolute()
        return path.is_relative_to(folder) or folder.is_relative_to(path)

    def has_limit(self) -> bool:
        """Whether the rules that were asked for are known and have a ``no_capture_limit``."""
        from tablebase.errors import RulesError

        try:
            return self.rules().no_capture_limit is not None
        except RulesError:
            return False

    def rules(self) -> Rules:
        """The rule set; ``RulesError`` if there is none of that name."""
        from tablebase.game.rules import load_rules

        return load_rules(self.rules_name)

    def note(self, text: str) -> None:
        """Say ``text`` on stderr, unless ``-q`` was given."""
        if self.verbosity >= 0:
            tell(text)

    def detail(self, text: str) -> None:
        """Say ``text`` on stderr if ``-v`` was given."""
        if self.verbosity > 0:
            tell(text)


def plies_range(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """The callback of an option that takes a number of plies, or two with .. between them: the
    least and the most."""
    if value is None:
        return None
    least, dots, most = value.partition("..")
    try:
        found = int(least), int(most if dots else least)
    except ValueError:
        found = -1, -1
    if not 0 <= found[0] <= found[1]:
        raise click.BadParameter(
            f"write plies as 31, or as 20..40; {_short(value)} is neither", ctx, param
        )
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


class CommonOption(click.Option):
    """An option of every command; help shows it in a section of its own."""


class VersionOption(CommonOption):
    """``--version``, which ends a command line before the options behind it are looked at."""

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Have a ``-v`` of the same command line count, wherever it stands."""
        if opts.get(self.name or ""):
            ctx.ensure_object(Settings).verbosity += opts.get("verbose") or 0
        return super().handle_parse_result(ctx, opts, args)


class Command(click.Command):
    """A command that takes the common options too."""

    def __init__(self, name: str | None, **attributes: Any) -> None:
        attributes["params"] = [*(attributes.get("params") or ()), *common_options()]
        super().__init__(name, **attributes)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, where the memory suffices for the libraries that it needs."""
        settings = ctx.ensure_object(Settings)
        settings.running = ctx.info_name or ""
        require_memory(_MEMORY.get(settings.running, 0))
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options first, then the common ones."""
        write_options(self, ctx, formatter)


def write_options(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options of ``command``, its own and the common ones, in two sections."""
    sections: dict[str, list[tuple[str, str]]] = {"Options": [], "Common options": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None and not isinstance(parameter, click.Argument):
            common = isinstance(parameter, CommonOption) or "--help" in parameter.opts
            sections["Common options" if common else "Options"].append(record)
    for title, records in sections.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def common_options() -> list[click.Parameter]:
    """New instances of the common options, which write to the :class:`Settings` in ``ctx.obj``."""
    return [
        CommonOption(
            ["--data-dir"],
            type=click.Path(path_type=Path),
            metavar="DIR",
            callback=_set_data_dir,
            expose_value=False,
            help="The folder of the tables  [default: $JTB_DATA, else the user's data folder].",
        ),
        CommonOption(
            ["--rules"],
            metavar="NAME|FILE.toml",
            callback=_set_rules,
            expose_value=False,
            help="The rule set  [default: standard].",
        ),
        CommonOption(
            ["-q", "--quiet"],
            is_flag=True,
            callback=_set_quiet,
            expose_value=False,
            help="No progress and no notes.",
        ),
        CommonOption(
            ["-v", "--verbose"],
            count=True,
            callback=_set_verbose,
            expose_value=False,
            help="Say more.",
        ),
        VersionOption(
            ["--version"],
            is_flag=True,
            callback=_show_version,
            expose_value=False,
            is_eager=True,
            help="Show the version, with -v of more, and exit.",
        ),
    ]


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
"""The option ``--json`` of the commands that have one; the argument is ``as_json``."""

jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Threads  [default: one a core]."
)

metric_option = click.option(
    "--metric",
    type=click.Choice(["dtw", "dtc"]),
    help="Plies to the end, or to the next capture or den entry  [default: dtw; both if the rules"
    " have a no_capture_limit].",
)


def join_fens(words: Iterable[str]) -> list[str]:
    """The FENs in the arguments of a command, each given as one word or as several.

    Only a board has slashes in it, so each word with a slash begins the next FEN.
    """
    fens: list[str] = []
    for word in words:
        if "/" in word or not fens:
            fens.append(word)
        else:
            fens[-1] += f" {word}"
    return fens


def _set_data_dir(ctx: click.Context, _: click.Parameter, value: Path | None) -> None:
    if value is not None:
        ctx.ensure_object(Settings).given_data_dir = value


def _set_rules(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Settings).given_rules = value


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Settings).verbosity = -1


def _set_verbose(ctx: click.Context, _: click.Parameter, value: int) -> None:
    if value:
        ctx.ensure_object(Settings).verbosity += value


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from jtb.about import about
        from jtb.render.text import show

        settings = ctx.ensure_object(Settings)
        show(about(settings.data_dir if settings.verbosity > 0 else None))
        ctx.exit()
