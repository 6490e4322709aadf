"""``jtb perft``: move counts, to compare with other programs."""

from __future__ import annotations

import click

from jtb.options import Command, Settings, join_fens

__all__ = ["command"]

_DEPTH = click.IntRange(1, 100)
"""Far more than anybody can wait for."""


@click.command(
    cls=Command,
    help="""Count the lines of play from a position.

    Prints one "depth count" a line for depths 1 to DEPTH in plies, from FEN or else from the
    start of the game. A game that ends earlier counts for no greater depth.

    \b
    Examples:
      jtb perft 4
      jtb perft 3 7/7/7/1r5/eR5/7/7/7/7_w --rules leiden --divide
    """,
)
@click.argument("depth", type=_DEPTH)
@click.argument("fen", nargs=-1, metavar="[FEN]")
@click.option("--divide", is_flag=True, help="Counts for DEPTH only, split by the first move.")
@click.pass_obj
def command(settings: Settings, depth: int, fen: tuple[str, ...], divide: bool) -> None:
    """Print the counts."""
    from jtb.render.text import show
    from tablebase.game import moves
    from tablebase.game.position import START_FEN, Position

    rules = settings.rules()
    fens = join_fens(fen) or [START_FEN]
    if len(fens) > 1:
        raise click.UsageError("perft counts from one position, not from several")
    position = Position.from_fen(fens[0], rules)
    if divide:
        counts = moves.divide(position, depth, rules)
        for move, count in counts.items():
            show(f"{move} {count}")
        settings.note(f"{sum(counts.values())} in all")
    else:
        for ply in range(1, depth + 1):
            show(f"{ply} {moves.perft(position, ply, rules)}")
