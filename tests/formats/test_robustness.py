"""Whatever a text holds: games, positions, and errors with their place; nothing else comes out."""

from __future__ import annotations

import gzip
import io
import json
import random
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.errors import FormatError
from tablebase.game.formats import FORMATS, LONGEST, ReadPosition, Record, read, read_position
from tests.formats.samples import SAMPLES, dumped, export, match, puzzles, room, study

NAMES = (*FORMATS, None)
HEADS = {name: text[: text.find("\n") + 1] or text[:60] for name, text in SAMPLES.items()}
OTHERS: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "\ud800",
    "a1b1",
    [],
    [[]],
    {},
    {"a": 1},
)


def items(source: Any, name: str | None) -> list[Record | ReadPosition | FormatError]:
    """All there is in a text; any other exception than those given fails the test."""
    found = list(read(source, name, errors="give"))
    for item in found:
        if isinstance(item, FormatError):
            text = str(item)
            assert text.isprintable()
            assert 0 < len(text) < 700
    return found


def errors_of(source: Any, name: str | None) -> list[FormatError]:
    return [item for item in items(source, name) if isinstance(item, FormatError)]


def test_there_is_a_sample_of_every_format() -> None:
    assert set(SAMPLES) == set(FORMATS)
    for name, text in SAMPLES.items():
        assert not errors_of(text, name)
        assert items(text, name) == items(text.encode(), name)
        assert items(text, name) == items(gzip.compress(text.encode()), name)
        if name != "moves-mirrored":  # which cannot be told from those of the other array
            told = items(text, None)
            assert [type(item) for item in told] == [type(item) for item in items(text, name)]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_bytes_at_random(name: str | None, data: bytes) -> None:
    items(data, name)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40)
@given(st.data())
def test_bytes_at_random_after_a_good_beginning(name: str, data: st.DataObject) -> None:
    text = SAMPLES[name].encode()
    at = data.draw(st.integers(0, len(text)))
    noise = data.draw(
        st.binary(max_size=40) | st.text('[]{}()";:,/0a1\\ \n', max_size=40).map(str.encode)
    )
    items(text[:at] + noise + text[at:], name)
    items(HEADS[name].encode() + noise, None)


@pytest.mark.parametrize("name", FORMATS)
def test_every_sample_cut_anywhere(name: str) -> None:
    text = SAMPLES[name]
    whole = items(text, name)
    step = max(1, len(text) // 150)
    for at in range(0, len(text), step):
        found = items(text[:at], name)
        good = [item for item in found if not isinstance(item, FormatError)]
        # What is left is what was there, or less of it; never something else.
        assert len(found) <= len(whole) + 1
        for item, before in zip(good, whole, strict=False):
            if isinstance(item, Record):
                assert isinstance(before, Record)
                assert before.start.pieces == item.start.pieces
                assert before.start.turn is item.start.turn
                assert before.moves[: len(item.moves)] == item.moves
            elif name not in ("jtb", "mistboard", "misty-jungle", "katago", "dandelion", "netcan"):
                assert item == before


@pytest.mark.parametrize("name", FORMATS)
def test_every_sample_with_a_character_changed(name: str) -> None:
    text = SAMPLES[name]
    chosen = random.Random(name)
    for _ in range(150):
        at = chosen.randrange(len(text))
        symbol = chosen.choice('ab19 x"{}[]();,:/\\\n\0é')
        items(text[:at] + symbol + text[at + 1 :], name)


# JSON


def changed(value: Any) -> Iterator[Any]:
    """Every way to put something of another type in the place of a part of ``value``."""
    yield from (other for other in OTHERS if type(other) is not type(value))
    keys: Any = value if isinstance(value, dict) else range(2) if isinstance(value, list) else ()
    for key in keys:
        if isinstance(value, dict) or key < len(value):
            for other in changed(value[key]):
                copy = value.copy()
                copy[key] = other
                yield copy


def document(name: str) -> Any:
    return {
        "mistboard-games": export(),
        "mistboard-room": room()[1],
        "mistboard-study": study(),
        "mistboard-puzzles": puzzles(),
        "mistboard-match": match(),
    }[name]


@pytest.mark.parametrize(
    "name",
    [
        "mistboard-games",
        "mistboard-room",
        "mistboard-study",
        "mistboard-puzzles",
        "mistboard-match",
    ],
)
def test_fields_of_every_other_type(name: str) -> None:
    good = items(SAMPLES[name], name)
    count = 0
    for other in changed(document(name)):
        text = json.dumps(other)
        if name == "mistboard-room":
            events = [json.dumps(event) for event in room()]
            text = "\n".join([events[0], text, *events[2:]])
        for item in items(text, name):
            if isinstance(item, FormatError):
                assert item.format == name
                assert item.line is not None
            else:
                assert isinstance(item, Record)
                assert isinstance(good[0], Record)
                assert item.start == good[0].start or name == "mistboard-study"
        count += 1
    assert count > 70


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ('{"schema_version": NaN}', "NaN is no value"),
        ('{"schema_version": ' + "9" * 5000 + "}", "no JSON"),
        ('{"schema_version": "1.0"} x', "Extra data"),
        ('"schema_version"', "an object is wanted"),
        ("[" * 100_000, "no JSON"),
        ('{"a":' * 100_000, "no JSON"),
        ('{"schema_version":' + "[" * 50_000 + "]" * 50_000 + "}", "it is missing"),
        ("[" * 200_000, "nested more than 100000 deep"),
        ("\ufeff{}", "it is missing"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    (error,) = errors_of(text, "mistboard-games")
    assert message in error.reason
    assert error.line == 1


# Long and damaged


class Endless(io.RawIOBase):
    """A stream of so many bytes that never holds them, with a line after them."""

    def __init__(self, size: int, end: bytes) -> None:
        self._left = size
        self._end = end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self._left)
        if size:
            buffer[:size] = b"x" * size
            self._left -= size
            return size
        data, self._end = self._end[: len(buffer)], self._end[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


@pytest.mark.parametrize("name", FORMATS)
def test_a_line_of_a_hundred_megabytes_is_one_error(name: str) -> None:
    tracemalloc.start()
    try:
        (error,) = items(Endless(100_000_000, b"\n"), name)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(error, FormatError)
    assert error.line == 1
    assert "longer than 16 MiB" in error.reason
    assert peak < 3 * LONGEST


def test_games_after_a_long_line_are_read() -> None:
    good = dumped(export()).encode() + b"\n"
    stream = Endless(LONGEST + 1, b"\n" + good)
    before = io.BufferedReader(io.BytesIO(good))
    assert [item for item in items(before, None) if isinstance(item, Record)]
    error, record = items(stream, "mistboard-games")
    assert isinstance(error, FormatError)
    assert isinstance(record, Record)
    assert record.line == 2


def test_a_long_text_of_characters() -> None:
    stream = io.StringIO("x" * (LONGEST + 1) + "\n" + dumped(export()))
    error, record = items(stream, "mistboard-games")
    assert isinstance(error, FormatError)
    assert isinstance(record, Record)


@pytest.mark.parametrize("name", ["mistboard-study", "katago-sgf"])
def test_a_record_of_many_lines_may_not_be_too_long(name: str) -> None:
    head = HEADS[name][:40] + "\n"
    for rest in ("x" * 65_535 + "\n") * 257, "\n" * 1_000_001:
        (error,) = errors_of(head + rest, name)
        assert "longer than 16 MiB or 1000000 lines" in error.reason


@pytest.mark.parametrize(
    "symbol", ["{", "a1", "/", "[", "\\", "a3a4 ", '"', "(", "0x", ": ", "1. "]
)
def test_the_same_again_and_again_takes_no_time(symbol: str) -> None:
    text = symbol * (1_000_000 // len(symbol))
    for name in (None, "moves", "katago-sgf", "katago-gtp", "mistboard-games", "mistboard-line"):
        items(text, name)


@pytest.mark.parametrize("cut", [10, 40, 200])
def test_damaged_gzip(cut: int) -> None:
    packed = gzip.compress(SAMPLES["mistboard-games"].encode() * 50)
    (error,) = errors_of(packed[:cut], "mistboard-games")[-1:]
    assert "damaged or cut off" in error.reason
    broken = bytearray(packed)
    broken[cut] ^= 0xFF
    assert errors_of(bytes(broken), "mistboard-games")


def test_lines_that_are_not_utf_8() -> None:
    good = dumped(export()).encode()
    error, record = items(b"\xff\xfe\n" + good, "mistboard-games")
    assert isinstance(error, FormatError)
    assert (error.line, error.reason) == (1, "byte 1 of the line is not UTF-8")
    assert isinstance(record, Record)
    (error,) = errors_of(b"\xff\xfe\n" + good, None)
    assert error.line == 1
    text = io.TextIOWrapper(io.BytesIO(good + b"\n\xff\n" + good), encoding="utf-8")
    assert errors_of(text, "mistboard-games")


@pytest.mark.parametrize("text", ["", "\n\n", " \t\n", "# only a comment\n"])
def test_nothing_is_an_error_of_its_own(text: str) -> None:
    (error,) = errors_of(text, None)
    assert error.reason == "there is nothing in the text"


@settings(max_examples=150)
@given(st.text() | st.text("EeLlJjPp/0123456789 _wbr-", max_size=60), st.sampled_from(NAMES))
def test_positions_at_random(text: str, name: str | None) -> None:
    try:
        position, reading = read_position(text, name)
    except ValueError:
        return
    assert position.white or position.black
    assert reading.format in FORMATS
