"""``jtb rules``: the rule sets and their switches, and how two of them differ."""

from __future__ import annotations

import click

from jtb.limits import KERNELS, require_memory
from jtb.options import PIECES, Command, Settings, json_option
from jtb.render.tables import rule_set, rule_sets
from jtb.render.text import json_line, path_text, show

__all__ = ["command"]


@click.command(
    cls=Command,
    help="""Show the rule sets and their switches.

    Without a name: every rule set that has one, and where it differs from standard. With a name,
    or with --rules: all the switches of that rule set, those that differ from standard marked *.
    A name, or --compare, wins over --rules.

    With --compare: in which materials the answers differ. Those of 2 and 3 animals are solved, no
    tables are needed: how many placements have another outcome or distance to the end (either side
    to move, mirror images included, no plies since the last capture), and one of them. Of 4 and 5
    animals, the materials in which some move differs.

    \b
    Examples:
      jtb rules
      jtb rules baike
      jtb rules my-rules.toml --json
      jtb rules --compare standard leiden
    """,
)
@click.argument("name", required=False, metavar="[NAME|FILE.toml]")
@click.option("--compare", "pair", nargs=2, metavar="A B", help="How rule sets A and B differ.")
@click.option(
    "--pieces",
    type=PIECES,
    metavar="N",
    help="Compare them in materials of 2 to N animals  [default: 3].",
)
@json_option
@click.pass_obj
def command(
    settings: Settings,
    name: str | None,
    pair: tuple[str, str] | None,
    pieces: int | None,
    as_json: bool,
) -> None:
    """Print rule sets, or how two of them differ."""
    from tablebase.game.rules import RULE_SETS, load_rules

    if pair is not None:
        if name is not None:
            raise click.UsageError("name two rule sets to compare, or one to show, not both")
        _compare(pair, pieces or 3, as_json)
        return
    if pieces is not None:
        raise click.UsageError("--pieces goes with --compare")
    name = name or settings.given_rules
    named = {known: rules.switches() for known, rules in RULE_SETS.items()}
    if name is None:
        records = [{"name": known, "switches": switches} for known, switches in named.items()]
        show(json_line(records) if as_json else rule_sets(named))
    else:
        switches = load_rules(name).switches()
        record = {"name": path_text(name), "switches": switches}
        show(json_line(record) if as_json else rule_set(name, switches, named["standard"]))


def _compare(names: tuple[str, str], pieces: int, as_json: bool) -> None:
    from jtb.render.comparison import comparison_record, comparison_text
    from tablebase.comparison import compare
    from tablebase.game.rules import load_rules

    require_memory(KERNELS)
    first, second = load_rules(names[0]), load_rules(names[1])
    found = [compare(first, second, animals) for animals in range(2, pieces + 1)]
    shown = path_text(names[0]), path_text(names[1])
    answer = shown, (first.switches(), second.switches()), found
    show(json_line(comparison_record(*answer)) if as_json else comparison_text(*answer))
