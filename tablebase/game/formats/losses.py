"""What of a record another format cannot hold, said in a few words each."""

from __future__ import annotations

from typing import Final

from tablebase.game.formats.records import Record
from tablebase.game.rules import Rules

__all__ = ["losses"]

_NAMES: Final = {"id": "its id", "white": "White's player", "black": "Black's player"}


def losses(record: Record, *held: str, rules: Rules | None = None) -> tuple[str, ...]:
    """What is lost of ``record`` in a format that holds ``held``.

    Of the result a format may hold the ``winner``, and the ``reason`` too. ``rules`` are those
    that the format is read by again, where it does not say which.
    """
    lost = [
        what
        for field, what in _NAMES.items()
        if field not in held and getattr(record, field) is not None
    ]
    if record.result is not None:
        if "winner" not in held:
            lost.append("the result")
        elif "reason" not in held and record.result.reason is not None:
            lost.append("the reason of the result")
    lost += [key.replace("_", " ") for key in record.metadata if key not in held]
    if record.annotations:
        lost.append("annotations")
    if record.branches:
        lost.append("branches")
    stated = record.rules_from != "format" or record.rules != Rules()
    if rules is not None and record.rules != rules and stated:
        lost.append(f"the rules ({record.rules.name})")
    return tuple(lost)
