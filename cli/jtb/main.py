"""The group of commands: names and short helps are known here, the rest is loaded when called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

import click

from jtb import errors
from jtb.options import Settings, common_options, write_options
from jtb.streams import prepare, tell

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: Final = {
    "generate": "Make tables.",
    "probe": "Say who wins, in how many plies, and what every move leads to.",
    "line": "Show a line of best play to the end.",
    "list": "List the tables in the folder and what they cover.",
    "stats": "Count the wins, draws and losses of a material.",
    "verify": "Check the values of tables against each other.",
    "export": "Write the values of a material to a CSV, NumPy or Parquet file.",
    "convert": "Convert positions and games between the formats of Jungle programs.",
    "perft": "Count the lines of play from a position.",
    "rules": "Show the rule sets and their switches.",
}
"""Every command with the first line of its help. Its module has its name."""


class Group(click.Group):
    """Commands loaded on demand, errors told in one place."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"jtb.commands.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the commands, without importing any of them."""
        write_options(self, ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Kernels that were compiled and cannot be kept are told of at the end."""
        result = super().invoke(ctx)
        # Whoever compiles has loaded it.
        if (jit := sys.modules.get("tablebase.jit")) is not None:
            from jtb.render.kernels import kernel_note

            if note := kernel_note(jit.kernel_cache_state()):
                ctx.ensure_object(Settings).note(note)
        return result

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run the command line and exit with the code of the contract."""
        settings = Settings()
        extra["standalone_mode"] = False
        try:
            result = super().main(args, prog_name or "jtb", obj=settings, **extra)
            if sys.stdout is not None:
                sys.stdout.flush()
        except (Exception, KeyboardInterrupt) as error:
            sys.exit(errors.report(error, settings))
        sys.exit(result if isinstance(result, int) else errors.ExitCode.DONE)


@click.group(
    "jtb",
    cls=Group,
    help="""Exact endgame tables for Jungle (Dou Shou Qi).

    \b
    Example:
      jtb generate --pieces 3
      jtb probe 7/7/7/7/7/3e3/3L3/5R1/7_w
    """,
    params=common_options(),
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'jtb COMMAND -h' shows the options of a command and an example.",
)
@click.pass_context
def app(ctx: click.Context) -> None:
    """Without a command: the help, as an error."""
    if ctx.invoked_subcommand is None:
        tell(ctx.get_help())
        ctx.exit(errors.ExitCode.USAGE)


def main() -> NoReturn:
    """Run the command line of this process; see :mod:`jtb.__main__`."""
    prepare()
    app.main()
