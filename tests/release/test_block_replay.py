"""Releases in blocks: the policy records them and replays to the same bytes on any number of threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.domain import Policy
from shoal.errors import OptionError, PolicyError
from shoal.microaggregation import search_strata
from shoal.search import budget

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")
KEYS = ["age", "height_cm", "income"]
OPTIONS: dict[str, Any] = {"k": 4, "quasi_identifiers": KEYS, "identifiers": ["person_id", "name"]}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return shoal.example_register(rows=500)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of some hundred records are searched in blocks."""
    monkeypatch.setattr(search_strata, "MAX_UNITS", 150)
    monkeypatch.setattr(search_strata, "_BLOCK", 100)
    monkeypatch.setattr(search_strata, "_SMALLEST", 50)
    monkeypatch.setattr(budget, "_STEPS", {"fast": (0, 0), "balanced": (150, 10**6), "best": (300, 10**6)})


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("more", [{"refine": False}, {"effort": "fast"}, {}, {"l": 2, "sensitive": ["diagnosis"]}])
def test_a_policy_with_blocks_makes_the_release_again(people: pl.DataFrame, tmp_path: Path, more: dict) -> None:
    release = shoal.anonymize(people, **OPTIONS, blocks=100, **more)
    assert release.verification.ok
    assert release.partition.account[0].startswith("auto ran in ")
    text = release.policy.to_toml()
    assert text.startswith("# A Shoal policy")
    assert "format = 5\n" in text
    assert "blocks = 100\n" in text
    place = tmp_path / "policy.toml"
    place.write_text(text)
    assert Policy.read(place).blocks == 100
    for threads in (1, 2):
        again = shoal.replay(people, policy=place, threads=threads)
        assert again.table.equals(release.table)
        assert again.policy.to_toml() == text


def test_a_policy_without_blocks_says_nothing_of_them(people: pl.DataFrame) -> None:
    release = shoal.anonymize(people, **OPTIONS, method="mdav", threads=2)
    text = release.policy.to_toml()
    assert "format = 4\n" in text
    assert "blocks" not in text
    assert "threads" not in text
    assert Policy.from_toml(text.encode(), path="p").blocks is None


@pytest.mark.parametrize("spoilt", ["blocks = 0", "blocks = -1", 'blocks = "many"', "blocks = true", "blocks = 2.5"])
def test_a_policy_with_other_blocks_is_refused(people: pl.DataFrame, spoilt: str) -> None:
    text = shoal.anonymize(people, **OPTIONS, method="mdav", blocks=100).policy.to_toml()
    with pytest.raises(PolicyError, match=r"no room|wrong type|a whole number of at least 1"):
        Policy.from_toml(text.replace("blocks = 100", spoilt).encode(), path="p")


def test_a_policy_with_blocks_too_small_for_its_k(people: pl.DataFrame) -> None:
    policy = shoal.anonymize(people, **OPTIONS, method="mdav", blocks=8).policy
    text = policy.to_toml().replace("blocks = 8", "blocks = 7")
    with pytest.raises(OptionError, match="at most 7 records cannot be cut for k = 4"):
        shoal.replay(people, policy=Policy.from_toml(text.encode(), path="p"))


@pytest.mark.usefixtures("small")
def test_seconds_replay_to_the_same_bytes(people: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock ends the search after some blocks: as many are searched when it is made again."""
    whole = shoal.anonymize(people, **OPTIONS)
    ticks = iter(range(10**6))
    with monkeypatch.context() as clock:
        clock.setattr(budget.time, "monotonic", lambda: float(next(ticks)))
        release = shoal.anonymize(people, **OPTIONS, time_limit=30, threads=1)
    search = release.partition.search
    assert search is not None
    assert search.timed
    assert 0 < search.descent_passes[0] < whole.partition.search.descent_passes[0]
    assert release.policy.refinement.descent_passes == search.descent_passes
    again = shoal.replay(people, policy=release.policy, threads=2)
    assert again.table.equals(release.table)


@pytest.mark.parametrize("threads", [0, -1, 2.5, "two", 5000])
def test_threads_are_a_whole_number(people: pl.DataFrame, threads: Any) -> None:
    with pytest.raises(OptionError, match="'threads' has a value"):
        shoal.anonymize(people, **OPTIONS, method="mdav", threads=threads)
    with pytest.raises(OptionError, match="'threads' has a value"):
        shoal.partition(people.select(KEYS), k=4, method="mdav", threads=threads)


def test_blocks_are_checked_before_anything_is_done(people: pl.DataFrame) -> None:
    with pytest.raises(OptionError, match="at most 7 records cannot be cut for k = 4"):
        shoal.anonymize(people, **OPTIONS, blocks=7)
