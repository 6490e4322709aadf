"""``jtb line``: best play from a position to the end of the game."""

from __future__ import annotations

import click

from jtb.options import Command, Settings, join_fens, json_option

__all__ = ["command"]


@click.command(
    cls=Command,
    help="""Show a line of best play to the end.

    The winner takes the shortest way and the loser the longest; the first move is the first that
    "jtb probe" lists. Boards are drawn at the start, at captures and at the end. Tables know
    nothing of the moves before: if the line breaks a rule that does (repetition, 7-3, 17-5), it is
    said where.

    \b
    Examples:
      jtb line 7/7/7/7/7/3e3/3L3/5R1/7_w
      jtb line --rules baike 7/7/4d2/7/7/7/7/7/2W4_w
    """,
)
@click.argument("fen", nargs=-1, required=True, metavar="FEN")
@json_option
@click.pass_obj
def command(settings: Settings, fen: tuple[str, ...], as_json: bool) -> None:
    """Print the line."""
    import tablebase
    from jtb.render.answers import line_record, line_text
    from jtb.render.text import json_line, show
    from tablebase.game.games import first_breach

    fens = join_fens(fen)
    if len(fens) > 1:
        raise click.UsageError("a line starts from one position, not from several")
    rules = settings.rules()
    position = tablebase.Position.from_fen(fens[0], rules)
    with tablebase.open_tablebase(settings.data_dir, rules) as tb:
        line = tb.line(position)
        breach = first_breach(position, rules, [valued.move for valued in line])
        answer = position, rules, tb.probe(position), line, breach
    if as_json:
        show(json_line(line_record(*answer)))
    else:
        show(line_text(*answer))
