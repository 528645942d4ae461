"""The time of making that SPSS, Stata and SAS files bear.

A fixed one, so that the same release has the same bytes.
"""

from __future__ import annotations

from pathlib import Path

_HEADER = 4096

_SPSS_AT, _SPSS = 92, b"01 Jan 0000:00:00"
_STATA_MARK, _STATA = b"<timestamp>\x11", b"01 Jan 2000 00:00"
_SAS_AT, _SAS = (144, 160, 464, 480), b"01JAN00:00:00:00"
"""Twice for the library and twice for its one table, in lines of 80 bytes."""


def fix_stamps(path: Path, kind: str) -> None:
    """Overwrite the time of making in a file that was just written."""
    with path.open("r+b") as file:
        header = file.read(_HEADER)
        if kind == "spss":
            places, stamp = [_SPSS_AT], _SPSS
        elif kind == "stata":
            # Only in the header: the same words in a label further down are the user's.
            at = header.find(_STATA_MARK, 0, header.find(b"</header>"))
            places, stamp = ([at + len(_STATA_MARK)] if at >= 0 else []), _STATA
        else:
            places, stamp = list(_SAS_AT), _SAS
        for place in places:
            file.seek(place)
            file.write(stamp)
