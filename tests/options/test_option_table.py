"""One table declares the options of a release; signature, docstring, commands, policy and page agree with it."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import click
import numpy as np
import pytest

import shoal
from shoal.domain import Policy
from shoal.domain.recodings import RECODINGS
from shoal.errors import OptionError
from shoal.options.table import BY_NAME, GROUPS, RELEASE_OPTIONS, Option
from shoal.web.projects.model import ReleaseChoices

OTHER_ARGUMENTS = ("data", "threads", "progress", "options")
NOT_AS_THE_TABLE = {"round_integers", "own", "seconds", "suppress"}


def command(name: str) -> click.Command:
    return import_module(f"shoal.cli.{name}").command


def parameters(name: str) -> dict[str, click.Option]:
    return {option.name: option for option in command(name).params if isinstance(option, click.Option)}


def test_the_signature_has_the_names_and_defaults_of_the_table() -> None:
    signature = inspect.signature(inspect.unwrap(shoal.anonymize)).parameters
    declared = {name: parameter.default for name, parameter in signature.items() if name not in OTHER_ARGUMENTS}
    required = {option.name for option in RELEASE_OPTIONS if option.required}
    assert {name for name, default in declared.items() if default is inspect.Parameter.empty} == required
    assert {name: default for name, default in declared.items() if name not in required} == {
        option.name: option.default for option in RELEASE_OPTIONS if not option.required
    }


def test_the_docstring_describes_every_option_and_its_choices() -> None:
    text = inspect.getdoc(shoal.anonymize) or ""
    section = text.partition("Parameters\n----------\n")[2].partition("\nReturns\n")[0]
    entries = dict(re.findall(r"^(\w+) : .*\n((?:    .*\n)+)", section, re.MULTILINE))
    assert {name for name in entries if name not in OTHER_ARGUMENTS} == set(BY_NAME)
    for option in RELEASE_OPTIONS:
        for choice in option.choices:
            assert f"``{choice}``" in entries[option.name], (option.name, choice)


def test_commands_have_the_flags_of_the_table() -> None:
    anonymize = parameters("anonymize")
    for option in RELEASE_OPTIONS:
        flags = [flag for declared in option.flags for flag in declared.split("/")]
        assert [*anonymize[option.name].opts, *anonymize[option.name].secondary_opts] == flags
        assert anonymize[option.name].group == option.group
        assert option.group in GROUPS
    compared = parameters("compare").keys() & BY_NAME.keys()
    assert compared == BY_NAME.keys() - {"method", "blocks"}


@pytest.mark.parametrize("name", ["anonymize", "compare", "bound", "evaluate", "verify"])
def test_the_help_is_in_groups_and_one_sentence_starts_each_text(name: str) -> None:
    with click.Context(command(name), terminal_width=80, max_content_width=80) as context:
        lines = command(name).get_help(context).splitlines()
    headings = [line.rstrip(":") for line in lines if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert headings == [*(group for group in GROUPS if group in headings), "Options"]
    for option in parameters(name).values():
        assert option.hidden or (option.help or "")[:1].isupper() or name == "evaluate", option.name


@pytest.mark.parametrize("option", RELEASE_OPTIONS, ids=lambda option: option.name)
def test_defaults_are_valid_and_other_types_are_refused(option: Option) -> None:
    if not option.required:
        assert option.check(option.default) == option.default
    if option.type in (int, float, bool) or option.choices or option.validate:
        for wrong in (object(), [1, 2, 3]) if option.type is not str or option.choices else ():
            with pytest.raises(OptionError):
                option.check(wrong)
    if option.type in (int, float):
        for wrong in ("many", True, float("nan")):
            with pytest.raises(OptionError):
                option.check(wrong)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("seed", np.int64(3), 3),
        ("max_suppression", np.float64(0.5), 0.5),
        ("shuffle", np.bool_(True), True),
        ("alpha", 1, 1.0),
        ("weights", {"age": 2}, {"age": 2.0}),
        ("bounds", {"age": [0, 9]}, {"age": (0.0, 9.0)}),
    ],
)
def test_a_value_is_converted_to_what_a_policy_holds(name: str, value: Any, expected: Any) -> None:
    checked = BY_NAME[name].check(value)
    assert checked == expected
    assert type(checked) is type(expected)


def test_keys_of_the_policy_file_are_unique_and_written() -> None:
    keys = [option.key for option in RELEASE_OPTIONS if option.key != "columns[].role"]
    assert len(set(keys)) == len(keys)
    assert all(keys)
    frame = {"age": list(range(20)), "ill": ["a", "b"] * 10, "home": list(range(20)), "area": ["x"] * 20}
    release = shoal.anonymize(
        _table(frame),
        k=2, quasi_identifiers="age", sensitive="ill", households="home", strata="area", missing_values="wildcard",
        shuffle=True, formulas="neutralize", keep_totals=True, bounds={"age": (0, 99)}, weights={"age": 2}, l=2,
        time_limit=60, effort="fast", method="mdav", keep="home",
    )  # fmt: skip
    facts = release.policy.to_dict()
    only_by_hand = {"drop_others", "refine", "release.l", "release.t", "release.blocks", "survey.sampling_weights"}
    for key in set(keys) - only_by_hand:
        table, _, entry = key.partition(".")
        if not table.startswith("columns"):
            assert entry in facts[table] if entry else table in facts, key
    assert Policy.from_toml(release.policy.to_toml().encode(), path="p") == release.policy


def _table(columns: dict[str, list[Any]]) -> Any:
    import polars as pl

    return pl.DataFrame(columns)


def test_the_page_starts_with_the_defaults_of_the_table() -> None:
    fresh = ReleaseChoices(columns=())
    names = {"suppression": "max_suppression"}
    for name in ("suppression", "missing_values", "seed", "exact_means", "shuffle", "formulas", "l", "t"):
        assert getattr(fresh, name) == BY_NAME[names.get(name, name)].default


def test_the_help_names_every_recoding_that_is_not_an_alias() -> None:
    assert all(word in BY_NAME["recode"].help for word in RECODINGS if word != "ancestor")
