"""Attack: unsorted matching. The rows of a release stand in the order of a list that somebody has."""

from __future__ import annotations

from intruder import KNOWN, SECRET, classes, members, persons, release
from ledger import Ledger, tries

import shoal


def by_place(names: list[int], published: list[object]) -> dict[int, object]:
    """Who has the list takes the row beside each name."""
    return dict(zip(names, published, strict=True))


def test_rows_in_the_order_of_the_table_give_everybody_away(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "unsorted matching, rows in the order of the table",
        "A release keeps the order of its table, and k does not protect from one who has a list in that order: he finds"
        " every row; two releases in one order are linked by it, and `verify --against` says so.",
    )
    for number in tries(few=3, full=40):
        with account.trial():
            table = persons(number)
            anonymized, other = release(table, 4), release(table, 4, method="mondrian")
            guesses = by_place(list(range(table.height)), anonymized.table[SECRET].to_list())
            assert [guesses[person] for person in range(table.height)] == table[SECRET].to_list()
            joint = members([*zip(classes(anonymized.table), classes(other.table), strict=True)])
            found = sum(len(rows) for rows in joint.values() if len(rows) < 4)
            verification = shoal.verify(anonymized.table, k=4, quasi_identifiers=KNOWN, against=other.table)
            assert verification.together.linked_by == "order"
            assert verification.together.release.violations == found > 0
            account.whole += 1


def test_shuffled_rows_hide_among_their_class_again(ledger: Ledger) -> None:
    account = ledger.account(
        "attack",
        "unsorted matching, rows shuffled (`--shuffle`)",
        "The place of a row tells nothing: the class of a person is as large as before, and the row beside a name is"
        " right by chance alone.",
    )
    for number in tries(few=3, full=40):
        with account.trial():
            table = persons(number).with_row_index("person")  # by which the test knows whose row it is
            plain = release(table, 4, keep="person")
            anonymized = release(table, 4, keep="person", shuffle=True, seed=number)
            guesses = by_place(list(range(table.height)), anonymized.table["person"].to_list())
            assert sum(row == person for person, row in guesses.items()) < 8, "one in the mean, whatever the size"
            assert {own: len(rows) for own, rows in members(classes(anonymized.table)).items()} == {
                own: len(rows) for own, rows in members(classes(plain.table)).items()
            }
            assert sorted(map(str, anonymized.table.rows())) == sorted(map(str, plain.table.rows()))
            account.whole += 1
