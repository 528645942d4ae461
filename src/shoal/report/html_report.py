"""HTML report of a release, from the facts of its summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from shoal.errors.messages import format_number, pluralize
from shoal.report import frontier_chart, html
from shoal.report.external import EXTERNAL
from shoal.report.format import (
    applicable_measures,
    citations,
    format_brief,
    format_value,
    headline_measures,
    label_with_unit,
)
from shoal.report.svg_charts import LEGEND, bar_chart, distribution_chart, paired_bar_chart
from shoal.report.text import (
    MISSING_TEXT,
    grouping_notes,
    loss_basis,
    missing_values_text,
    suppression_text,
    value_text,
)

Facts = Mapping[str, Any]
_MARKS = {
    "internal": "Internal: contains figures and values of the original data; do not publish.",
    "external": "External version: counts of fewer than {least} records, rare values and extremes are not shown, and"
    " figures about the original are rounded.",
}
_MAX_RISKS, _MAX_LOSSES = 6, 4
_MAX_SIZES = 20
"""Maximum number of group sizes with a bar of their own."""
_SEARCH = (
    "Local search moves records to other groups, lets two change places, splits groups and merges them, as long as that"
    " brings records nearer to the centers of their groups; every group keeps k and all else that was asked."
)
_RECODED = {
    "mean": "its mean",
    "median": "its median",
    "interval": "the interval of its values",
    "centroid": "its semantic centroid",
    "mode": "its most frequent value",
    "lcs": "the least common node above its values",
}
_SURVEY = {
    "sampling_weights": "Records stand for as many persons as {} says.",
    "strata": "No group crosses the strata by {}.",
    "households": "The members of a household, by {}, stay together.",
}


def page(facts: Facts, *, title: str = "Report of a protected release") -> str:
    """Render the report, from the facts of `report_facts` or of `external_facts`."""
    sections = [(anchor, name, part, write) for anchor, name, write in _SECTIONS if (part := write(facts))]
    contents = "".join(f'<li><a href="#{anchor}">{escape(name)}</a></li>' for anchor, name, *_ in sections)
    version_note = _MARKS[facts["version"]].format(least=facts.get("least"))
    return html.document(
        title,
        html.paragraph(f"Made by Shoal {facts['shoal']}.", "by"),
        html.paragraph(version_note, "mark" if facts["version"] == EXTERNAL else "warning"),
        _verdict(facts["verification"]),
        _cards(facts["evaluation"]),
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>',
        # a comparison has its own heading
        *(
            f'<div id="{anchor}">{part}</div>' if write is _frontier else html.section(name, part, anchor=anchor)
            for anchor, name, part, write in sections
        ),
        "<footer>A class is a set of records with the same released quasi-identifiers. The release was read back and"
        f" counted before it was given its name; {MISSING_TEXT[facts['verification']['missing']]}.</footer>",
    )


def _verdict(proof: Facts) -> str:
    stamp = "Verified:" if proof["ok"] else "Not verified:"
    models = "".join(f", and {check['model']} on {check['column']}" for check in proof["models"] if check["ok"])
    sentence = (
        f" k = {proof['k']} holds on the released values{models}. The smallest of {proof['classes']:,} classes has"
        f" {format_number(proof['min_class'])} {proof['unit']}; there are {pluralize(proof['records'], 'record')}."
    )
    kind = "verdict" if proof["ok"] else "verdict broken"
    return f'<p class="{kind}"><strong>{stamp}</strong>{escape(sentence)}</p>'


def _cards(figures: Facts) -> str:
    before, after = figures["risk"]["before"], figures["risk"]["after"]
    risks = headline_measures("risk", after)[:_MAX_RISKS]
    losses = headline_measures("loss", figures["loss"])[:_MAX_LOSSES]
    cards = [(one, after[one.name], before.get(one.name)) for one in risks]
    cards += [(one, figures["loss"][one.name], None) for one in losses]
    items = []
    for one, value, value_before in cards:
        brief, brief_before = escape(format_brief(value, one.unit)), escape(format_brief(value_before, one.unit))
        note = "" if value_before is None else f" <small>before: {brief_before}</small>"
        items.append(f"<div><dt>{escape(one.label)}</dt><dd><b>{brief}</b>{note}</dd></div>")
    return f'<dl class="cards">{"".join(items)}</dl>'


def _warnings(facts: Facts) -> str:
    return "".join(html.paragraph(sentence, "warning") for sentence in facts["warnings"])


def _policy_section(facts: Facts) -> str:
    policy, proof = facts["policy"], facts["verification"]
    names = [column["name"] for column in policy["columns"] if column["role"] == "quasi-identifier"]
    unit = "household" if proof["unit"] == "households" else "record"
    sentences = [
        f"Every {unit} shall hide among at least k = {proof['k']} alike in {value_text(names)}.",
        *(
            f"In every class {model['model']} shall hold for {value_text(model['column'])}."
            for model in policy["models"]
        ),
    ]
    by_recoding: dict[str, list[str]] = {}
    for column in policy["columns"]:
        if column["role"] == "quasi-identifier":
            by_recoding.setdefault(column.get("recode", ""), []).append(column["name"])
    sentences += [
        f"A group shows {_RECODED[way]} for {value_text(names)}."
        for way, names in by_recoding.items()
        if way in _RECODED
    ]
    sentences.append(f"Groups are made by {facts['method']['name']}: {_sentence(facts['method']['summary'])}")
    sentences.append(f"Missing values: {missing_values_text(policy)}; {MISSING_TEXT[proof['missing']]}.")
    if policy["release"]["suppression"]:
        sentences.append(f"At most {suppression_text(policy)} of the records may lose all quasi-identifiers.")
    survey = policy["survey"]
    sentences += [text.format(value_text(survey[name])) for name, text in _SURVEY.items() if name in survey]
    return html.bullet_list(sentences)


def _sentence(text: str) -> str:
    plain = text.replace("``", "").rstrip(".")
    return f"{plain[:1].lower()}{plain[1:]}." if plain[1:2].islower() else f"{plain}."


def _groups(facts: Facts) -> str:
    """How the groups were formed, if the method chose among starts or local search improved them."""
    sentences, search = grouping_notes(facts), facts["search"]
    if not sentences:
        return ""
    if search is None or facts["version"] == EXTERNAL:
        return html.bullet_list([*sentences, *([_SEARCH] if search else [])])
    rows = [
        ["effort", search["effort"]],
        ["squared error before the search", format_value(search["before"])],
        ["squared error after it", format_value(search["after"])],
        ["lowered by", format_brief(search["gained"], "%")],
        *([["steps of annealing", f"{search['done']:,} of {search['planned']:,}"]] if search["planned"] else []),
    ]
    table = html.table(["Fact", "Figure"], rows, numbers=frozenset({1}), caption="Local search")
    return "".join([html.bullet_list([*sentences, _SEARCH]), table])


def _data(facts: Facts) -> str:
    data = facts["data"]
    roles = [f"{count:,} {role}" for role, count in data["columns"].items()]
    rows = [
        ["records", format_value(data["records"])],
        ["columns", f"{sum(data['columns'].values()):,} ({', '.join(roles)})"],
        ["records without quasi-identifiers", format_value(data["suppressed"])],
        *([f"missing in {name}", format_value(cells)] for name, cells in data["missing"].items() if cells),
    ]
    return html.table(["Fact", "Figure"], rows, caption="The table that came in")


def _risk(facts: Facts) -> str:
    before, after = facts["evaluation"]["risk"]["before"], facts["evaluation"]["risk"]["after"]
    table = _measures(
        "Measure",
        "risk",
        {"Before": before, "After": after},
        "Every risk that applies, in the original and in the release",
    )
    bands = [(_band(band), band["before"], band["after"]) for band in facts["class_bands"]]
    return "".join(
        [
            table,
            html.paragraph("f is the number of records alike a record, r the risk of a record.", "note"),
            "<h3>Records by the size of their class</h3>",
            LEGEND,
            paired_bar_chart(bands, "Records by the size of their class"),
            html.paragraph("Who is alike f − 1 others is found in at most 1 of f tries.", "note"),
        ]
    )


def _measures(head: str, family: str, figures: Mapping[str, Facts], caption: str) -> str:
    """Table of the measures that apply, with their formulas and good directions; empty if there are none."""
    rows: list[list[html.Cell]] = []
    for one in applicable_measures(family, *figures.values()):
        definition = one.summary.rstrip(".") if family == "attack" else one.formula
        cells = [format_value(values.get(one.name)) for values in figures.values()]
        rows.append([(label_with_unit(one), f"{definition}; good: {one.good}"), *cells])
    numbers = frozenset(range(1, len(figures) + 1))
    return html.table([head, *figures], rows, numbers=numbers, caption=caption)


def _band(band: Facts) -> str:
    low, high = band["from"], band["to"]
    if high is None:
        return f"{low:,} or more alike"
    return "alone" if high == 1 else f"{low:,} alike" if low == high else f"{low:,} to {high:,} alike"


def _attacks(facts: Facts) -> str:
    caption = "Carried out on the release by somebody who knows the original quasi-identifiers"
    return _measures("Attack", "attack", {"Figure": facts["evaluation"]["attacks"]}, caption)


def _sensitive(facts: Facts) -> str:
    checks, disclosures = facts["verification"]["models"], facts["evaluation"]["disclosures"]
    rows = [
        [check["column"], check["model"], format_number(check["reached"]), "holds" if check["ok"] else "broken"]
        for check in checks
    ]
    head, caption = ["Column", "Model", "In the worst class", "Verdict"], "Privacy models on sensitive columns"
    table = html.table(head, rows, numbers=frozenset({2}), caption=caption)
    return table + _by_column("Sensitive column", "disclosure", disclosures, "What classes give away")


def _by_column(title: str, family: str, by_column: Mapping[str, Facts], caption: str) -> str:
    """Table with one row per column and one measure per cell, followed by definitions of the measures."""
    known = applicable_measures(family, *by_column.values())
    if not known:
        return ""
    order = sorted(by_column, key=lambda name: -(by_column[name].get("loss") or 0))
    rows = ([name, *(format_brief(by_column[name].get(one.name)) for one in known)] for name in order)
    table = html.table(
        [title, *map(label_with_unit, known)], rows, numbers=frozenset(range(1, len(known) + 1)), caption=caption
    )
    definitions = "".join(
        f"<dt>{escape(one.label)}</dt><dd>: {escape(one.formula)}; good: {escape(one.good)}</dd>" for one in known
    )
    return f'<div class="dense">{table}</div><dl class="terms note">{definitions}</dl>'


def _cost(facts: Facts) -> str:
    table = _measures("Measure", "loss", {"Figure": facts["evaluation"]["loss"]}, "Every loss that applies")
    notes = (html.paragraph(note, "note") for note in facts["evaluation"]["notes"])
    return "".join([table, html.paragraph(f"Measured {loss_basis(facts['evaluation'])}.", "note"), *notes])


def _columns_lost(facts: Facts) -> str:
    figures = facts["evaluation"]
    lost = sorted(figures["columns"].items(), key=lambda item: -item[1])
    parts = [
        bar_chart([(name, value, format_brief(value, "%")) for name, value in lost], "Loss of each column", whole=100)
    ]
    parts.append(_by_column("Quasi-identifier", "change", figures["changes"], "What happened to each quasi-identifier"))
    charts = [distribution_chart(distribution) for distribution in facts.get("distributions", ())]
    if charts:
        parts += ["<h3>Values before and after</h3>", LEGEND, f'<div class="charts">{"".join(charts)}</div>']
    return "".join(parts) if lost or charts else ""


def _levels(facts: Facts) -> str:
    depths_by_column = [(one["name"], one["depths"]) for one in facts.get("distributions", ()) if one["depths"]]
    levels = sorted({level for _, depths in depths_by_column for level, _ in depths})
    rows = [
        [name, *(format_value(dict(depths).get(level, 0)) for level in levels)] for name, depths in depths_by_column
    ]
    return html.table(
        ["Column", *(f"Level {level}" for level in levels)],
        rows,
        numbers=frozenset(range(1, len(levels) + 1)),
        caption="Released records on each level of a hierarchy; level 1 is the root, which tells nothing",
    )


def _sizes(facts: Facts) -> str:
    """Number of groups by size; if there are many sizes, from k to 2k - 1, then twice that, and so on."""
    sizes = {int(size): count for size, count in facts["group_sizes"].items()}
    if not sizes:
        return ""
    groups_by_label = {pluralize(size, "record"): count for size, count in sizes.items()}
    if len(sizes) > _MAX_SIZES:
        groups_by_label, low = {}, int(facts["verification"]["k"])
        while low <= max(sizes):
            inside = sum(count for size, count in sizes.items() if low <= size < 2 * low)
            groups_by_label |= {f"{low:,} to {2 * low - 1:,} records": inside} if inside else {}
            low *= 2
    chart = bar_chart(
        [(size, count, pluralize(count, "group")) for size, count in groups_by_label.items()], "Groups by size"
    )
    if facts["version"] == EXTERNAL:
        chart += html.paragraph(f"Sizes of fewer than {facts['least']} groups are not shown.", "note")
    return chart


def _frontier(facts: Facts) -> str:
    return frontier_chart.section(facts["comparison"]) if "comparison" in facts else ""


def _columns(facts: Facts) -> str:
    rows = [["Column", "Role", "Kind", "Recoded to", "Hierarchy"]]
    rows += (
        [column["name"], column["role"], column["kind"], column.get("recode", ""), _hierarchy(column)]
        for column in facts["policy"]["columns"]
    )
    head, *body = [row[:-1] for row in rows] if facts["version"] == EXTERNAL else rows
    caption = "Identifiers are dropped; quasi-identifiers are replaced by one value a group; all else is as it was"
    return html.table(head, body, caption=caption)


def _hierarchy(column: Facts) -> str:
    hierarchy = column.get("hierarchy", {})
    return f"{hierarchy.get('file', 'in memory')} ({hierarchy['sha256'][:12]}…)" if hierarchy else ""


def _settings(facts: Facts) -> str:
    policy = facts["policy"]
    rows = [
        ["k", str(policy["release"]["k"])],
        ["method", facts["method"]["name"]],
        *([["seed", str(policy["release"]["seed"])]] if "seed" in policy["release"] else []),
        ["missing values", missing_values_text(policy)],
        ["records that may be suppressed", suppression_text(policy)],
        *([name.replace("_", " "), value_text(value)] for name, value in policy["survey"].items()),
        *([f"bounds of {name}", value_text(value)] for name, value in policy["bounds"].items()),
        *([name, str(value)] for name, value in policy["options"].items()),
        *([f"refined, {name}", value_text(value)] for name, value in policy["refine"].items()),
        *([f"weight of {name}", str(value)] for name, value in policy["weights"].items()),
        *([f"input {name}", str(value)] for name, value in policy["input"].items() if name != "settings"),
        *([f"output {name}", str(value)] for name, value in policy["output"].items()),
        *([f"version of {name}", value] for name, value in policy["versions"].items()),
    ]
    return html.table(["Decision or fact", "Value"], rows, caption="The policy of the release")


def _citation(facts: Facts) -> str:
    own = f"Shoal {facts['shoal']}: microaggregation with a verified promise."
    return html.bullet_list([own, f"The method: {facts['method']['paper']}.", *citations(facts["evaluation"])])


def _glossary(_: Facts) -> str:
    items = "".join(f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>" for term, meaning in TERMS.items())
    return f'<dl class="terms">{items}</dl>'


_SECTIONS: Sequence[tuple[str, str, Callable[[Facts], str]]] = (
    ("look", "Look at this", _warnings),
    ("words", "In plain words", lambda facts: html.bullet_list(facts["sentences"])),
    ("asked", "What was asked", _policy_section),
    ("groups", "How the groups were made", _groups),
    ("data", "The data in short", _data),
    ("risk", "Risk before and after", _risk),
    ("attacks", "Attacks carried out", _attacks),
    ("sensitive", "Sensitive columns", _sensitive),
    ("cost", "What it cost", _cost),
    ("lost", "What each column lost", _columns_lost),
    ("levels", "Hierarchy levels used", _levels),
    ("sizes", "Groups by size", _sizes),
    ("frontier", "Other ways, compared", _frontier),
    ("columns", "The columns", _columns),
    ("made", "How it was made", _settings),
    ("cite", "How to cite", _citation),
    ("glossary", "Glossary", _glossary),
)


TERMS = {
    "record": "one row of the table: one person, or one household or enterprise.",
    "identifier": "a column that names a person; dropped from every release.",
    "quasi-identifier": "a column that an outsider could know, such as age or place; protected.",
    "sensitive column": "what nobody may learn about a person, such as a diagnosis; released as it is.",
    "group": "records that the method put together; at least k of them.",
    "class": "records with the same released quasi-identifiers.",
    "k": "the least number of records in a class: who knows a person's quasi-identifiers cannot tell k records apart.",
    "unique record": "one that is alone with its quasi-identifiers.",
    "individual risk": "the chance that somebody who knows the quasi-identifiers of a person finds the record.",
    "global risk": "the mean of the individual risks.",
    "l-diversity": "every class has several different, or well represented, values of a sensitive column.",
    "t-closeness": "in every class the values of a sensitive column are spread much as in the whole table.",
    "information loss": "the share of the variation of the numbers that the release no longer has.",
    "semantic loss": "the same for categories, by how far apart they are in meaning.",
    "squared error": "the sum of the squared distances of the records to the centers of their groups.",
    "local search": "small changes of groups that lower the squared error, made until none is left that does.",
    "annealing": "local search that at first also takes changes for the worse, and ever fewer of them.",
    "hierarchy": "a tree of values, each standing for all that is below it.",
    "suppressed record": "one that shows no quasi-identifier.",
    "policy": "the decisions behind a release, as a file; with the same input it makes the same release again.",
}
