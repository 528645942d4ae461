"""What Python workers run to make a release: the plan, block by block and piece by piece, and nothing beside it.

The column ``row`` numbers the records of the table; the others are named by their places in it.
"""

from __future__ import annotations

import hashlib
import hmac
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.engines.facts import Facts, facts_of
from shoal.engines.plan import ROW, TYPED, WORDS, Plan, tally
from shoal.engines.spark.places import Places
from shoal.errors import PromiseError
from shoal.measure.pieces import Sums
from shoal.tables.large import batches
from shoal.values import IntMatrix, IntVector

FACTS, PIECE, PLACE = "facts", "piece", "place"
LEAF, CODE, COUNT = "leaf", "code", "count"
ALL = -1
"""The code under which all records of a leaf are counted."""


class Dealing(NamedTuple):
    """A plan, and where the records of its leaves go."""

    names: Mapping[str, str]
    """The names of the columns that groups depend on, by their keys."""
    plan: Plan
    places: Places | None = None
    """None where it is not decided yet."""


def deal(state: Dealing, given: Iterator[Any]) -> Iterator[Any]:
    """How many records fall into each leaf, and how often each sensitive value is among them."""
    plan = state.plan
    leaves, tallies = np.zeros(plan.cuts.count, dtype=np.int64), plan.no_tallies()
    for block in batches.blocks(given):
        records = plan.encode(batches.chunk_of(block, state.names))
        leaf = plan.deal(records)
        leaves += np.bincount(leaf, minlength=len(leaves))
        if tallies is not None:
            for number in np.unique(leaf).tolist():
                tally(records, np.flatnonzero(leaf == number), tallies[number])
    yield from _counted(leaves, tallies)


def _counted(leaves: IntVector, tallies: IntMatrix | None) -> Iterator[Any]:
    some = np.flatnonzero(leaves)
    yield batches.batch_of({LEAF: some, CODE: np.full(len(some), ALL), COUNT: leaves[some]})
    if tallies is not None:
        leaf, code = np.nonzero(tallies)
        yield batches.batch_of({LEAF: leaf, CODE: code, COUNT: tallies[leaf, code]})


def rows_of_leaves(state: Dealing, given: Iterator[Any]) -> Iterator[Any]:
    """The numbers of the records in leaves that are to be sliced."""
    sliced = np.array([] if state.places is None else [*state.places.ranks], dtype=np.int64)
    for block in batches.blocks(given):
        leaf = _leaves(state, block)
        some = np.isin(leaf, sliced)
        yield batches.batch_of({ROW: batches.numbers_of(block, ROW)[some], LEAF: leaf[some]})


def tallies(state: Dealing, given: Iterator[Any]) -> Iterator[Any]:
    """How often each sensitive value is among the records of each place."""
    plan, where = state.plan, state.places
    if where is None or plan.sensitive is None:
        return
    found = np.zeros((len(where.piece), int(plan.sensitive.demands.first[-1])), dtype=np.int64)
    for block in batches.blocks(given):
        records = plan.encode(batches.chunk_of(block, state.names))
        at = where.of(plan.deal(records), batches.numbers_of(block, ROW))
        for number in np.unique(at[at >= 0]).tolist():
            tally(records, np.flatnonzero(at == number), found[number])
    place, code = np.nonzero(found)
    yield batches.batch_of({PLACE: place, CODE: code, COUNT: found[place, code]})


def place(state: Dealing, given: Iterator[Any]) -> Iterator[Any]:
    """The same records, each with its piece and its place in the order of all pieces."""
    for block in batches.blocks(given):
        if state.places is not None:
            at = state.places.of(_leaves(state, block), batches.numbers_of(block, ROW))
            yield from batches.extended(block, {PLACE: at, PIECE: state.places.piece[at]})


def _leaves(state: Dealing, block: list[Any]) -> IntVector:
    return state.plan.deal(state.plan.encode(batches.chunk_of(block, state.names)))


class Working(NamedTuple):
    """A plan, what is handed out, and the key that seals what is said about pieces."""

    names: Mapping[str, str]
    """The names of the columns that groups depend on, by their keys."""
    plan: Plan
    kept: Sequence[str]
    """The keys of the columns that are handed out, in their order."""
    key: bytes


def work(state: Working, given: Iterator[Any]) -> Iterator[Any]:
    """What the records of each piece show, and then the facts of the piece; pieces come one after another."""
    for number, block in batches.runs(given, PIECE):
        yield from _piece(state, number, batches.in_order(block, PLACE, ROW))


def _piece(state: Working, number: int, block: list[Any]) -> Iterator[Any]:
    plan = state.plan
    chunk = batches.chunk_of(block, state.names)
    made = plan.work(plan.encode(chunk))
    words = {key: tuple(texts) for key, texts in made.words.items()}
    released, sums = plan.deliver(chunk, made.columns, words)
    fresh, texts, new = batches.Fresh(released, block), [], dict[str, Any]()
    for key, name in state.names.items():
        if name not in plan.base.names:
            continue
        form = plan.form(name)
        if form == WORDS:
            new[key] = fresh.texts(name)
            if typed(key) in state.kept:
                texts += [name] if fresh.is_text(name) else []
                new[typed(key)] = None if fresh.is_text(name) else fresh.like(name, key)
        else:
            new[key] = fresh.like(name, key) if form == TYPED else fresh.numbers(name)
    said = sealed((number, {**facts_of(made), "texts": texts}, sums), state.key)
    yield from batches.handed_back(block, [ROW, *state.kept], new, row=ROW, said=(FACTS, said))


def typed(key: str) -> str:
    """The key of the cells of a column of words in the type that it had: it has them if all pieces have."""
    return f"{key}t"


def sealed(said: Any, key: bytes) -> bytes:
    """Something to say to the driver, so that it can tell that one of its workers said it."""
    data = pickle.dumps(said, protocol=pickle.HIGHEST_PROTOCOL)
    return hmac.digest(key, data, hashlib.sha256) + data


def opened(data: bytes, key: bytes) -> tuple[int, Facts, Sums]:
    """What a worker said; what bears another seal is not even looked at."""
    mark, said = data[:32], data[32:]
    if not hmac.compare_digest(mark, hmac.digest(key, said, hashlib.sha256)):
        raise PromiseError.changed("facts of a piece that no worker of this run has sealed")
    found: tuple[int, Facts, Sums] = pickle.loads(said)  # noqa: S301 - sealed by a worker of this run
    return found
