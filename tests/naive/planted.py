"""Columns that name persons, to be planted in a table: by their names, by their values, or by both."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from hypothesis import strategies as st

from shoal.errors import ColumnError

Release = Callable[[pl.DataFrame, Path, dict[str, Any]], pl.DataFrame]
"""Releases a frame with the given roles by way of some interface; in the folder it may write files."""

GIVEN = ("Anna", "Peter", "Maria", "Thomas", "Laura", "Julia", "Michael", "Sophie", "Daniel", "Sarah", "Paul", "Emma")
FAMILY = ("Schmidt", "Miller", "Martin", "Rossi", "Garcia", "Kowalski", "Jansen", "Fischer", "Weber", "Smith")
LABELS = {
    "mail": ("email", "E-Mail", "kontakt", "column_7"),
    "phone": ("phone", "Telefon", "contact", "column_7"),
    "name": ("name", "Nachname", "kontakt", "column_7"),
    "forename": ("Vorname", "first_name", "prenom"),
    "code": ("person_id", "x", "column_7"),
}
"""What such a column may be called. Forenames are recognized by the name of their column."""


class Planted(NamedTuple):
    """A table with a planted column."""

    frame: pl.DataFrame
    column: str

    @property
    def cells(self) -> list[str]:
        return self.frame[self.column].drop_nulls().unique().to_list()


def _cell(kind: str, number: int) -> str:
    given, family = GIVEN[number % len(GIVEN)], FAMILY[number // len(GIVEN) % len(FAMILY)]
    return {
        "mail": f"{given}.{family}{number}@example.org".lower(),
        "phone": f"+49 30 {5550000 + 7919 * number}",
        "name": f"{given} {family}",
        "forename": given,
        "code": f"Q{(number * 7919) % 100_003:06}",
    }[kind]


def planted(kind: str, label: str, *, rows: int, distinct: int, gaps: int = 0) -> Planted:
    """Persons with an age and an answer, and a column of about equally frequent values."""
    cells: list[Any] = [_cell(kind, number if kind == "code" else number % distinct) for number in range(rows)]
    cells = [None if gaps and number % gaps == 0 else cell for number, cell in enumerate(cells)]
    ages = [18 + number * 7 % 60 for number in range(rows)]
    answers = [("yes", "no", "perhaps")[number % 3] for number in range(rows)]
    return Planted(pl.DataFrame({"age": ages, label: cells, "answer": answers}), label)


@st.composite
def plantings(draw: st.DrawFn) -> Planted:
    kind = draw(st.sampled_from(sorted(LABELS)))
    rows = draw(st.integers(60, 200))
    return planted(
        kind,
        draw(st.sampled_from(LABELS[kind])),
        rows=rows,
        distinct=draw(st.integers(rows // 4, rows)),
        gaps=draw(st.sampled_from([0, 0, 5])),
    )


def check(release: Release, planted: Planted) -> None:
    """Without a word it is refused; dropped, no cell of it is left; kept, it is as it was."""
    frame, column = planted

    def made(**roles: Any) -> pl.DataFrame:
        with tempfile.TemporaryDirectory() as folder:
            return release(frame, Path(folder), roles)

    with pytest.raises(ColumnError) as caught:
        made()
    assert "1 column without a role looks like an identifier" in str(caught.value)
    assert repr(column) in str(caught.value)
    assert not any(cell in str(caught.value) for cell in planted.cells)
    for roles in ({"identifiers": column}, {"drop_others": True}):
        released = made(**roles)
        assert column not in released.columns
        text = released.write_csv()
        assert not any(cell in text for cell in planted.cells)
    assert made(keep=column)[column].to_list() == frame[column].to_list()
