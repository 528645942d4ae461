"""Every call of an error's constructor gives the arguments that its message needs: mypy does not see templates."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal import errors
from shoal.errors.base import message

SOURCE = Path(errors.__file__).parents[1]


def constructor_calls() -> Iterator[tuple[str, type, ast.Call, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = getattr(errors, ast.unparse(node.func.value), None)
                if isinstance(vars(owner or object).get(node.func.attr), classmethod):
                    yield f"{path.name}:{node.lineno}", owner, node, node.func.attr


def test_every_call_fits_its_constructor() -> None:
    calls = list(constructor_calls())
    assert len(calls) > 200
    for place, owner, call, name in calls:
        make, named = getattr(owner, name), [word.arg for word in call.keywords]
        if any(isinstance(value, ast.Starred) for value in call.args):
            continue
        if hasattr(make, "specs"):
            if None in named:  # ** gives the others
                assert {*named} - {None} <= {*make.specs}, place
            else:
                assert {*named} <= {*make.specs}, place
                assert len(call.args) + len(named) == len(make.specs), place
        elif None not in named:
            inspect.signature(make).bind(*call.args, **dict.fromkeys(filter(None, named)))


def test_a_message_refuses_missing_and_surplus_arguments() -> None:
    class Failure(errors.ShoalError):
        several = message("{names:file} ({names!l}) {names:is|are} there", "keep one")
        too_many = message("{rows:record} {rows:is|are} too many for {name!q}", "keep {most:,} of {path!r}")

    assert str(Failure.too_many(1, "x" * 70, most=2000, path=Path("a"))) == (
        f"1 record is too many for '{'x' * 60}…'; keep 2,000 of 'a'."
    )
    assert "1,000 records are too many" in str(Failure.too_many(1000, "{rows}", 1, "b"))
    assert str(Failure.several(["a", "b"])) == "2 files ('a', 'b') are there; keep one."
    for given in ((), (1, "a", 2), (1, "a", 2, "b", 3)):
        with pytest.raises(ValueError, match="zip"):
            Failure.too_many(*given)
