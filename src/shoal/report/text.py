"""Reports as text, for a terminal or a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from shoal.report.figures import applying, brief, figure, headlines, titled
from shoal.values import searched
from shoal.words import counted, number, short

MISSING = {
    "category": "a missing value counts as a value",
    "wildcard": "a missing value is compatible with every value",
}

if TYPE_CHECKING:
    from shoal.tables import ComparedRows

Paint = Callable[[str, str], str]
"""What gives a text the color of a meaning: ``good``, ``bad``, ``soft`` or ``sea``."""
_BLOCKS = "▏▎▍▌▋▊▉█"
_BAR = 24
_MOST, _COSTS = 6, 4
"""Risks and columns, and losses, in a short summary."""
_NAME, _FEWEST, _ARROW = 24, 7, " → "
"""Of rows before and after: places for the name of a column, the fewest for a cell, and what parts two of them."""
_HEAD, _BESIDE = 14, 5
"""Letters in a line of the head of a table that has many columns, and how many of them stand beside each other."""


def unpainted(text: str, _: str) -> str:
    """A text as it is."""
    return text


def measured_on(facts: Mapping[str, Any]) -> str:
    """What the losses of an evaluation are measured on."""
    numeric = [f"on {facts['base']} columns"] if facts["base"] != "none" or not facts["distance"] else []
    return " and ".join([*numeric, *([f"by {facts['distance']} distances"] if facts["distance"] else [])])


def columns(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset(), indent: str = "  ") -> Iterator[str]:
    """Rows of text under each other; the columns in ``right`` end flush."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.rjust(width) if j in right else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield (indent + "  ".join(cells)).rstrip()


def evaluation(facts: Mapping[str, Any]) -> str:
    """Every figure that applies, family by family."""
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    risks = [["Risk", "before", "after"]]
    risks += [
        [titled(risk), figure(before.get(risk.name)), figure(after.get(risk.name))]
        for risk in applying("risk", before, after)
    ]
    parts = [
        risks,
        _figures("Attacks carried out", "attack", facts["attacks"]),
        *_by_column("Sensitive column", "disclosure", facts["disclosures"]),
        _figures(f"Loss ({measured_on(facts)})", "loss", facts["loss"]),
        *_by_column("Quasi-identifier", "change", facts["changes"]),
    ]
    lines: list[str] = []
    for part in parts:
        if len(part) > 1:
            lines += [*([""] if lines else []), *columns(part, right=frozenset(range(1, len(part[0]))))]
    models = [_model(check, facts["records"]) for check in facts["models"]]
    lines += [*(["", "  Privacy models in the release"] if models else []), *models]
    lines += [f"  note: {note}" for note in facts["notes"]]
    return "\n".join(lines)


def _figures(title: str, family: str, found: Mapping[str, Any]) -> list[list[str]]:
    return [[title, ""], *([titled(measure), figure(found[measure.name])] for measure in applying(family, found))]


def _by_column(title: str, family: str, found: Mapping[str, Mapping[str, Any]]) -> Iterator[list[list[str]]]:
    """A row a column, the one that lost most first; several tables where one would be too wide for a terminal."""
    order = sorted(found, key=lambda name: -(found[name].get("loss") or 0))
    all_known = applying(family, *found.values())
    for known in (all_known[at : at + _BESIDE] for at in range(0, len(all_known), _BESIDE)):
        rows = [[short(name), *(brief(found[name].get(measure.name)) for measure in known)] for name in order]
        heads = [[title], *(textwrap.wrap(titled(measure), _HEAD) for measure in known)]
        high = max(map(len, heads))
        lines = zip(*([""] * (high - len(head)) + head for head in heads), strict=True)
        yield [*(list(line) for line in lines), *rows]


def verification(facts: Mapping[str, Any]) -> str:
    """Does the promise hold, and on what was it counted?"""
    k, all_records = facts["k"], facts["records"]
    unit = facts["unit"].removesuffix("s") if facts["min_class"] == 1 else facts["unit"]
    smallest = f"{number(facts['min_class'])} {unit}"
    broken = sum(not check["ok"] for check in facts["models"])
    if facts["k_violations"]:
        verdict = (
            f"NOT k-ANONYMOUS  {facts['k_violations']:,} of {all_records:,} records are in classes below k = {k}"
            f" ({facts['unique_records']:,} of them alone); the smallest class has {smallest}"
        )
    else:
        stamp = f"NOT VERIFIED  {counted(broken, 'privacy model')} broken;" if broken else "VERIFIED "
        verdict = f"{stamp} k = {k} holds: the smallest of {facts['classes']:,} classes has {smallest}"
    names = ", ".join(short(name) for name in facts["quasi_identifiers"])
    basis = f"  counted on {names} of {all_records:,} records; {MISSING[facts['missing']]}"
    return "\n".join([verdict, *(_model(check, all_records) for check in facts["models"]), basis])


def bundle(facts: Mapping[str, Any]) -> str:
    """Every check of a bundle, after whether all of them hold."""
    found = [check["ok"] for check in facts["checks"]]
    if not facts["ok"]:
        verdict = f"NOT VERIFIED  {found.count(False)} of {counted(len(found), 'check')} failed"
    elif None in found:
        verdict = f"VERIFIED  as far as the files tell: nothing failed of {counted(len(found), 'check')}"
    else:
        verdict = f"VERIFIED  all {counted(len(found), 'check')} hold"
    stamps = {True: "ok", False: "FAILED", None: "unknown"}
    rows = [[stamps[check["ok"]], check["about"], check["said"]] for check in facts["checks"]]
    return "\n".join([verdict, *columns(rows)])


def _model(check: Mapping[str, Any], records: int) -> str:
    """One privacy model: what was asked, and what the worst class has."""
    letter = "t" if check["model"].startswith("t-") else "l"
    said = f"{check['model']} on {short(check['column'])}: {letter} = {check['reached']:.6g} in the worst class"
    broken = f"; {check['violations']:,} of {records:,} records are in classes that break it"
    return f"  holds   {said}" if check["ok"] else f"  BROKEN  {said}{broken}"


def release(facts: Mapping[str, Any], *, paint: Paint = unpainted) -> str:
    """The summary of a release in few lines: the verdict, key figures before and after, the loss, and where it is."""
    verdict, *basis = verification(facts["verification"]).splitlines()
    stamp, _, rest = verdict.partition("  ")
    lines = [f"{paint(stamp, 'good' if stamp == 'VERIFIED' else 'bad')}  {rest.strip()}"]
    lines += [paint(line, "soft") for part in basis for line in _wrapped(part.strip())]
    lines += [paint(line, "soft") for line in _wrapped("; ".join(_decisions(facts["policy"])))]
    lines += [paint(line, "soft") for sentence in grouped(facts) for line in _wrapped(sentence)]
    figures = facts["evaluation"]
    before, after = figures["risk"]["before"], figures["risk"]["after"]
    rows = [
        [risk.label, brief(before.get(risk.name), risk.unit), "→", brief(after.get(risk.name), risk.unit)]
        for risk in headlines("risk", after)[:_MOST]
    ]
    rows += [
        [loss.label, "", "", brief(figures["loss"][loss.name], loss.unit)]
        for loss in headlines("loss", figures["loss"])[:_COSTS]
    ]
    told = list(columns([["", "before", "", "after"], *rows], right=frozenset({1, 3})))
    lines += ["", paint(told[0], "soft"), *told[1:], *_lost(figures["columns"], paint)]
    return "\n".join(lines)


def grouped(facts: Mapping[str, Any]) -> list[str]:
    """How the groups came about, beyond the name of the method."""
    return [*facts["account"], *([searched(facts["search"])] if facts["search"] else [])]


def _lost(lost: Mapping[str, float], paint: Paint) -> list[str]:
    """A small bar for the loss of each column, the most first."""
    order = sorted(lost.items(), key=lambda item: -item[1])
    if not order:
        return []
    if not any(lost.values()):
        return ["", paint("  no column lost anything", "soft")]
    shown = order[:_MOST]
    rows = [[short(name), brief(value, "%")] for name, value in shown]
    told = columns(rows, right=frozenset({1}))
    lines = ["", paint("  what columns lost", "soft")]
    lines += [
        f"{line}  {paint(bar(value / 100), 'sea')}".rstrip() for line, (_, value) in zip(told, shown, strict=True)
    ]
    left = order[_MOST:]
    return [*lines, paint(f"  {len(left)} more lost at most {brief(left[0][1], '%')}", "soft")] if left else lines


def bar(share: float) -> str:
    """A share of 1 as a bar of blocks; none where it is 0, and no longer than for 1."""
    eighths = round(min(max(share, 0.0), 1.0) * _BAR * 8)
    return "█" * (eighths // 8) + (_BLOCKS[eighths % 8 - 1] if eighths % 8 else "")


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, 96, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _decisions(policy: Mapping[str, Any]) -> Iterator[str]:
    """What was decided beyond k and models, where it is not what happens anyway."""
    if policy["missing"]["policy"] != "category":
        yield f"missing values: {missing_values(policy)}"
    if policy["release"]["suppression"]:
        yield f"suppressed records: at most {suppression(policy)}"
    for name, value in policy["survey"].items():
        yield f"{name.replace('_', ' ')}: {listed(value)}"


def missing_values(policy: Mapping[str, Any]) -> str:
    """The way with missing values, and how much wildcards count."""
    return ", ".join(
        f"{name} {number(value)}" if name == "alpha" else value for name, value in policy["missing"].items()
    )


def suppression(policy: Mapping[str, Any]) -> str:
    """The share of the records that may be suppressed."""
    return f"{100 * policy['release']['suppression']:.4g} %"


def listed(value: Any) -> str:
    """A value of a policy; of a list all that is in it."""
    return ", ".join(short(item) for item in value) if isinstance(value, list) else short(value)


_MOST_FORMATS = 8
_MARKS = {"\t": "tab", " ": "blank"}


def _read_as(settings: Mapping[str, Any]) -> str:
    """How a file was read, in words; what goes without saying is left out."""
    said = []
    if "sheet" in settings:
        said.append(f"sheet {short(settings['sheet'])}")
    if "delimiter" in settings:
        said.append(f"separator {_MARKS.get(settings['delimiter'], repr(settings['delimiter']))}")
    if "encoding" in settings:
        said.append(f"encoding {settings['encoding']}")
    if "decimal" in settings:
        said.append(f"decimal mark {settings['decimal']!r}")
    if settings.get("skip"):
        said.append(f"{counted(settings['skip'], 'line')} above the header")
    if not settings.get("header", True):
        said.append("no header")
    if settings.get("row_numbers"):
        said.append("row numbers left out")
    formats = settings.get("column_formats", {})
    said += [f"{short(name)} as {form}" for name, form in list(formats.items())[:_MOST_FORMATS]]
    if len(formats) > _MOST_FORMATS:
        said.append(f"{len(formats) - _MOST_FORMATS:,} more formats")
    return ", ".join(said)


def description(facts: Mapping[str, Any]) -> str:
    """The proposed roles, each with its reason."""
    rows = [["Column", "Kind", "Proposed role", "Distinct", "Missing", "Why"]]
    rows += [
        [short(c["name"]), c["kind"], c["role"], figure(c["distinct"]), figure(c["missing"]), c["reason"]]
        for c in facts["columns"]
    ]
    read = _read_as(facts["settings"])
    lines = [f"{facts['records']:,} records, {len(facts['columns'])} columns, {facts['kind']}"]
    lines += [f"  read with {read}", ""] if read else [""]
    lines += columns(rows, right=frozenset({3, 4}))
    alone, names = facts["unique_records"], facts["quasi_identifiers"]
    lines.append("")
    if alone is None:
        lines.append("No quasi-identifier is proposed.")
    else:
        share = 100 * alone / facts["records"]
        lines.append(
            f"{alone:,} of {facts['records']:,} records ({share:.1f} %) are unique on the"
            f" {len(names)} proposed quasi-identifiers."
        )
    lines.append("This is a proposal: you decide, by naming columns with -q, --identifiers and --sensitive.")
    return "\n".join(lines)


def methods(facts: Sequence[Mapping[str, Any]]) -> str:
    """The methods by family, each in a few lines."""
    parts: list[str] = []
    width = max((len(method["name"]) for method in facts), default=0)
    for family, members in groupby(facts, key=lambda method: method["family"]):
        found = list(members)
        parts += [f"Family {family}: {found[0]['about_family']}", ""]
        parts += [f"{method_facts(method, width=width)}\n" for method in found]
    return "\n".join(parts).rstrip()


def method_facts(method: Mapping[str, Any], *, width: int = 0) -> str:
    """A method in a few lines, beside its name, which gets this width at least."""
    options = ", ".join(f"{name}={value}" for name, value in method["options"].items())
    said = [f"takes {takes(method)}; groups of k to {method['largest_group']}; {method['cost']}"]
    said += [f"time measured: {grown(method['growth'])}"] if method["growth"] else []
    said += [f"options: {options}"] if options else []
    said += ["keeps privacy models while it groups; others merge groups for them"] if method["enforces"] else []
    name = f"  {method['name'].ljust(max(width, 16))}  "
    indent = " " * len(name)
    lines = textwrap.wrap(plain(method["summary"]), 120, initial_indent=name, subsequent_indent=indent)
    for sentence in [*said, method["paper"]]:
        lines += textwrap.wrap(sentence, 120, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines)


FAMILIES = {
    "loss": "what the release lost",
    "risk": "what the classes risk, before and after the release",
    "attack": "what an outsider gets out of the release",
    "change": "what happened to each quasi-identifier",
    "disclosure": "what the classes give away about each sensitive column",
}


def measures(facts: Sequence[Mapping[str, Any]]) -> str:
    """The measures by family, each with what it is."""
    width = max(len(measure["name"]) for measure in facts)
    parts: list[str] = []
    for family, members in groupby(facts, key=lambda measure: measure["family"]):
        parts += [*([""] if parts else []), f"Family {family}: {FAMILIES[family]}", ""]
        for measure in members:
            asked = " (on request)" if measure["searching"] else ""
            parts += _beside(measure["name"].ljust(width), plain(measure["summary"]) + asked)
    return "\n".join([*parts, "", "shoal measures NAME tells all about one."])


def measure_facts(measure: Mapping[str, Any], *, notes: str) -> str:
    """All about one measure."""
    unit = f" in {measure['unit']}" if measure["unit"] not in ("", "%") else ""
    said = {
        "family": f"{measure['family']}: {FAMILIES[measure['family']]}",
        "formula": measure["formula"],
        "range": f"{measure['range']}{unit}",
        "good": measure["good"],
        "run": "only where it is asked for" if measure["searching"] else "",
        "reference": measure["reference"],
    }
    width = max(map(len, said))
    lines = [f"{measure['name']}: {measure['label']}", "", *_wrapped(plain(measure["summary"])), ""]
    lines += [line for word, text in said.items() if text for line in _beside(word.ljust(width), text)]
    return "\n".join([*lines, *(["", *_wrapped(plain(notes))] if notes else [])])


def _beside(name: str, text: str) -> list[str]:
    """A text beside a name, over as many lines as it needs."""
    head = f"  {name}  "
    return textwrap.wrap(text, 98, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)


def takes(method: Mapping[str, Any]) -> str:
    """The kinds of columns that a method takes, and how many of them and of records."""
    most_columns, most_records = method["most_columns"], method["most_records"]
    limits = [f"{most_columns} column{'s' if most_columns > 1 else ''}"] if most_columns else []
    limits += [f"at most {most_records:,} records"] if most_records else []
    return ", ".join(method["kinds"]) + (f" ({', '.join(limits)})" if limits else "")


def power(growth: Mapping[str, Any] | None) -> str:
    """What the time of a method grows with, such as ``n^1.3``."""
    return "–" if growth is None else f"n^{round(growth['exponent'], 1) + 0.0:.1f}"  # and no minus nil


def grown(growth: Mapping[str, Any]) -> str:
    """How the time of a method grows, and on what that was measured."""
    sizes = f"from {growth['from']:,} to {growth['to']:,} records"
    return f"{power(growth)} {sizes}, {growth['seconds']:g} s there ({growth['data']})"


def plain(docstring: str) -> str:
    """A docstring for people who do not read source: without its marks."""
    return docstring.replace("Notes\n-----\n", "").replace("``", "").replace("*", "")


def compared(found: ComparedRows, *, width: int = 100) -> str:
    """Some records before and after, a line for each column that is protected; for internal use only."""
    names = [_cut(_printable(name), _NAME) for name in found.changed]
    first = max(map(_wide, (*names, "record")))
    most = (width - first - 2) // (2 + 2 * _FEWEST + len(_ARROW))
    some = range(min(len(found.records), max(1, most)))
    room = (width - first - 2) // len(some) - 2
    rows = [["record", *(f"{found.records[at]:,}" for at in some)]]
    for name, column in zip(names, found.changed, strict=True):
        j = found.names.index(column)
        rows.append([name, *(_change(found.before[at][j], found.after[at][j], room) for at in some)])
    widths = [max(_wide(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        "  " + "  ".join(cell + " " * (wide - _wide(cell)) for cell, wide in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(["Before → after (internal use: shows original values)", *lines])


def _change(before: str, after: str, room: int) -> str:
    """A cell before and after, in so many places; one that stays is shown once."""
    before, after = _printable(before) or "-", _printable(after) or "-"
    if before == after:
        return _cut(before, room)
    half = (room - len(_ARROW)) // 2
    spare = max(0, half - _wide(after)), max(0, half - _wide(before))
    return _cut(before, half + spare[0]) + _ARROW + _cut(after, half + spare[1])


def _printable(text: str) -> str:
    """The text without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "·" for letter in text)


def _wide(text: str) -> int:
    """The places that a text takes in a terminal."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _cut(text: str, most: int) -> str:
    if _wide(text) <= most:
        return text
    while _wide(text) >= most:
        text = text[:-1]
    return text + "…"
