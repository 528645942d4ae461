"""The walk on a cluster: from a frame of Spark to a verified frame, or from Parquet to a verified folder of Parquet.

It is the walk in pieces with Spark as its engine. A folder appears under its name when Spark has read it back and
counted that it keeps the promise, and not before.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import warnings as python_warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from shoal import tables
from shoal.decide import decide
from shoal.engines.sizing import sizing, whole_bytes
from shoal.errors import EngineError, OutputError, ShoalError, ShoalWarning, in_python
from shoal.pieced import (
    MEMORY,
    Decided,
    Delivered,
    LargeRelease,
    Stages,
    Worked,
    check_asked,
    check_fits,
    delivered,
    released,
    replayed,
    worked,
)
from shoal.release import printable, uninterrupted, versions
from shoal.schema import Kind, Names, Policy, Schema
from shoal.tables.large import Survey
from shoal.threads import using
from shoal.understanding import Hierarchies, Levels
from shoal.values import Progress, silent, whole_k

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.source import Source
    from shoal.engines.spark.storage import Storage

More = Mapping[Path, str]
"""Further files about a release, by their places on this machine."""
_POLICY, _MARK, RELEASED = ".policy.toml", "_SUCCESS", "released"


def anonymize_frame(
    frame: DataFrame,
    *,
    k: int,
    quasi_identifiers: Names,
    memory: int | str = MEMORY,
    scratch: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    **decisions: Any,
) -> ReleasedFrame:
    """Release a frame of Spark: `shoal.anonymize` comes here with one.

    Parameters
    ----------
    frame
        It is evaluated once and kept as it is then, in the scratch folder.
    k, quasi_identifiers, decisions
        As for `shoal.anonymize`. What needs the whole table at once is refused: wildcards, households, strata, sampling
        weights and seconds.
    memory
        What a Python worker may take, in bytes or as words such as ``2GB``: pieces are made small enough for it.
    scratch
        The address of a folder that all machines reach. Where none is named: the checkpoint folder of the session, or
        on one machine a temporary folder. What is made in it is removed in the end; the release stays there until
        Spark's own process ends.
    threads
        How many work on the driver. The release does not depend on it.
    progress
        Called with the number of records done and of all records.

    Returns
    -------
    ReleasedFrame
        A DataFrame of Spark, which also tells what is known of the release: ``verification``, ``evaluation``,
        ``policy``. Its records have an order that depends on what they show.
    """
    from shoal.engines.spark.source import check_names

    whole_k(k)
    check_names(frame)
    _check_early(frame.columns, k=k, quasi_identifiers=quasi_identifiers, **decisions)

    def decided(survey: Survey) -> Policy:
        return decide(survey.sample, k=k, quasi_identifiers=quasi_identifiers, **decisions)

    with using(threads):
        return _from_frame(frame, decided, memory, scratch, progress)


def replay_frame(
    frame: DataFrame,
    *,
    policy: Policy | str | os.PathLike[str],
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    memory: int | str = MEMORY,
    scratch: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ReleasedFrame:
    """The same by the decisions of a policy: `shoal.replay` comes here with a frame of Spark."""
    with using(threads):
        return _from_frame(frame, _replayed(policy, hierarchies, levels), memory, scratch, progress)


def _from_frame(
    frame: DataFrame, decided: Decided, memory: int | str, scratch: str | None, progress: Progress | None
) -> ReleasedFrame:
    from shoal.engines.spark.frame import ReleasedFrame
    from shoal.engines.spark.jobs import said_plainly
    from shoal.engines.spark.session import own_session, session_of
    from shoal.engines.spark.source import read, snapshot

    theirs, ceiling, stages = session_of(frame), whole_bytes(memory), Stages(progress or silent)
    with said_plainly(), _scratch(theirs, _frames_folder(theirs, scratch), keep=True) as folder:
        source = snapshot(own_session(theirs), frame, f"{folder}/table")
        part = f"{folder}/{RELEASED}"
        groups, found = _walked(source, folder, part, decided, ceiling, stages, ordered=False)
        policy = _noted(source, groups.plan.policy, found, {"kind": "spark"})
        made = released(groups, found, policy, part, in_order=False)
        shown = read(theirs, part)
    _warn(made)
    return ReleasedFrame(shown, made)


def _replayed(policy: Policy | str | os.PathLike[str], hierarchies: Hierarchies, levels: Levels) -> Decided:
    """The decisions of a policy, which a cluster can keep."""
    folders = [Path()]
    if not isinstance(policy, Policy):
        folders.insert(0, Path(policy).parent)
        policy = Policy.read(policy)
    kept = policy
    check_fits(kept)

    def decided(survey: Survey) -> Policy:
        return replayed(kept, survey, hierarchies=hierarchies, levels=levels, folders=folders)

    return decided


def anonymize_parquet(
    source: str,
    target: str,
    *,
    k: int,
    quasi_identifiers: Names,
    master: str | None = None,
    memory: int | str = MEMORY,
    scratch: str | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    more: Callable[[LargeRelease], More] | None = None,
    **decisions: Any,
) -> LargeRelease:
    """Release Parquet that Spark can reach to a folder of Parquet: `shoal.anonymize_file` comes here with ``spark``."""
    whole_k(k)

    def decided(survey: Survey) -> Policy:
        return decide(survey.sample, k=k, quasi_identifiers=quasi_identifiers, **decisions)

    def early(names: Sequence[str], records: int) -> None:
        _check_early(names, records, k=k, quasi_identifiers=quasi_identifiers, **decisions)

    with using(threads):
        return _from_to(source, target, decided, early, master, memory, scratch, force, progress, more)


def replay_parquet(
    source: str,
    target: str,
    *,
    policy: Policy | str | os.PathLike[str],
    hierarchies: Hierarchies = None,
    levels: Levels = None,
    master: str | None = None,
    memory: int | str = MEMORY,
    scratch: str | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    more: Callable[[LargeRelease], More] | None = None,
) -> LargeRelease:
    """The same by the decisions of a policy."""
    decided = _replayed(policy, hierarchies, levels)
    with using(threads):
        return _from_to(source, target, decided, None, master, memory, scratch, force, progress, more)


def _from_to(
    address: str,
    target: str,
    decided: Decided,
    early: Callable[[Sequence[str], int], None] | None,
    master: str | None,
    memory: int | str,
    scratch: str | None,
    force: bool,
    progress: Progress | None,
    more: Callable[[LargeRelease], More] | None,
) -> LargeRelease:
    from shoal.engines.spark.jobs import said_plainly
    from shoal.engines.spark.session import own_session
    from shoal.engines.spark.session import session as session_for
    from shoal.engines.spark.source import open_source
    from shoal.engines.spark.storage import Storage

    ceiling, stages = whole_bytes(memory), Stages(progress or silent)
    with session_for(master) as session, said_plainly():
        storage = Storage(session)
        address, place = storage.located(address), storage.full(storage.located(target))
        _check_place(storage, place, address, force=force)
        with ExitStack() as folders:
            # what is to appear is moved there in one step, so it is written on the same file system
            beside = folders.enter_context(_scratch(session, storage.parent(place)))
            folder = beside if scratch is None else folders.enter_context(_scratch(session, scratch))
            source = open_source(own_session(session), address)
            _check_apart(storage, place, source)
            if early:
                early(source.names, source.records)
            part, written = f"{beside}/{RELEASED}", f"{beside}/policy"
            groups, found = _walked(source, folder, part, decided, ceiling, stages, ordered=True)
            facts = {"kind": "parquet", "file": printable(storage.name(address))}
            policy = _noted(source, groups.plan.policy, found, facts)
            kept = policy.with_output(**{**policy.output, "file": printable(storage.name(place))})
            made = released(groups, found, kept, place)
            storage.write(written, kept.to_toml())
            with ExitStack() as stack:
                for other, content in (more(made) if more else {}).items():
                    aside = stack.enter_context(tables.aside(other, force=force))
                    aside.write_text(content, encoding="utf-8", newline="\n")
                with uninterrupted():
                    _appear(storage, part, written, place, force=force)
                    stack.close()
    _warn(made)
    return made


def _check_early(
    names: Sequence[str],
    records: int | None = None,
    *,
    k: int,
    quasi_identifiers: Names,
    identifiers: Names = (),
    sensitive: Names = (),
    keep: Names = (),
    missing_values: str = "category",
    seconds: float | None = None,
    sampling_weights: str | None = None,
    strata: Names = (),
    households: str | None = None,
    **_: Any,
) -> None:
    """Refuse what is known to be wrong without a look at the records, which may take long."""
    whole_k(k, records)
    kinds = [(name, Kind.NOMINAL) for name in names]
    roles = {"quasi_identifiers": quasi_identifiers, "identifiers": identifiers, "sensitive": sensitive, "keep": keep}
    Schema.assign(kinds, **roles)
    check_asked(
        wildcards=missing_values == "wildcard",
        households=bool(households),
        strata=bool(strata),
        sampling_weights=bool(sampling_weights),
        seconds=seconds is not None,
    )


def _check_place(storage: Storage, place: str, address: str, *, force: bool) -> None:
    """Refuse early what could not be written later: above all the place of the input."""
    if _is_inside(storage.real(place), storage.real(address)) or _is_inside(storage.real(address), storage.real(place)):
        raise OutputError.is_input(place)
    if not storage.is_there(storage.parent(place)):
        raise OutputError.no_folder(storage.parent(place))
    for output in (place, place + _POLICY):
        if not force and storage.is_there(output):
            raise OutputError.exists(output)


def _check_apart(storage: Storage, place: str, source: Source) -> None:
    """Refuse a place that holds a file of the input, by whichever pattern or link that was named."""
    if any(_is_inside(storage.real(unquote(path)), storage.real(place)) for path in source.files):
        raise OutputError.is_input(place)


def _is_inside(address: str, folder: str) -> bool:
    return f"{address}/".startswith(f"{folder.rstrip('/')}/")


def _appear(storage: Storage, part: str, policy: str, place: str, *, force: bool) -> None:
    """Move the release to its place, then its policy: a policy never speaks of a release that is not there.

    What is replaced is moved away before, and removed when all is there. It is in no scratch folder: whatever happens
    in between, it is not lost.
    """
    old = f"{storage.parent(place)}/.shoal-old-{secrets.token_hex(8)}"
    there = [output for output in (place + _POLICY, place) if force and storage.is_there(output)]
    at_once = storage.moves_at_once(place)
    storage.open_up(part)
    if not at_once:  # the files come one by one, and readers wait for the mark that there are all of them
        storage.remove(f"{part}/{_MARK}")
    if there:
        storage.make_folder(old)
    away: list[str] = []
    arrived = False
    try:
        for output in there:
            storage.move(output, f"{old}/{storage.name(output)}")
            away.append(output)
        storage.move(part, place)
        arrived = True
        if not at_once:
            storage.write(f"{place}/{_MARK}", "")
        storage.move(policy, place + _POLICY)
    except BaseException:
        _undone(storage, place, old, away, arrived=arrived)
        raise
    if there:
        storage.remove(old)


def _undone(storage: Storage, place: str, old: str, away: list[str], *, arrived: bool) -> None:
    """All as it was before; where that cannot be, the folder is named that has what was there."""
    try:
        if arrived:
            storage.remove(place)
        for output in reversed(away):
            storage.move(f"{old}/{storage.name(output)}", output)
        whole = storage.is_empty(old)  # a move that failed half way may have left a part there
    except ShoalError:
        whole = False
    if not whole:
        raise OutputError.moved_away(place, old) from None
    storage.remove(old)


def _walked(
    source: Source, folder: str, part: str, decided: Decided, ceiling: int, stages: Stages, *, ordered: bool
) -> tuple[Worked, Delivered]:
    """Survey, decide, deal out, work, deliver, verify."""
    from shoal.engines.spark.engine import SparkEngine

    engine = SparkEngine(source, folder, ordered=ordered)
    groups = worked(engine, decided, sizing(ceiling, columns=len(source.names)), stages)
    return groups, delivered(engine, groups, part, stages)


def _noted(source: Source, policy: Policy, found: Delivered, facts: Mapping[str, Any]) -> Policy:
    """The policy with what is known of the table and of its release."""
    known = replace(
        policy,
        input={**facts, "records": source.records},
        versions={**versions(), "spark": source.session.version},
    )
    proof = found.proof
    return known.with_output(records=proof.records, classes=proof.classes, min_class=proof.min_class)


@contextmanager
def _scratch(session: SparkSession, base: str, *, keep: bool = False) -> Iterator[str]:
    """A private folder for what is done on the way; it goes when the run ends, or with Spark's own process.

    With ``keep`` a run that ends well leaves the folder ``released`` in it.
    """
    from shoal.engines.spark.storage import Storage

    storage = Storage(session)
    folder = f"{storage.full(storage.located(base)).rstrip('/')}/.shoal-scratch-{secrets.token_hex(8)}"
    storage.make_folder(folder)
    storage.remove_at_exit(folder)
    try:
        yield folder
    except BaseException:
        with suppress(ShoalError):  # what went wrong before is what is told
            storage.remove(folder)
        raise
    if keep:
        storage.keep_only(folder, RELEASED)
    else:
        storage.remove(folder)


def _frames_folder(session: SparkSession, scratch: str | None) -> str:
    context = session.sparkContext
    if scratch is not None:
        return scratch
    if found := context.getCheckpointDir():
        return found
    if not str(context.master).startswith("local"):
        raise EngineError.no_scratch()
    return tempfile.gettempdir()


def _warn(made: LargeRelease) -> None:
    for sentence in made.warnings:
        python_warnings.warn(in_python(sentence), ShoalWarning, stacklevel=4)
