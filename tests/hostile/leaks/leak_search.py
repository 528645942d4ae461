"""Search for planted secrets in printed and written output."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def output(self) -> str:
        return self.out + self.err


Command = Callable[..., Run]


def leaked(text: str | bytes, secrets: Iterable[str]) -> list[str]:
    """The secrets in a text, in UTF-8 or UTF-16."""
    raw = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    return [secret for secret in secrets if any(secret.encode(code) in raw for code in ("utf-8", "utf-16-le"))]


def bytes_of(path: Path) -> bytes:
    """The content of a file, decompressed if necessary."""
    raw = path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return b"\n".join(name.encode() + archive.read(name) for name in archive.namelist())
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
