"""Charts as inline SVG: drawn here, so that a report needs no script and no outside host."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_WIDTH, _ROW, _LABEL, _FIGURE = 760, 26, 190, 110
_MOST = 30


def bars(rows: Sequence[tuple[str, float, str]], title: str) -> str:
    """A bar for each (label, value, words); the longest fills the room."""
    shown = rows[:_MOST]
    longest = max((value for _, value, _ in shown), default=0) or 1
    room = _WIDTH - _LABEL - _FIGURE
    parts = []
    for i, (label, value, words) in enumerate(shown):
        y = i * _ROW
        short = label if len(label) <= 26 else label[:25] + "…"
        width = max(room * value / longest, 1.5)
        parts.append(
            f'<text x="0" y="{y + 17}">{escape(short)}</text>'
            f'<rect x="{_LABEL}" y="{y + 5}" width="{width:.1f}" height="16" rx="2"/>'
            f'<text class="n" x="{_LABEL + width + 8:.1f}" y="{y + 17}">{escape(words)}</text>'
        )
    left = f"<p>{len(rows) - _MOST} more are not drawn.</p>" if len(rows) > _MOST else ""
    spoken = escape(title + ": " + "; ".join(f"{label} {words}" for label, _, words in shown), quote=True)
    height = len(shown) * _ROW + 4
    chart = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{spoken}">{"".join(parts)}</svg>'
    return f'<div class="scroll">{chart}</div>{left}'
