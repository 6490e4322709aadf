"""The names of table files and of the folders that keep rule sets apart."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Final
from zlib import crc32

from tablebase.game.rules import RULE_SETS, Rules
from tablebase.values import Metric

__all__ = [
    "FILENAME",
    "material_command",
    "pieces_command",
    "remake_command",
    "rules_key",
    "table_filename",
    "table_rules",
]

FILENAME: Final = re.compile(r"(?P<name>[A-Z]+v[A-Z]+)\.(?P<metric>dtw|dtc)\.h5")
"""What the name of a table file looks like: class, metric, ``.h5``."""


def table_filename(name: str, metric: Metric) -> str:
    """The file name of the table of the class called ``name``."""
    return f"{name}.{metric}.h5"


@lru_cache(maxsize=64)
def rules_key(rules: Rules, metric: Metric) -> str:
    """The folder name for tables of ``metric`` under ``rules``.

    Rule sets that differ in what such a table depends on (:func:`table_rules`) have different
    keys, the others share one: that of the first named rule set among them, or ``custom-`` and
    eight hexadecimal digits. ``dtw`` knows no limit, so ``plyyard`` finds ``standard``'s.
    """
    wanted = table_rules(rules, metric)
    for name, named in RULE_SETS.items():
        if table_rules(named, metric) == wanted:
            return name
    # Only what differs from the defaults counts, so that a switch to come changes no name.
    default = Rules().switches()
    special = {key: value for key, value in wanted.switches().items() if value != default[key]}
    return f"custom-{crc32(json.dumps(special, sort_keys=True).encode()):08x}"


def remake_command(path: Path, *, limited: bool | None = None) -> str:
    """The command that makes the table that belongs at ``path``, as far as the path tells.

    ``limited`` says whether its rules have a ``no_capture_limit``, where that is known.
    """
    match = FILENAME.fullmatch(path.name)
    command = f"jtb generate {match['name'] if match else 'MATERIAL'}"
    key = path.absolute().parent.name
    if key.startswith("custom-"):
        command += " --rules FILE.toml"
    elif key in RULE_SETS and key != "standard":
        command += f" --rules {key}"
    # Rules with a limit get these tables, and those that go with them, without being told.
    if limited is None:
        limited = key in RULE_SETS and RULE_SETS[key].no_capture_limit is not None
    if match and match["metric"] == "dtc" and not limited:
        command += " --metric dtc"
    return command


def pieces_command(pieces: int, rules: Rules, metric: Metric) -> str:
    """The command that makes the tables of 2 to ``pieces`` animals with ``metric``."""
    return _command(f"--pieces {pieces}", rules, metric)


def material_command(name: str, rules: Rules, metric: Metric) -> str:
    """The command that makes the table of the material called ``name`` with ``metric``."""
    return _command(name, rules, metric)


def _command(what: str, rules: Rules, metric: Metric) -> str:
    command = f"jtb generate {what}"
    named = next((name for name, known in RULE_SETS.items() if known == rules), "FILE.toml")
    if named != "standard":
        command += f" --rules {named}"
    if metric == "dtc" and rules.no_capture_limit is None:
        command += " --metric dtc"
    return command


def table_rules(rules: Rules, metric: Metric) -> Rules:
    """What a table depends on of ``rules``: never the history of the game, the limit only where
    the metric is the distance to the next capture or den entry."""
    return rules.without_limit() if metric == "dtw" else rules.without_history()
