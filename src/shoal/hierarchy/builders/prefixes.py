"""Prefix hierarchies for codes: postcodes, and classifications such as ICD, ISCO and NACE.

With a mask, removed characters are masked up to the length of the longest code: ``08034``, ``0803*``, ``080**``.
Without one (``mask=""``), the prefix is the name: ``2111``, ``211``, ``21``, ``2``. The name of a node determines its
ancestors, so a value spelled like a node is that node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from shoal.errors import OptionError
from shoal.hierarchy.builders.paths import as_list, from_paths, value_texts
from shoal.hierarchy.tree import Hierarchy


def from_prefixes(
    values: Iterable[object], *, lengths: Any = None, mask: str = "*", separators: str | None = None, root: str = "*"
) -> Hierarchy:
    """Build a tree of codes and their prefixes, the longest first. Spaces around a code are part of its name only.

    lengths
        Lengths of the prefixes; all lengths by default.
    mask
        One character that replaces each removed one and occurs in no code, or ``""``.
    separators
        Characters at which to cut instead, as in ``1.10.2``, ``1.10.*``, ``1.*``; one mask replaces all that is
        removed.
    """
    if not isinstance(mask, str) or len(mask) > 1:
        raise OptionError.invalid_value("mask", "one character, or '' for none")
    if lengths is not None and separators is not None:
        raise OptionError.invalid_value("separators", "either lengths or separators")
    names = sorted(set(value_texts(values)))
    codes = [text.strip() for text in names]
    if mask not in ("", "*") and any(mask in code for code in codes):
        raise OptionError.invalid_value("mask", "one character that no code has")
    path = _by_length(codes, lengths, mask) if separators is None else _by_separator(codes, separators, mask)
    return from_paths(([text, *path(code)] for text, code in zip(names, codes, strict=True)), root=root)


def _by_length(codes: list[str], lengths: Any, mask: str) -> Callable[[str], list[str]]:
    longest = max(map(len, codes))
    chosen = range(1, longest) if lengths is None else as_list(lengths)
    if (lengths is not None and not chosen) or not all(type(length) is int and length >= 1 for length in chosen):
        raise OptionError.invalid_value("lengths", "numbers of characters, from 1 up")
    order = sorted(set(chosen), reverse=True)

    def path(code: str) -> list[str]:
        return [code[:length].rstrip() if not mask else code[:length].ljust(longest, mask) for length in order]

    return path


def _by_separator(codes: list[str], separators: str, mask: str) -> Callable[[str], list[str]]:
    if not isinstance(separators, str) or not separators or (mask and mask in separators):
        raise OptionError.invalid_value("separators", "the characters at which to cut, such as '.', without the mask")
    cut = re.compile(f"[{re.escape(separators)}]")
    ends = {code: [match.start() for match in cut.finditer(code) if match.start()] for code in codes}
    max_cuts = max(map(len, ends.values()))

    def name(code: str, at: int) -> str:
        return code[: at + 1] + mask if mask else code[:at].rstrip()

    # 1.10 is generalized to 1.10.*, as 1.10.2 is
    shared = {code[:at]: name(code, at) for code in reversed(codes) for at in ends[code]} if mask else {}

    def path(code: str) -> list[str]:
        whole = code if mask and code.endswith(mask) else shared.get(code, code)
        prefixes = [name(code, at) for at in reversed(ends[code])]
        return [whole] * (max_cuts - len(prefixes)) + prefixes

    return path
