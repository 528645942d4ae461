"""Verification: is every record of this table alike at least k - 1 others?

It looks at released values only, with a group-by and a count, and shares nothing with the methods.
"""

from __future__ import annotations

from shoal import tables
from shoal.errors import PromiseError
from shoal.schema import Names, Role, Schema, chosen
from shoal.tables import Table
from shoal.values import Verification, whole_k


def verify(table: Table, *, k: int, quasi_identifiers: Names) -> Verification:
    """Count the classes of a table on the values that it shows. A missing value is a value of its own."""
    k = whole_k(k)
    names = chosen(quasi_identifiers, table.names, Role.QUASI_IDENTIFIER)
    sizes = tables.class_sizes(table, names)
    return Verification(
        k=k,
        records=len(sizes),
        classes=round(float((1.0 / sizes).sum())),
        min_class=int(sizes.min()),
        violations=int((sizes < k).sum()),
        unique_records=int((sizes == 1).sum()),
        quasi_identifiers=names,
    )


def verify_release(released: Table, *, k: int, schema: Schema, records: int) -> Verification:
    """Verify a release of this schema: its records, its columns, then its classes. Raise where it breaks."""
    if released.height != records:
        raise PromiseError.changed(f"{released.height:,} records instead of {records:,}")
    if released.names != schema.released:
        raise PromiseError.changed("other columns than the schema releases")
    proof = verify(released, k=k, quasi_identifiers=schema.quasi_identifiers)
    if not proof:
        raise PromiseError.below_k(records=proof.violations, k=k, smallest=proof.min_class)
    return proof
