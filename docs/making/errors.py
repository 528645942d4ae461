"""Pages of the errors: each class with the sentences that its constructors make, placeholders in capitals."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, Self

from making.markdown import facts, table, unindented
from shoal import errors

INDEX = """# The errors

Made by `python docs/make.py` from the classes of `shoal.errors`. Every error that Shoal raises on purpose is a
`ShoalError`: one sentence with a fact and a hint (`error.fact`, `error.hint`), which names columns, counts and row
numbers and never a cell of the data. On the command line the sentence goes to standard error, and the exit code tells
what kind of trouble it is. Whatever the error: no half file is left, and what stood before stands as it was.

```python
import shoal

try:
    shoal.anonymize(shoal.example_register(rows=100), k=500, quasi_identifiers=["age"])
except shoal.ShoalError as error:
    print(type(error).__name__, error.exit_code)
    print(error)
```

```text
{shown}```
"""
ABOUT = {
    "ShoalError": "Catch it to catch them all.",
    "ShoalWarning": "It is no error: the release stands. On the command line it is a line `shoal: warning: …`, in"
    " Python a warning of the `warnings` module; reports for your own files list them.",
}


class Count(int):
    """A number that stands as its name in a sentence, also where it was told in other units or multiplied."""

    name: str

    def __new__(cls, name: str) -> Self:
        made = super().__new__(cls, 7)
        made.name = name
        return made

    def __format__(self, _: str) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name

    def __ceil__(self) -> Count:  # type: ignore[override]
        return self

    def _in_units(self, unit: Any) -> Count:
        """Bytes as megabytes, seconds as minutes; of what was computed before, nothing is told."""
        return Count("…" if " " in self.name else self.name) if not isinstance(unit, Count) else self._by("/", unit)

    def _times(self, other: Any) -> Count:
        return self if not isinstance(other, Count) and other >= 1000 else self._by("×", other)

    def _by(self, sign: str, other: Any) -> Count:
        return Count(f"{self.name} {sign} {other}" if isinstance(other, Count) else f"{other} {sign} {self.name}")

    __truediv__ = __floordiv__ = __rshift__ = _in_units  # type: ignore[assignment]
    __mul__ = __rmul__ = _times  # type: ignore[assignment]


class Figure(float):
    """Likewise for a number that need not be whole."""

    name: str

    def __new__(cls, name: str) -> Self:
        made = super().__new__(cls, 0.5)
        made.name = name.upper()
        return made

    def __format__(self, _: str) -> str:
        return self.name

    def _in_units(self, _: Any) -> Self:
        return self

    __truediv__ = __floordiv__ = _in_units  # type: ignore[assignment]


def samples(parameter: inspect.Parameter) -> list[Any]:
    """What stands for an argument: its name in capitals; both, where it may be there or not."""
    name, kind = parameter.name, str(parameter.annotation)
    if kind == "bool":
        return [False, True]
    if kind.endswith("| None"):
        return [name.upper(), None]
    if kind == "int":
        return [Count(name.upper())]
    if kind == "float":
        return [Figure(name)]
    if kind.startswith("Sequence"):
        return [[name.upper()]]
    if kind.endswith("Error"):
        return [errors.ShoalError("FACT", "HINT")]
    return [name.upper()]


def sentences(make: Callable[..., errors.ShoalError]) -> list[str]:
    """Every sentence that a constructor makes, each once."""
    parameters = list(inspect.signature(make).parameters.values())
    found: dict[str, None] = {}
    for chosen in product(*(samples(each) for each in parameters)):
        placed = [value for each, value in zip(parameters, chosen, strict=True) if each.kind is not each.KEYWORD_ONLY]
        named = {
            each.name: value for each, value in zip(parameters, chosen, strict=True) if each.kind is each.KEYWORD_ONLY
        }
        found[str(make(*placed, **named))] = None
    return list(found)


def constructors(kind: type) -> Iterator[tuple[str, Callable[..., errors.ShoalError]]]:
    """The named constructors of a class, in the order of its source."""
    for name, member in vars(kind).items():
        if isinstance(member, classmethod):
            yield name, getattr(kind, name)


def page(kind: type) -> str:
    """One class: what it is about, then its sentences."""
    doc = unindented(inspect.getdoc(kind) or "")
    subject = (inspect.getdoc(inspect.getmodule(kind)) or "").partition("\n")[0]
    told = [
        ("what it is", ", ".join(f"`{each.__name__}`" for each in kind.__mro__[1:-2])),
        ("exit code", getattr(kind, "exit_code", "none: a warning ends nothing")),
        ("file", f"`src/{kind.__module__.replace('.', '/')}.py`: {subject[:1].lower()}{subject[1:].removesuffix('.')}"),
    ]
    parts = [f"# {kind.__name__}\n", f"{doc}\n", facts(told)]
    rows = [(f"`{name}`", "<br>".join(sentences(make))) for name, make in constructors(kind)]
    if kind.__name__ in ABOUT:
        parts.append(f"{ABOUT[kind.__name__]}\n")
    if rows:
        parts.append("Words in capitals stand for names and numbers of your table or file.\n")
        parts.append(table(["constructor", "what it says"], rows))
    return "\n".join([*parts, "All of them: [the errors](../errors.md).\n"])


def kinds() -> list[type]:
    return [getattr(errors, name) for name in errors.__all__]


def index() -> str:
    shown = errors.OptionError.k_too_large(500, 100)
    text = INDEX.replace("{shown}", f"{type(shown).__name__} {shown.exit_code}\n{shown}\n")
    rows = [
        (
            f"[`{kind.__name__}`](errors/{kind.__name__}.md)",
            unindented((inspect.getdoc(kind) or "").partition("\n")[0]),
            getattr(kind, "exit_code", "–"),
            len(list(constructors(kind))) or "–",
        )
        for kind in kinds()
    ]
    return f"{text}\n{table(['error', 'what it is about', 'exit code', 'sentences'], rows)}"


def pages(docs: Path) -> dict[Path, str]:
    return {
        docs / "errors.md": index(),
        **{docs / "errors" / f"{kind.__name__}.md": page(kind) for kind in kinds()},
    }
