"""Bytes that were damaged: by a seed, so that what was found is found again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

ODD = (
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n", b"\r\n", b"\t", b'"'),
    *(b'""', b"'", b"\\", b";", b","),
    *(b"{", b"}", b"[", b"]", b"[" * 300, b"<", b">", b"="),
    *(b"|", b"*", b"%00", b"&", b"../", b"\xf0\x9f\x90\x9f"),
    *(b"-1", b"0", b"1e999", b"-inf", b"nan", b"9" * 25),
    *(b"9" * 400, b"1.5", b"true", b"null", b"NA", b".", b"-0"),
    *(b"\xe2\x80\xa8", b"\xc2\x85", b"\x0b", b"\x0c", b"\x1c", b"\\ud800", b"0x10"),
    *(b"1_000", b"2024-02-30", b"\xed\xa0\x80"),
    *("٣".encode(), "ﬀ".encode(), "İ".encode(), b"\xc2\xa0", b" " * 50, b"=cmd", b"@", b"+", b"-"),
)
"""What readers stumble over."""
_LONGEST = 1 << 14

Change = Callable[[random.Random, bytearray, Sequence[bytes]], None]


def _flip(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    if raw:
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)


def _byte(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    if raw:
        raw[chance.randrange(len(raw))] = chance.randrange(256)


def _insert(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    at = chance.randrange(len(raw) + 1)
    raw[at:at] = chance.choice(ODD)


def _overwrite(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    piece = chance.choice(ODD)
    at = chance.randrange(len(raw) + 1)
    raw[at : at + len(piece)] = piece


def _cut(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    first, last = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    del raw[first:last]


def _short(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    at = chance.randrange(len(raw) + 1)
    del raw[at : at + chance.randrange(1, 5)]


def _truncate(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    del raw[chance.randrange(len(raw) + 1) :]


def _repeat(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    first, last = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    if len(raw) < _LONGEST:
        raw[first:first] = raw[first:last] * chance.randrange(1, 4)


def _move(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    first, last = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    piece = raw[first:last]
    del raw[first:last]
    at = chance.randrange(len(raw) + 1)
    raw[at:at] = piece


def _splice(chance: random.Random, raw: bytearray, others: Sequence[bytes]) -> None:
    other = chance.choice(others)
    first, last = sorted(chance.randrange(len(other) + 1) for _ in range(2))
    at = chance.randrange(len(raw) + 1)
    raw[at : at + chance.choice((0, last - first))] = other[first:last]


def _lines(chance: random.Random, raw: bytearray, _: Sequence[bytes]) -> None:
    lines = bytes(raw).split(b"\n")
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at], lines[to] = lines[to], lines[at]
    raw[:] = b"\n".join(lines)


_CHANGES: tuple[Change, ...] = (
    *(_flip, _byte, _insert, _insert, _overwrite, _cut, _short, _truncate, _repeat, _move, _splice, _lines),
)


def damaged(seeds: Sequence[bytes], number: int) -> bytes:
    """One of the seeds after one to six changes, by this number."""
    chance = random.Random(number)  # noqa: S311 - chance that comes again
    raw = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 6))):
        chance.choice(_CHANGES)(chance, raw, seeds)
    return bytes(raw[: 2 * _LONGEST])
