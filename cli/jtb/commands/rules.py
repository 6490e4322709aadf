"""``jtb rules``: the rule sets and their switches."""

from __future__ import annotations

import click

from jtb.options import Command, Settings, json_option
from jtb.render.tables import rule_set, rule_sets
from jtb.render.text import json_line

__all__ = ["command"]


@click.command(cls=Command)
@click.argument("name", required=False, metavar="[NAME|FILE.toml]")
@json_option
@click.pass_obj
def command(settings: Settings, name: str | None, as_json: bool) -> None:
    """Show the rule sets and their switches.

    Without a name: every rule set that has one, and where it differs from standard. With a name,
    or with --rules: all the switches of that rule set, those that differ from standard marked *.

    \b
    Examples:
      jtb rules
      jtb rules baike
      jtb rules my-rules.toml --json
    """
    from tablebase.rules import RULE_SETS, load_rules

    named = {known: rules.switches() for known, rules in RULE_SETS.items()}
    name = name or settings.given_rules
    if name is None:
        records = [{"name": known, "switches": switches} for known, switches in named.items()]
        click.echo(json_line(records) if as_json else rule_sets(named))
    else:
        switches = load_rules(name).switches()
        record = {"name": name, "switches": switches}
        click.echo(json_line(record) if as_json else rule_set(name, switches, named["standard"]))
