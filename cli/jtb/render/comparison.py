"""Two rule sets side by side: the switches, and what they come to in materials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jtb.render.answers import OUTCOMES
from jtb.render.tables import switch_value
from jtb.render.text import table, wrapped

if TYPE_CHECKING:
    from tablebase.comparison import Answer, Comparison, Difference

__all__ = ["comparison_record", "comparison_text"]

Switches = Mapping[str, Any]


def comparison_record(
    names: tuple[str, str], switches: tuple[Switches, Switches], found: Sequence[Comparison]
) -> dict[str, Any]:
    """The JSON of ``jtb rules --compare``."""
    return {
        "first": names[0],
        "second": names[1],
        "switches": {switch: [a, b] for switch, a, b in _differing(switches)},
        "animals": [
            {
                "animals": part.animals,
                "materials": part.materials,
                "same_moves": part.same_moves,
                "same_values": part.same_values,
                "differences": [_difference_record(difference) for difference in part.differences],
            }
            for part in found
        ],
    }


def _difference_record(difference: Difference) -> dict[str, Any]:
    example = difference.example
    return {
        "materials": [str(material) for material in difference.materials],
        "classes": list(difference.tables),
        "same_moves": difference.same_moves,
        "placements": difference.placements,
        "outcomes": difference.outcomes,
        "distances": difference.distances,
        "example": example
        and {
            "fen": example.fen,
            "first": _answer_record(example.first),
            "second": _answer_record(example.second),
        },
    }


def _answer_record(answer: Answer) -> dict[str, Any]:
    return {"outcome": OUTCOMES[answer.outcome], "dtw": answer.dtw}


def comparison_text(
    names: tuple[str, str], switches: tuple[Switches, Switches], found: Sequence[Comparison]
) -> str:
    """The same for people."""
    differing = [
        (switch, switch_value(a), switch_value(b)) for switch, a, b in _differing(switches)
    ]
    if not differing:
        return f"{names[0]} and {names[1]} are the same rules."
    parts = [table(differing, ("differing", *names))]
    for part in found:
        parts.append(_summary(part))
        solved = [difference for difference in part.differences if difference.example]
        if solved:
            parts += [_counts(names, solved), _examples(names, solved)]
        elif part.differences:
            parts.append(wrapped(_named(difference) for difference in part.differences))
    return "\n\n".join(parts)


def _differing(switches: tuple[Switches, Switches]) -> list[tuple[str, Any, Any]]:
    first, second = switches
    return [(switch, a, second[switch]) for switch, a in first.items() if a != second[switch]]


def _summary(part: Comparison) -> str:
    total = f"{part.materials:,} materials"
    text = (
        f"{part.animals} animals: in {part.same_moves:,} of {total} all moves are the same, so"
        " their dtw tables are equal."
    )
    if part.same_values is None:
        if part.same_moves < part.materials:
            text += " Of the others, by kinds, the first and how many there are:"
    elif part.same_values == part.materials:
        text += " All have the same values."
    else:
        text += f" {part.same_values:,} have the same values everywhere; the others, by kinds:"
    return wrapped(text.split(), indent="")


def _counts(names: tuple[str, str], differences: Sequence[Difference]) -> str:
    rows = [
        (str(d.materials[0]), *d.tables, len(d.materials), d.placements, d.outcomes, d.distances)
        for d in differences
    ]
    heads = ("first", *(f"in {name}" for name in names), "materials", "placements", "outcome")
    return table(rows, (*heads, "distance only"))


def _examples(names: tuple[str, str], differences: Sequence[Difference]) -> str:
    rows = [
        (d.example.fen, _answer_text(d.example.first), _answer_text(d.example.second))
        for d in differences
        if d.example
    ]
    return table(rows, ("example", *names))


def _answer_text(answer: Answer) -> str:
    if answer.dtw is None:
        return OUTCOMES[answer.outcome]
    if answer.outcome == 0:
        return "draw by the limit"
    return f"{OUTCOMES[answer.outcome]} in {answer.dtw}"


def _named(difference: Difference) -> str:
    count = len(difference.materials)
    return str(difference.materials[0]) + (f"({count})" if count > 1 else "")
