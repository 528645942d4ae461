"""Reports as plain text, for a terminal or a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from shoal.domain import summarize_search
from shoal.errors.messages import format_number, pluralize, shorten
from shoal.report.format import applicable_measures, format_brief, format_value, headline_measures, label_with_unit
from shoal.report.text_layout import align_columns, display_width, printable, truncate

if TYPE_CHECKING:
    from shoal.data import ComparedRows


MISSING_TEXT = {
    "category": "a missing value counts as a value",
    "wildcard": "a missing value is compatible with every value",
}


Paint = Callable[[str, str], str]
"""Colors a text by a style: ``good``, ``bad``, ``soft`` or ``sea``."""
_BLOCKS = "▏▎▍▌▋▊▉█"
_BAR = 24
_MAX_ROWS, _MAX_LOSSES = 6, 4
"""Maximum number of risks or columns, and of losses, in a short summary."""
_MAX_NAME, _MIN_CELL, _ARROW = 24, 7, " → "
"""Comparison of rows: maximum width of a column name, minimum width of a cell, and separator."""
_HEAD_WIDTH, _MAX_BESIDE = 14, 5
"""Wide tables: width of a column head, and maximum number of columns side by side."""


def no_color(text: str, _: str) -> str:
    """The text without color."""
    return text


def loss_basis(facts: Mapping[str, Any]) -> str:
    """Columns and distance that the losses are measured on."""
    numeric = [f"on {facts['base']} columns"] if facts["base"] != "none" or not facts["distance"] else []
    return " and ".join([*numeric, *([f"by {facts['distance']} distances"] if facts["distance"] else [])])


def evaluation(facts: Mapping[str, Any]) -> str:
    """Render all measures that apply, by family."""
    parts = [
        _measures("Risk", "risk", {"before": facts["risk"]["before"], "after": facts["risk"]["after"]}),
        _measures("Attacks carried out", "attack", {"": facts["attacks"]}),
        *_by_column("Sensitive column", "disclosure", facts["disclosures"]),
        _measures(f"Loss ({loss_basis(facts)})", "loss", {"": facts["loss"]}),
        *_by_column("Quasi-identifier", "change", facts["changes"]),
    ]
    lines: list[str] = []
    for part in parts:
        if len(part) > 1:
            lines += [*([""] if lines else []), *align_columns(part, right=frozenset(range(1, len(part[0]))))]
    models = [_model(check, facts["records"]) for check in facts["models"]]
    lines += [*(["", "  Privacy models in the release"] if models else []), *models]
    lines += [f"  note: {note}" for note in facts["notes"]]
    return "\n".join(lines)


def _measures(title: str, family: str, figures: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """One row per measure that applies, with its value in each of the figures."""
    rows = [
        [label_with_unit(measure), *(format_value(values.get(measure.name)) for values in figures.values())]
        for measure in applicable_measures(family, *figures.values())
    ]
    return [[title, *figures], *rows]


def _by_column(title: str, family: str, by_column: Mapping[str, Mapping[str, Any]]) -> Iterator[list[list[str]]]:
    """One row per column, by falling loss; split into several tables if it would be too wide for a terminal."""
    order = sorted(by_column, key=lambda name: -(by_column[name].get("loss") or 0))
    applicable = applicable_measures(family, *by_column.values())
    for selected in (applicable[at : at + _MAX_BESIDE] for at in range(0, len(applicable), _MAX_BESIDE)):
        rows = [
            [shorten(name), *(format_brief(by_column[name].get(measure.name)) for measure in selected)]
            for name in order
        ]
        heads = [[title], *(textwrap.wrap(label_with_unit(measure), _HEAD_WIDTH) for measure in selected)]
        n_lines = max(map(len, heads))
        lines = zip(*([""] * (n_lines - len(head)) + head for head in heads), strict=True)
        yield [*(list(line) for line in lines), *rows]


def verification(facts: Mapping[str, Any]) -> str:
    """Render the verdict of a verification and its basis."""
    k, all_records = facts["k"], facts["records"]
    unit = facts["unit"].removesuffix("s") if facts["min_class"] == 1 else facts["unit"]
    smallest = f"{format_number(facts['min_class'])} {unit}"
    broken = sum(not check["ok"] for check in facts["models"])
    if facts["k_violations"]:
        verdict = (
            f"NOT k-ANONYMOUS  {facts['k_violations']:,} of {all_records:,} records are in classes below k = {k}"
            f" ({facts['unique_records']:,} of them alone); the smallest class has {smallest}"
        )
    else:
        status = f"NOT VERIFIED  {pluralize(broken, 'privacy model')} broken;" if broken else "VERIFIED "
        verdict = f"{status} k = {k} holds: the smallest of {facts['classes']:,} classes has {smallest}"
    names = ", ".join(shorten(name) for name in facts["quasi_identifiers"])
    basis = f"  counted on {names} of {all_records:,} records; {MISSING_TEXT[facts['missing']]}"
    return "\n".join([verdict, *(_model(check, all_records) for check in facts["models"]), basis])


def bundle(facts: Mapping[str, Any]) -> str:
    """Render the checks of a bundle, after the verdict."""
    outcomes = [check["ok"] for check in facts["checks"]]
    if not facts["ok"]:
        verdict = f"NOT VERIFIED  {outcomes.count(False)} of {pluralize(len(outcomes), 'check')} failed"
    elif None in outcomes:
        verdict = f"VERIFIED  as far as the files tell: nothing failed of {pluralize(len(outcomes), 'check')}"
    else:
        verdict = f"VERIFIED  all {pluralize(len(outcomes), 'check')} hold"
    stamps = {True: "ok", False: "FAILED", None: "unknown"}
    rows = [[stamps[check["ok"]], check["about"], check["said"]] for check in facts["checks"]]
    return "\n".join([verdict, *align_columns(rows)])


def _model(check: Mapping[str, Any], records: int) -> str:
    """One privacy model: the requirement, and the value of the worst class."""
    letter = "t" if check["model"].startswith("t-") else "l"
    text = f"{check['model']} on {shorten(check['column'])}: {letter} = {check['reached']:.6g} in the worst class"
    violation = f"; {check['violations']:,} of {records:,} records are in classes that break it"
    return f"  holds   {text}" if check["ok"] else f"  BROKEN  {text}{violation}"


def release(facts: Mapping[str, Any], *, paint: Paint = no_color) -> str:
    """Render a short summary of a release: verdict, key measures before and after, and losses."""
    verdict, *basis = verification(facts["verification"]).splitlines()
    stamp, _, rest = verdict.partition("  ")
    lines = [f"{paint(stamp, 'good' if stamp == 'VERIFIED' else 'bad')}  {rest.strip()}"]
    notes = [*map(str.strip, basis), "; ".join(_changed_options(facts["policy"])), *grouping_notes(facts)]
    lines += [paint(line, "soft") for note in notes for line in _wrapped(note)]
    figures = facts["evaluation"]
    before, after = figures["risk"]["before"], figures["risk"]["after"]
    rows = [
        [risk.label, format_brief(before.get(risk.name), risk.unit), "→", format_brief(after.get(risk.name), risk.unit)]
        for risk in headline_measures("risk", after)[:_MAX_ROWS]
    ]
    rows += [
        [loss.label, "", "", format_brief(figures["loss"][loss.name], loss.unit)]
        for loss in headline_measures("loss", figures["loss"])[:_MAX_LOSSES]
    ]
    table = list(align_columns([["", "before", "", "after"], *rows], right=frozenset({1, 3})))
    lines += ["", paint(table[0], "soft"), *table[1:], *_loss_bars(figures["columns"], paint)]
    return "\n".join(lines)


def grouping_notes(facts: Mapping[str, Any]) -> list[str]:
    """How the groups were formed, beyond the name of the method."""
    return [*facts["account"], *([summarize_search(facts["search"])] if facts["search"] else [])]


def _loss_bars(lost: Mapping[str, float], paint: Paint) -> list[str]:
    """Bars for the loss of each column, by falling loss."""
    order = sorted(lost.items(), key=lambda item: -item[1])
    if not order:
        return []
    if not any(lost.values()):
        return ["", paint("  no column lost anything", "soft")]
    top = order[:_MAX_ROWS]
    rows = [[shorten(name), format_brief(value, "%")] for name, value in top]
    table = align_columns(rows, right=frozenset({1}))
    lines = ["", paint("  what columns lost", "soft")]
    lines += [f"{line}  {paint(bar(value / 100), 'sea')}".rstrip() for line, (_, value) in zip(table, top, strict=True)]
    rest = order[_MAX_ROWS:]
    return (
        [*lines, paint(f"  {len(rest)} more lost at most {format_brief(rest[0][1], '%')}", "soft")] if rest else lines
    )


def bar(fraction: float) -> str:
    """A fraction as a bar of blocks; values are clipped to 0 and 1."""
    eighths = round(min(max(fraction, 0.0), 1.0) * _BAR * 8)
    return "█" * (eighths // 8) + (_BLOCKS[eighths % 8 - 1] if eighths % 8 else "")


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, 96, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _changed_options(policy: Mapping[str, Any]) -> Iterator[str]:
    """Options that differ from the defaults, other than k and models."""
    if policy["missing"]["policy"] != "category":
        yield f"missing values: {missing_values_text(policy)}"
    if policy["release"]["suppression"]:
        yield f"suppressed records: at most {suppression_text(policy)}"
    for name, value in policy["survey"].items():
        yield f"{name.replace('_', ' ')}: {value_text(value)}"


def missing_values_text(policy: Mapping[str, Any]) -> str:
    """Treatment of missing values, and alpha of wildcards."""
    return ", ".join(
        f"{name} {format_number(value)}" if name == "alpha" else value for name, value in policy["missing"].items()
    )


def suppression_text(policy: Mapping[str, Any]) -> str:
    """Maximum fraction of suppressed records."""
    return f"{100 * policy['release']['suppression']:.4g} %"


def value_text(value: Any) -> str:
    """A value of a policy; all items of a list."""
    return ", ".join(shorten(item) for item in value) if isinstance(value, list) else shorten(value)


_MAX_FORMATS = 8
_MARKS = {"\t": "tab", " ": "blank"}


def _import_text(settings: Mapping[str, Any]) -> str:
    """How a file was read, without defaults."""
    parts = []
    if "sheet" in settings:
        parts.append(f"sheet {shorten(settings['sheet'])}")
    if "delimiter" in settings:
        parts.append(f"separator {_MARKS.get(settings['delimiter'], repr(settings['delimiter']))}")
    if "encoding" in settings:
        parts.append(f"encoding {settings['encoding']}")
    if "decimal" in settings:
        parts.append(f"decimal mark {settings['decimal']!r}")
    if settings.get("skip"):
        parts.append(f"{pluralize(settings['skip'], 'line')} above the header")
    if not settings.get("header", True):
        parts.append("no header")
    if settings.get("row_numbers"):
        parts.append("row numbers left out")
    formats = settings.get("column_formats", {})
    parts += [f"{shorten(name)} as {form}" for name, form in list(formats.items())[:_MAX_FORMATS]]
    if len(formats) > _MAX_FORMATS:
        parts.append(f"{len(formats) - _MAX_FORMATS:,} more formats")
    return ", ".join(parts)


def description(facts: Mapping[str, Any]) -> str:
    """Render the proposed roles with their reasons."""
    rows = [["Column", "Kind", "Proposed role", "Distinct", "Missing", "Why"]]
    rows += [
        [shorten(c["name"]), c["kind"], c["role"], format_value(c["distinct"]), format_value(c["missing"]), c["reason"]]
        for c in facts["columns"]
    ]
    import_text = _import_text(facts["settings"])
    lines = [f"{facts['records']:,} records, {len(facts['columns'])} columns, {facts['kind']}"]
    lines += [f"  read with {import_text}", ""] if import_text else [""]
    lines += align_columns(rows, right=frozenset({3, 4}))
    n_unique, names = facts["unique_records"], facts["quasi_identifiers"]
    lines.append("")
    if n_unique is None:
        lines.append("No quasi-identifier is proposed.")
    else:
        percent = 100 * n_unique / facts["records"]
        lines.append(
            f"{n_unique:,} of {facts['records']:,} records ({percent:.1f} %) are unique on the"
            f" {len(names)} proposed quasi-identifiers."
        )
    lines.append(
        "This is a proposal: you decide, with -q, --identifiers and --sensitive, or in the file that shoal init writes."
    )
    return "\n".join(lines)


def methods(facts: Sequence[Mapping[str, Any]]) -> str:
    """Render the methods by family."""
    parts: list[str] = []
    width = max((len(method["name"]) for method in facts), default=0)
    for family, members in groupby(facts, key=lambda method: method["family"]):
        family_methods = list(members)
        parts += [f"Family {family}: {family_methods[0]['about_family']}", ""]
        parts += [f"{method_facts(method, width=width)}\n" for method in family_methods]
    return "\n".join(parts).rstrip()


def method_facts(method: Mapping[str, Any], *, width: int = 0) -> str:
    """Render a method beside its name, which is padded to ``width``."""
    options = ", ".join(f"{name}={value}" for name, value in method["options"].items())
    sentences = [f"takes {accepted_columns(method)}; groups of k to {method['largest_group']}; {method['cost']}"]
    sentences += [f"time measured: {measured_complexity(method['growth'])}"] if method["growth"] else []
    sentences += [f"options: {options}"] if options else []
    sentences += ["keeps privacy models while it groups; others merge groups for them"] if method["enforces"] else []
    name = f"  {method['name'].ljust(max(width, 16))}  "
    indent = " " * len(name)
    lines = textwrap.wrap(strip_markup(method["summary"]), 120, initial_indent=name, subsequent_indent=indent)
    for sentence in [*sentences, method["paper"]]:
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
    """Render the measures by family."""
    width = max(len(measure["name"]) for measure in facts)
    parts: list[str] = []
    for family, members in groupby(facts, key=lambda measure: measure["family"]):
        parts += [*([""] if parts else []), f"Family {family}: {FAMILIES[family]}", ""]
        for measure in members:
            suffix = " (on request)" if measure["searching"] else ""
            parts += _beside(measure["name"].ljust(width), strip_markup(measure["summary"]) + suffix)
    return "\n".join([*parts, "", "shoal measures NAME tells all about one."])


def measure_facts(measure: Mapping[str, Any], *, notes: str) -> str:
    """Render all facts about one measure."""
    unit = f" in {measure['unit']}" if measure["unit"] not in ("", "%") else ""
    facts = {
        "family": f"{measure['family']}: {FAMILIES[measure['family']]}",
        "formula": measure["formula"],
        "range": f"{measure['range']}{unit}",
        "good": measure["good"],
        "run": "only where it is asked for" if measure["searching"] else "",
        "reference": measure["reference"],
    }
    width = max(map(len, facts))
    lines = [f"{measure['name']}: {measure['label']}", "", *_wrapped(strip_markup(measure["summary"])), ""]
    lines += [line for word, text in facts.items() if text for line in _beside(word.ljust(width), text)]
    return "\n".join([*lines, *(["", *_wrapped(strip_markup(notes))] if notes else [])])


def _beside(name: str, text: str) -> list[str]:
    head = f"  {name}  "
    return textwrap.wrap(text, 98, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)


def accepted_columns(method: Mapping[str, Any]) -> str:
    """Kinds of columns that a method accepts, and its limits of columns and records."""
    most_columns, most_records = method["most_columns"], method["most_records"]
    limits = [f"{most_columns} column{'s' if most_columns > 1 else ''}"] if most_columns else []
    limits += [f"at most {most_records:,} records"] if most_records else []
    return ", ".join(method["kinds"]) + (f" ({', '.join(limits)})" if limits else "")


def complexity(growth: Mapping[str, Any] | None) -> str:
    """Measured complexity of a method, such as ``n^1.3``."""
    return "–" if growth is None else f"n^{round(growth['exponent'], 1) + 0.0:.1f}"  # + 0.0 avoids -0.0


def measured_complexity(growth: Mapping[str, Any]) -> str:
    """Measured complexity of a method, and the data that it was measured on."""
    sizes = f"from {growth['from']:,} to {growth['to']:,} records"
    return f"{complexity(growth)} {sizes}, {growth['seconds']:g} s there ({growth['data']})"


def strip_markup(docstring: str) -> str:
    """A docstring without markup, for end users."""
    return docstring.replace("Notes\n-----\n", "").replace("``", "").replace("*", "")


def compared_rows(comparison: ComparedRows, *, width: int = 100) -> str:
    """Some records before and after, one line per quasi-identifier. For internal use only."""
    names = [truncate(printable(name), _MAX_NAME) for name in comparison.changed]
    name_width = max(map(display_width, (*names, "record")))
    max_records = (width - name_width - 2) // (2 + 2 * _MIN_CELL + len(_ARROW))
    selected = range(min(len(comparison.records), max(1, max_records)))
    cell_width = (width - name_width - 2) // len(selected) - 2
    rows = [["record", *(f"{comparison.records[at]:,}" for at in selected)]]
    for name, column in zip(names, comparison.changed, strict=True):
        j = comparison.names.index(column)
        rows.append(
            [name, *(_before_after(comparison.before[at][j], comparison.after[at][j], cell_width) for at in selected)]
        )
    return "\n".join(["Before → after (internal use: shows original values)", *align_columns(rows)])


def _before_after(before: str, after: str, width: int) -> str:
    """Cell before and after in ``width`` characters; one that did not change is shown once."""
    before, after = printable(before) or "-", printable(after) or "-"
    if before == after:
        return truncate(before, width)
    half = (width - len(_ARROW)) // 2
    unused = max(0, half - display_width(after)), max(0, half - display_width(before))
    return truncate(before, half + unused[0]) + _ARROW + truncate(after, half + unused[1])


def linked_releases(facts: Mapping[str, Any]) -> str:
    """Render the verdict, the link between the releases, and the remedies."""
    lines = [_verdict(facts), *_disclosures(facts), _linked(facts)]
    for remedy in facts["advice"]:
        lines += textwrap.wrap(f"what to do: {remedy}", 98, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)


def _verdict(facts: Mapping[str, Any]) -> str:
    k, sides = facts["k"], (facts["release"], facts["other"])
    if any(side["k_violations"] for side in sides):
        violations = [
            f"{side['k_violations']:,} of {side['records']:,} records of {which} ({side['unique_records']:,} alone)"
            for side, which in zip(sides, ("the release", "the other"), strict=True)
            if side["k_violations"]
        ]
        described = " and ".join(violations)
        return f"TOGETHER NOT k-ANONYMOUS  {described} are in joint classes below k = {k}{_smallest_text(facts)}"
    if any(side["undecided"] for side in sides):
        worst = max(sides, key=lambda side: side["undecided"])
        return (
            f"TOGETHER NOT SHOWN  {worst['undecided']:,} of {worst['records']:,} records may be in joint classes below"
            f" k = {k}: what both show does not tell in which they are"
        )
    stamp = "TOGETHER VERIFIED " if facts["ok"] else "TOGETHER NOT VERIFIED  sensitive values are left alone;"
    return f"{stamp} k = {k} holds{_smallest_text(facts)}"


def _smallest_text(facts: Mapping[str, Any]) -> str:
    if facts["min_joint_class"] is None:
        return ": no record is linked for sure"
    return (
        f"; the smallest of {pluralize(facts['joint_classes'], 'joint class')}"
        f" has {pluralize(facts['min_joint_class'], 'record')}"
    )


def _disclosures(facts: Mapping[str, Any]) -> Iterator[str]:
    for side, other in zip(facts["release"]["told"], facts["other"]["told"], strict=True):
        worst = max((side, other), key=lambda each: (each["records"], each["undecided"]))
        if worst["records"] or worst["undecided"]:
            undecided = f", and may be left of {worst['undecided']:,}" if worst["undecided"] else ""
            yield (
                f"  TOLD    {shorten(side['column'])}: one value is left of {pluralize(worst['records'], 'record')}"
                f" that no class alone gave away{undecided}"
            )
        else:
            yield f"  hidden  {shorten(side['column'])}: no value is left that a class alone did not give away"


def _linked(facts: Mapping[str, Any]) -> str:
    side, other = facts["release"], facts["other"]
    names = ", ".join(shorten(name) for name in other["quasi_identifiers"])
    how = {
        "order": "by the order of the records",
        "columns": f"by {', '.join(shorten(name) for name in facts['shared_columns'])}",
        "nothing": "by nothing: no column that is no quasi-identifier is in both",
    }[facts["linked_by"]]
    absent = f", {side['absent']:,} are not in the other" if side["absent"] else ""
    return (
        f"  linked {how}: {side['linked']:,} of {side['records']:,} records to one class of the other{absent};"
        f" that is counted on {names} of {pluralize(other['records'], 'record')}"
    )
