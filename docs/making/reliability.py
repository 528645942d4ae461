"""The page about a hostile world: what was done to Shoal, how often, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from making.markdown import table

Account = Mapping[str, Any]
HEAD = """# Reliability

Made by `python docs/make.py` from `benchmarks/results/reliability.json`, which `make reliability` writes: it runs
`tests/hostile/reliability.py`, and that runs every test of `tests/hostile`, part by part, as often as stands here, each
try with a seed of its own. The ordinary suite tries the same things a few times. Uncounted, a Spark cluster of five
processes loses a task, a Python worker, an executor and a machine in one release
(`tests/engines/spark/test_spark_faults.py`).

- **refused**: Shoal said no in one sentence, and what stood before stood as it was.
- **whole**: a whole, verified state stood at the end; of a leak or an attack: nothing leaked, and nothing was gained
  beyond what is said beside it and in [threat-model.md](threat-model.md).
- **lost**: anything was lost, leaked or left half. One such try fails the run, and what it was counted in is left out
  here until it is mended and counted anew without a loss.
"""
KINDS = {
    "fault": ("Faults", "Disks that are full, files that vanish, processes that are killed."),
    "abuse": ("Abuse", "Input that is damaged, malformed or made to harm."),
    "messy": (
        "Messy files",
        "Files as spreadsheets, other countries and careless hands write them. *Refused* counts questions.",
    ),
    "leak": ("Leaks", "Places where a cell of the original could show that should not."),
    "attack": ("Attacks", "Outsiders who have the release and know something."),
    "load": ("Load", "Much at once, for long, with little room."),
}
COUNTS = ("tried", "refused", "whole", "lost")


def sums(accounts: Sequence[Account]) -> list[str]:
    return [f"{sum(account[name] for account in accounts):,}" for name in COUNTS]


def page(accounts: Sequence[Account]) -> str:
    """A table for each kind, with its sums, and one of all at the top."""
    kinds = [*KINDS, *sorted({account["kind"] for account in accounts} - set(KINDS))]
    members = {kind: [account for account in accounts if account["kind"] == kind] for kind in kinds}
    members = {kind: found for kind, found in members.items() if found}
    overview = [(KINDS.get(kind, (kind,))[0], len(found), *sums(found)) for kind, found in members.items()]
    total = ("**in all**", len(accounts), *(f"**{number}**" for number in sums(accounts)))
    parts = [HEAD, table(["kind", "things", *COUNTS], [*overview, total])]
    for kind, found in members.items():
        title, about = KINDS.get(kind, (kind, ""))
        rows = [
            (_sentence(each["name"]), each["outcome"], *(f"{each[name]:,}" for name in COUNTS))
            for each in sorted(found, key=lambda each: each["name"])
        ]
        rows.append(("**in all**", "", *(f"**{number}**" for number in sums(found))))
        parts.append(f"## {title}\n\n{about}\n\n{table(['what was done', 'what Shoal does', *COUNTS], rows)}")
    return "\n".join(parts)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def pages(docs: Path, results: Path) -> dict[Path, str]:
    """The page, where there are results."""
    if not results.is_file():
        return {}
    parts = json.loads(results.read_text(encoding="utf-8"))
    return {docs / "reliability.md": page([account for accounts in parts.values() for account in accounts])}
