"""Tasks of Python workers that make a release: the plan applied to blocks and parts.

The column ``row`` holds the row numbers; the other columns are named by their positions in the table.
"""

from __future__ import annotations

import hashlib
import hmac
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from shoal.data.chunked import arrow_batches
from shoal.domain import IntVector
from shoal.engines.part_totals import summarize_part
from shoal.engines.parts import PartPositions
from shoal.engines.parts_plan import ORIGINAL_TYPE, ROW, TEXTS, EncodedRecords, PartsPlan, add_value_counts
from shoal.errors import PromiseError
from shoal.metrics.evaluate import compute_risk_sums

FACTS, PART, POSITION, WEIGHT = "facts", "part", "position", "weight"
LEAF, CODE, COUNT, HOUSEHOLD = "leaf", "code", "count", "household"
ALL = -1
"""Code under which all records of a leaf are counted."""


class PartitionState(NamedTuple):
    """State of the partition tasks: a plan, and the parts of its leaves."""

    names: Mapping[str, str]
    """Names of the columns that the groups depend on, by key."""
    plan: PartsPlan
    positions: PartPositions | None = None
    """None before the parts are known."""


def leaves_of_members(state: PartitionState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the household of each record, and the leaf that the record itself belongs to."""
    for block in arrow_batches.blocks(input_batches):
        encoded = state.plan.encode(arrow_batches.chunk_of(block, state.names))
        leaf, rows = state.plan.assign_leaves(encoded), arrow_batches.numbers_of(block, ROW)
        yield arrow_batches.batch_of({ROW: rows, HOUSEHOLD: encoded.households, LEAF: leaf})


def count_leaves(state: PartitionState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Count the records of each leaf and their sensitive values."""
    plan = state.plan
    counts, value_counts = np.zeros(plan.n_leaves, dtype=np.int64), plan.zero_value_counts(plan.n_leaves)
    for block in arrow_batches.blocks(input_batches):
        encoded = plan.encode(arrow_batches.chunk_of(block, state.names))
        leaf = _leaves(state, block, encoded)
        counts += np.bincount(leaf, minlength=len(counts))
        add_value_counts(encoded.records, leaf, value_counts)
    some = np.flatnonzero(counts)
    yield arrow_batches.batch_of({LEAF: some, CODE: np.full(len(some), ALL), COUNT: counts[some]})
    leaf, code = np.nonzero(value_counts)
    yield arrow_batches.batch_of({LEAF: leaf, CODE: code, COUNT: value_counts[leaf, code]})


def rows_of_leaves(state: PartitionState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the row numbers of the records in leaves that are cut into slices."""
    large_leaves = np.array([] if state.positions is None else [*state.positions.ranks], dtype=np.int64)
    for block in arrow_batches.blocks(input_batches):
        leaf = _leaves(state, block)
        some = np.isin(leaf, large_leaves)
        yield arrow_batches.batch_of({ROW: arrow_batches.numbers_of(block, ROW)[some], LEAF: leaf[some]})


def count_slice_values(state: PartitionState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Count the sensitive values of each slice."""
    plan, parts = state.plan, state.positions
    if parts is None:
        return
    counts = plan.zero_value_counts(len(parts.part) + 1)  # the last row counts the records of no slice, at position -1
    for block in arrow_batches.blocks(input_batches):
        encoded = plan.encode(arrow_batches.chunk_of(block, state.names))
        positions = parts.of(plan.assign_leaves(encoded), arrow_batches.numbers_of(block, ROW))
        add_value_counts(encoded.records, positions, counts)
    position, code = np.nonzero(counts[:-1])
    yield arrow_batches.batch_of({POSITION: position, CODE: code, COUNT: counts[position, code]})


def assign_positions(state: PartitionState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the records with their part and their position in the order of all parts."""
    for block in arrow_batches.blocks(input_batches):
        if state.positions is not None:
            leaf = _leaves(state, block)
            positions = state.positions.of(leaf, arrow_batches.numbers_of(block, ROW))
            yield from arrow_batches.with_columns(block, {POSITION: positions, PART: state.positions.part[positions]})


def _leaves(state: PartitionState, block: list[Any], encoded: EncodedRecords | None = None) -> IntVector:
    """Return the leaf of each record; the driver has assigned the members of households."""
    if state.plan.policy.survey.households:
        return arrow_batches.numbers_of(block, LEAF)
    return state.plan.assign_leaves(encoded or state.plan.encode(arrow_batches.chunk_of(block, state.names)))


class ProcessState(NamedTuple):
    """State of the processing task: a plan, the output columns, and the key that signs part summaries."""

    names: Mapping[str, str]
    """Names of the columns that the groups depend on, by key."""
    plan: PartsPlan
    output_keys: Sequence[str]
    """Keys of the output columns, in order."""
    key: bytes


def process_parts(state: ProcessState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the recoded records of each part, then its summary; the records of a part are adjacent."""
    for number, block in arrow_batches.groups_by_key(input_batches, PART):
        yield from _piece(state, number, arrow_batches.sort(block, POSITION, ROW))


def _piece(state: ProcessState, number: int, block: list[Any]) -> Iterator[Any]:
    plan = state.plan
    chunk = arrow_batches.chunk_of(block, state.names)
    result = plan.process_part(plan.encode(chunk), number)
    words = {key: tuple(texts) for key, texts in result.interval_texts.items()}
    released, sums, _ = plan.release_chunk(chunk, result.columns, words)
    arrays, texts, replaced = arrow_batches.ReleasedArrays(released, block), [], dict[str, Any]()
    for key, name in state.names.items():
        if name not in plan.encoder.names:
            continue
        form = plan.output_form(name)
        if form == TEXTS:
            replaced[key] = arrays.texts(name)
            if original_type_key(key) in state.output_keys:
                texts += [name] if arrays.is_text(name) else []
                replaced[original_type_key(key)] = None if arrays.is_text(name) else arrays.original_type(name, key)
        else:
            replaced[key] = arrays.original_type(name, key) if form == ORIGINAL_TYPE else arrays.numbers(name)
    message = sign((number, {**summarize_part(result), "texts": texts}, sums), state.key)
    yield from arrow_batches.output_batches(
        block, [ROW, *state.output_keys], replaced, row=ROW, message=(FACTS, message)
    )


class RiskState(NamedTuple):
    """State of the risk task: k, and the key that signs its sums."""

    k: int
    key: bytes


def sum_risks(state: RiskState, input_batches: Iterator[Any]) -> Iterator[Any]:
    """Sum the risks over classes, each with its size and the sum of its sampling weights."""
    classes = [
        (arrow_batches.numbers_of(block, COUNT), arrow_batches.floats_of(block, WEIGHT))
        for block in arrow_batches.blocks(input_batches)
    ]
    if classes:
        yield arrow_batches.batch_of({FACTS: [sign(compute_risk_sums(classes, state.k), state.key)]})


def original_type_key(key: str) -> str:
    """Return the key of the original-type version of a text column; it is used if all parts have it."""
    return f"{key}t"


def sign(message: Any, key: bytes) -> bytes:
    """Sign a message to the driver, which thereby recognizes its own workers."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return hmac.digest(key, data, hashlib.sha256) + data


def verify_signature(data: bytes, key: bytes) -> Any:
    """Verify and unpickle a message of a worker; a message with a wrong signature is never unpickled."""
    signature, payload = data[:32], data[32:]
    if not hmac.compare_digest(signature, hmac.digest(key, payload, hashlib.sha256)):
        raise PromiseError.unexpected_content("facts of a piece that no worker of this run has sealed")
    return pickle.loads(payload)  # noqa: S301 - sealed by a worker of this run
