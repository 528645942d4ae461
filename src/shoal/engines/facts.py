"""Facts: what is noted of a piece when it is done, and what the facts of all pieces say together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from shoal.engines.interface import Done
from shoal.engines.plan import Shown
from shoal.errors import PromiseError
from shoal.measure.sums import Tally, total
from shoal.values import IntVector

Facts = dict[str, Any]
"""As JSON can hold them."""


def facts_of(made: Shown) -> Facts:
    """The facts of a piece."""
    return {
        "records": made.records,
        "before": _histogram(made.before),
        "groups": _histogram(made.groups),
        "hidden": made.hidden,
        "account": list(made.account),
        "search": None if made.search is None else [made.search.before, made.search.after],
    }


def joined(found: Sequence[Facts]) -> Done:
    """What became of all pieces, from the facts of each in their order."""
    searches = [facts["search"] for facts in found if facts["search"] is not None]
    return Done(
        pieces=len(found),
        largest=max(facts["records"] for facts in found),
        before=_tally(facts["before"] for facts in found),
        groups=_tally(facts["groups"] for facts in found),
        hidden=sum(facts["hidden"] for facts in found),
        account=tuple(dict.fromkeys(sentence for facts in found for sentence in facts["account"])),
        errors=(sum(before for before, _ in searches), sum(after for _, after in searches)) if searches else None,
    )


def check_count(found: int, expected: int) -> None:
    """Refuse to go on where records were lost, or came twice."""
    if found != expected:
        raise PromiseError.changed(f"{found:,} records instead of {expected:,}")


def _histogram(sizes: IntVector) -> dict[str, list[int]]:
    tally = Tally.of(sizes)
    return {"sizes": tally.keys.tolist(), "counts": tally.counts.tolist()}


def _tally(found: Iterable[dict[str, list[int]]]) -> Tally:
    return total([Tally(np.array(each["sizes"]), np.array(each["counts"])) for each in found])
