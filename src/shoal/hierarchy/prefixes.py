"""Codes under their beginnings: postcodes, and the codes of classifications such as ICD, ISCO and NACE.

With a mask, what is cut off is masked up to the length of the longest code: ``08034``, ``0803*``, ``080**``. Without
one (``mask=""``), a beginning is a name by itself: ``2111``, ``211``, ``21``, ``2``. Either way the name of a node
tells all that is above it, so a value that is spelled like a node is that node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from shoal.errors import OptionError
from shoal.hierarchy.ladders import grown, several, texts
from shoal.hierarchy.tree import Hierarchy


def from_prefixes(
    values: Iterable[object], *, lengths: Any = None, mask: str = "*", separators: str | None = None, root: str = "*"
) -> Hierarchy:
    """Each code under its beginnings, the longest first. Spaces around a code belong to its name only.

    lengths
        How many characters the beginnings have; every number of them otherwise.
    mask
        One character that stands for each one cut off and that no code has, or ``""``.
    separators
        Characters at which to cut instead, as in ``1.10.2``, ``1.10.*``, ``1.*``; the mask stands for all that is cut
        off.
    """
    if not isinstance(mask, str) or len(mask) > 1:
        raise OptionError.bad_option("mask", "one character, or '' for none")
    if lengths is not None and separators is not None:
        raise OptionError.bad_option("separators", "either lengths or separators")
    found = sorted(set(texts(values)))
    codes = [text.strip() for text in found]
    if mask not in ("", "*") and any(mask in code for code in codes):
        raise OptionError.bad_option("mask", "one character that no code has")
    rungs = _lengths(codes, lengths, mask) if separators is None else _parts(codes, separators, mask)
    return grown(([text, *rungs(code)] for text, code in zip(found, codes, strict=True)), root=root)


def _lengths(codes: list[str], lengths: Any, mask: str) -> Callable[[str], list[str]]:
    longest = max(map(len, codes))
    chosen = range(1, longest) if lengths is None else several(lengths)
    if (lengths is not None and not chosen) or not all(type(length) is int and length >= 1 for length in chosen):
        raise OptionError.bad_option("lengths", "numbers of characters, from 1 up")
    order = sorted(set(chosen), reverse=True)

    def rungs(code: str) -> list[str]:
        return [code[:length].rstrip() if not mask else code[:length].ljust(longest, mask) for length in order]

    return rungs


def _parts(codes: list[str], separators: str, mask: str) -> Callable[[str], list[str]]:
    if not isinstance(separators, str) or not separators or (mask and mask in separators):
        raise OptionError.bad_option("separators", "the characters at which to cut, such as '.', without the mask")
    cut = re.compile(f"[{re.escape(separators)}]")
    ends = {code: [found.start() for found in cut.finditer(code) if found.start()] for code in codes}
    most = max(map(len, ends.values()))

    def name(code: str, at: int) -> str:
        return code[: at + 1] + mask if mask else code[:at].rstrip()

    # 1.10 goes with 1.10.2 into 1.10.*
    shared = {code[:at]: name(code, at) for code in reversed(codes) for at in ends[code]} if mask else {}

    def rungs(code: str) -> list[str]:
        whole = code if mask and code.endswith(mask) else shared.get(code, code)
        beginnings = [name(code, at) for at in reversed(ends[code])]
        return [whole] * (most - len(beginnings)) + beginnings

    return rungs
