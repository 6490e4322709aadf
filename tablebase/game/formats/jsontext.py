"""JSON with errors that say where: the line, and the path to the field."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NoReturn

from tablebase.errors import FormatError
from tablebase.game.fen import shown
from tablebase.game.formats.format import Place

__all__ = ["Fields", "clean", "dump", "parse_json"]

_KINDS: Final = {str: "a text", int: "a whole number", dict: "an object", list: "a list"}
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_WORD: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_DEEPEST: Final = 100_000
_DUMP: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump(value: Any) -> str:
    """``value`` as JSON in one line, without spaces."""
    return _DUMP.encode(value)


def clean(text: str) -> str:
    """``text`` without halves of characters, which cannot be written anywhere."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def parse_json(text: str, place: Place) -> Any:
    """The value that ``text`` holds; ``FormatError`` if it is no JSON."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise place.error(f"it is no JSON: {error.msg} ({where}character {error.colno})") from None
    except ValueError as error:  # a number of too many digits, or NaN
        raise place.error(f"it is no JSON: {error}") from None
    except RecursionError:
        return _parse_deep(text, place)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no value")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)


class Fields:
    """An object of JSON, its fields taken by name and kind."""

    __slots__ = ("_path", "place", "values")

    def __init__(self, value: Any, place: Place, path: str = "") -> None:
        self.place = place
        self._path = path
        if type(value) is not dict:
            raise self._wrong(dict, path or None, value)
        self.values: dict[str, Any] = value

    def path(self, key: str) -> str:
        """The name of a field from the top."""
        return f"{self._path}.{key}" if self._path else key

    def error(self, reason: str, key: str, *, ply: int | None = None) -> FormatError:
        """The error that the field ``key`` is wrong."""
        return self.place.error(reason, ply=ply, field=self.path(key))

    def text(self, key: str) -> str:
        """A text that must be there."""
        return clean(str(self._take(key, str)))

    def text_or_none(self, key: str) -> str | None:
        """A text, or ``None`` where it is null or missing."""
        return None if self.values.get(key) is None else self.text(key)

    def number(self, key: str) -> int:
        """A whole number that must be there."""
        return int(self._take(key, int))

    def number_or_none(self, key: str) -> int | None:
        """A whole number, or ``None`` where it is null or missing."""
        return None if self.values.get(key) is None else self.number(key)

    def array(self, key: str) -> list[Any]:
        """A list that must be there."""
        found: list[Any] = self._take(key, list)
        return found

    def array_or_empty(self, key: str) -> list[Any]:
        """A list, empty where it is null or missing."""
        return [] if self.values.get(key) is None else self.array(key)

    def fields(self, key: str) -> Fields:
        """An object that must be there."""
        return Fields(self._take(key, dict), self.place, self.path(key))

    def fields_or_none(self, key: str) -> Fields | None:
        """An object, or ``None`` where it is null or missing."""
        return None if self.values.get(key) is None else self.fields(key)

    def item(self, key: str, index: int, value: Any) -> Fields:
        """The object ``value``, which is number ``index`` (from 0) of the list ``key``."""
        return Fields(value, self.place, f"{self.path(key)}[{index}]")

    def texts(self, key: str) -> list[str]:
        """A list of texts, empty where it is null or missing."""
        found = self.array_or_empty(key)
        for index, value in enumerate(found):
            if type(value) is not str:
                raise self._wrong(str, f"{self.path(key)}[{index}]", value)
        return [clean(value) for value in found]

    def choice(self, key: str, choices: dict[str, Any]) -> Any:
        """What ``choices`` has for the text in a field."""
        word = self.text(key)
        if word not in choices:
            raise self.error(f"{shown(word)} is none of {', '.join(choices)}", key)
        return choices[word]

    def _take(self, key: str, kind: type) -> Any:
        if key not in self.values:
            raise self.error(f"it is missing: {_KINDS[kind]} is wanted", key)
        value = self.values[key]
        if type(value) is not kind:
            raise self._wrong(kind, self.path(key), value)
        return value

    def _wrong(self, kind: type, path: str | None, value: Any) -> FormatError:
        reason = f"{_KINDS[kind]} is wanted, and {shown(_brief(value))} is none"
        return self.place.error(reason, field=path)


def _brief(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return clean(value) if isinstance(value, str) else str(value)[:80]


def _parse_deep(text: str, place: Place) -> Any:
    """The same as :func:`parse_json` without recursion: a study nests two levels deeper a ply."""
    top: list[Any] = []
    open_values: list[tuple[Any, str | None]] = [(top, None)]
    at = _skip(text, 0)

    def fail(reason: str) -> NoReturn:
        raise place.error(f"it is no JSON: {reason} (character {at + 1})")

    def string() -> str:
        nonlocal at
        if text[at : at + 1] != '"':
            fail("a text in quotes is wanted")
        try:
            found, at = scanstring(text, at + 1, True)
        except json.JSONDecodeError as error:
            fail(error.msg)
        return str(found)

    def name() -> str:
        nonlocal at
        key = string()
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            fail("':' is wanted")
        at = _skip(text, at + 1)
        return key

    while open_values:
        container, key = open_values[-1]
        symbol = text[at : at + 1]
        value: Any
        if symbol in ("{", "["):
            value = {} if symbol == "{" else []
            at = _skip(text, at + 1)
        elif symbol == '"':
            value = string()
        else:
            match = _WORD.match(text, at)
            if match is None:
                fail("a value is wanted")
            at = match.end()
            try:
                value = _DECODER.decode(match[0])
            except ValueError as error:
                fail(str(error))
        if key is None:
            container.append(value)
        else:
            container[key] = value
        if len(open_values) > _DEEPEST:
            fail(f"it is nested more than {_DEEPEST} deep")
        if symbol in ("{", "[") and text[at : at + 1] != ("}" if symbol == "{" else "]"):
            open_values.append((value, name() if symbol == "{" else None))
            continue
        if symbol in ("{", "["):
            at += 1
        # The value is whole: close what ends here, and go to the next one.
        while True:
            at = _skip(text, at)
            container, key = open_values[-1]
            if container is top:
                if at < len(text):
                    fail("nothing more is wanted")
                return top[0]
            symbol = text[at : at + 1]
            if symbol == ",":
                at = _skip(text, at + 1)
                open_values[-1] = (container, None if key is None else name())
                break
            if symbol != ("]" if key is None else "}"):
                fail("',' or the end of the list or object is wanted")
            at += 1
            open_values.pop()
    raise AssertionError


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()
