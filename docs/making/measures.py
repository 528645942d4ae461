"""Pages of the measures: an index by family, and one page a measure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from making.markdown import facts, table, unindented
from shoal.measure import Measure, measures
from shoal.report.text import FAMILIES

INDEX = """# The measures

Made by `python docs/make.py` from the registry; `shoal measures NAME` prints the same facts. `release.evaluation` and
`shoal evaluate` hold all that one look at every record tells; those marked *on request* take longer and are run by
`release.evaluate("all")`, `shoal.evaluate(..., measures="all")` and `shoal evaluate --measures all`, or by name. A
figure that does not apply to a table is None. x is an original value, x′ the released one.
"""
FOUND = {
    "loss": "`release.evaluation.loss`",
    "risk": "`release.evaluation.before` and `.after`",
    "attack": "`release.evaluation.attacks`",
    "change": "`release.evaluation.changes`, by column",
    "disclosure": "`release.evaluation.disclosures`, by sensitive column",
}
"""Where the figures of a family stand."""


def index(known: Sequence[Measure]) -> str:
    """The measures by family."""
    parts = [INDEX]
    for family, members in groupby(known, key=lambda measure: measure.family):
        rows = [
            (
                f"[`{measure.name}`](measures/{measure.name}.md)",
                measure.summary,
                measure.unit or "–",
                f"{measure.good}{' (on request)' if measure.searching else ''}",
            )
            for measure in members
        ]
        parts.append(f"## {family}: {FAMILIES[family]}\n\n{table(['measure', 'what it is', 'unit', 'good'], rows)}")
    return "\n".join(parts)


def page(measure: Measure) -> str:
    """One measure: its facts, then what more its docstring says."""
    told = {
        "family": f"{measure.family}: {FAMILIES[measure.family]}",
        "formula": measure.formula,
        "range": measure.range,
        "unit": measure.unit,
        "good": measure.good,
        "in words": measure.sentence.format_map(defaultdict(lambda: "…", column="the column")),
        "stands in": FOUND.get(measure.family, ""),
        "when": 'on request: `measures="all"`, or by name' if measure.searching else "in every evaluation",
        "reference": measure.reference,
    }
    text = f"# {measure.name}\n\n{measure.summary}\n\n{facts((name, value) for name, value in told.items() if value)}"
    more = unindented(measure.notes)
    return "\n".join(
        filter(None, [text, f"{more}\n" if more else "", "All of them: [the measures](../measures.md).\n"])
    )


def pages(docs: Path) -> dict[Path, str]:
    known = list(measures().values())
    return {
        docs / "measures.md": index(known),
        **{docs / "measures" / f"{measure.name}.md": page(measure) for measure in known},
    }
