"""Set a fixed creation time in SPSS, Stata and SAS files, so that equal releases have equal bytes."""

from __future__ import annotations

from pathlib import Path

_HEADER = 4096

_SPSS_AT, _SPSS = 92, b"01 Jan 0000:00:00"
_STATA_MARK, _STATA = b"<timestamp>\x11", b"01 Jan 2000 00:00"
_SAS_AT, _SAS = (144, 160, 464, 480), b"01JAN00:00:00:00"
"""Offsets: twice for the library and twice for its table, in lines of 80 bytes."""


def fix_timestamps(path: Path, kind: str) -> None:
    """Overwrite the creation time in a file that was just written."""
    with path.open("r+b") as file:
        header = file.read(_HEADER)
        if kind == "spss":
            offsets, stamp = [_SPSS_AT], _SPSS
        elif kind == "stata":
            # only in the header: the same text in a label belongs to the user
            at = header.find(_STATA_MARK, 0, header.find(b"</header>"))
            offsets, stamp = ([at + len(_STATA_MARK)] if at >= 0 else []), _STATA
        else:
            offsets, stamp = list(_SAS_AT), _SAS
        for offset in offsets:
            file.seek(offset)
            file.write(stamp)
