"""The report of a release: one page for the files of an office, from the facts of its summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from shoal.measure import Measure
from shoal.report import frontier, html, shapes
from shoal.report.charts import KEY, bars, pairs
from shoal.report.external import EXTERNAL
from shoal.report.figures import applying, brief, figure, headlines, references, titled
from shoal.report.glossary import TERMS
from shoal.report.text import MISSING, grouped, listed, measured_on, missing_values, suppression
from shoal.words import counted, number

Facts = Mapping[str, Any]
_MARKS = {
    "internal": "Internal: contains figures and values of the original data; do not publish.",
    "external": "External version: counts of fewer than {least} records, rare values and extremes are not shown, and"
    " figures about the original are rounded.",
}
_MOST_RISKS, _MOST_LOSSES = 6, 4
"""Figures in boxes at the top."""
_MOST_SIZES = 20
"""Bars of groups that are drawn one a size."""
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


def page(facts: Facts, *, title: str = "Report of a protected release") -> str:
    """The report, from the facts of `detailed` or of what outsiders may see of them."""
    made = [(anchor, name, part, write) for anchor, name, write in _SECTIONS if (part := write(facts))]
    contents = "".join(f'<li><a href="#{anchor}">{escape(name)}</a></li>' for anchor, name, *_ in made)
    mark = _MARKS[facts["version"]].format(least=facts.get("least"))
    return html.document(
        title,
        html.paragraph(f"Made by Shoal {facts['shoal']}.", "by"),
        html.paragraph(mark, "mark" if facts["version"] == EXTERNAL else "warning"),
        _verdict(facts["verification"]),
        _cards(facts["evaluation"]),
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>',
        # a comparison brings its own heading
        *(
            f'<div id="{anchor}">{part}</div>' if write is _frontier else html.section(name, part, anchor=anchor)
            for anchor, name, part, write in made
        ),
        "<footer>A class is a set of records with the same released quasi-identifiers. The release was read back and"
        f" counted before it was given its name; {MISSING[facts['verification']['missing']]}.</footer>",
    )


def _verdict(proof: Facts) -> str:
    stamp = "Verified:" if proof["ok"] else "Not verified:"
    models = "".join(f", and {check['model']} on {check['column']}" for check in proof["models"] if check["ok"])
    said = (
        f" k = {proof['k']} holds on the released values{models}. The smallest of {proof['classes']:,} classes has"
        f" {number(proof['min_class'])} {proof['unit']}; there are {counted(proof['records'], 'record')}."
    )
    kind = "verdict" if proof["ok"] else "verdict broken"
    return f'<p class="{kind}"><strong>{stamp}</strong>{escape(said)}</p>'


def _cards(figures: Facts) -> str:
    """The headlines, each in a box: risks before and after, then losses."""
    before, after = figures["risk"]["before"], figures["risk"]["after"]
    boxes = []
    for risk in headlines("risk", after)[:_MOST_RISKS]:
        was = before.get(risk.name)
        past = "" if was is None else f" <small>before: {escape(brief(was, risk.unit))}</small>"
        boxes.append((risk.label, brief(after[risk.name], risk.unit), past))
    boxes += [
        (loss.label, brief(figures["loss"][loss.name], loss.unit), "")
        for loss in headlines("loss", figures["loss"])[:_MOST_LOSSES]
    ]
    made = (f"<div><dt>{escape(name)}</dt><dd><b>{escape(now)}</b>{past}</dd></div>" for name, now, past in boxes)
    return f'<dl class="cards">{"".join(made)}</dl>'


def _warnings(facts: Facts) -> str:
    return "".join(html.paragraph(sentence, "warning") for sentence in facts["warnings"])


def _words(facts: Facts) -> str:
    return html.listing(facts["sentences"])


def _asked(facts: Facts) -> str:
    """The policy in words."""
    policy, proof = facts["policy"], facts["verification"]
    names = [column["name"] for column in policy["columns"] if column["role"] == "quasi-identifier"]
    who = "household" if proof["unit"] == "households" else "record"
    said = [
        f"Every {who} shall hide among at least k = {proof['k']} alike in {listed(names)}.",
        *(f"In every class {model['model']} shall hold for {listed(model['column'])}." for model in policy["models"]),
    ]
    ways: dict[str, list[str]] = {}
    for column in policy["columns"]:
        if column["role"] == "quasi-identifier":
            ways.setdefault(column.get("recode", ""), []).append(column["name"])
    said += [f"A group shows {_RECODED[way]} for {listed(names)}." for way, names in ways.items() if way in _RECODED]
    said.append(f"Groups are made by {facts['method']['name']}: {_sentence(facts['method']['summary'])}")
    said.append(f"Missing values: {missing_values(policy)}; {MISSING[proof['missing']]}.")
    if policy["release"]["suppression"]:
        said.append(f"At most {suppression(policy)} of the records may lose all quasi-identifiers.")
    survey = policy["survey"]
    if "sampling_weights" in survey:
        said.append(f"Records stand for as many persons as {listed(survey['sampling_weights'])} says.")
    if "strata" in survey:
        said.append(f"No group crosses the strata by {listed(survey['strata'])}.")
    if "households" in survey:
        said.append(f"The members of a household, by {listed(survey['households'])}, stay together.")
    return html.listing(said)


def _sentence(text: str) -> str:
    plain = text.replace("``", "").rstrip(".")
    return f"{plain[:1].lower()}{plain[1:]}." if plain[1:2].islower() else f"{plain}."


def _groups(facts: Facts) -> str:
    """How the groups came about, where a method chose by itself or local search improved them."""
    said, search = grouped(facts), facts["search"]
    if not said:
        return ""
    if search is None or facts["version"] == EXTERNAL:
        return html.listing([*said, *([_SEARCH] if search else [])])
    rows = [
        ["effort", search["effort"]],
        ["squared error before the search", figure(search["before"])],
        ["squared error after it", figure(search["after"])],
        ["lowered by", brief(search["gained"], "%")],
        *([["steps of annealing", f"{search['done']:,} of {search['planned']:,}"]] if search["planned"] else []),
    ]
    table = html.table(["Fact", "Figure"], rows, numbers=frozenset({1}), caption="Local search")
    return "".join([html.listing([*said, _SEARCH]), table])


def _data(facts: Facts) -> str:
    data = facts["data"]
    roles = [f"{count:,} {role}" for role, count in data["columns"].items()]
    rows = [
        ["records", figure(data["records"])],
        ["columns", f"{sum(data['columns'].values()):,} ({', '.join(roles)})"],
        ["records without quasi-identifiers", figure(data["suppressed"])],
        *([f"missing in {name}", figure(cells)] for name, cells in data["missing"].items() if cells),
    ]
    return html.table(["Fact", "Figure"], rows, caption="The table that came in")


def _risk(facts: Facts) -> str:
    before, after = facts["evaluation"]["risk"]["before"], facts["evaluation"]["risk"]["after"]
    rows = (
        [_told(risk), figure(before.get(risk.name)), figure(after.get(risk.name))]
        for risk in applying("risk", before, after)
    )
    table = html.table(
        ["Measure", "Before", "After"],
        rows,
        numbers=frozenset({1, 2}),
        caption="Every risk that applies, in the original and in the release",
    )
    bands = [(_band(band), band["before"], band["after"]) for band in facts["class_bands"]]
    return "".join(
        [
            table,
            html.paragraph("f is the number of records alike a record, r the risk of a record.", "note"),
            "<h3>Records by the size of their class</h3>",
            KEY,
            pairs(bands, "Records by the size of their class"),
            html.paragraph("Who is alike f − 1 others is found in at most 1 of f tries.", "note"),
        ]
    )


def _told(measure: Measure, what: str = "") -> html.Cell:
    """The name of a measure, what it is, and what is good."""
    return titled(measure), f"{what or measure.formula}; good: {measure.good}"


def _band(band: Facts) -> str:
    low, high = band["from"], band["to"]
    if high is None:
        return f"{low:,} or more alike"
    return "alone" if high == 1 else f"{low:,} alike" if low == high else f"{low:,} to {high:,} alike"


def _attacks(facts: Facts) -> str:
    found = facts["evaluation"]["attacks"]
    rows = [[_told(one, one.summary.rstrip(".")), figure(found[one.name])] for one in applying("attack", found)]
    if not rows:
        return ""
    return html.table(
        ["Attack", "Figure"],
        rows,
        numbers=frozenset({1}),
        caption="Carried out on the release by somebody who knows the original quasi-identifiers",
    )


def _sensitive(facts: Facts) -> str:
    checks, found = facts["verification"]["models"], facts["evaluation"]["disclosures"]
    parts = []
    if checks:
        rows = [
            [check["column"], check["model"], number(check["reached"]), "holds" if check["ok"] else "broken"]
            for check in checks
        ]
        parts.append(
            html.table(
                ["Column", "Model", "In the worst class", "Verdict"],
                rows,
                numbers=frozenset({2}),
                caption="Privacy models on sensitive columns",
            )
        )
    return "".join([*parts, _by_column("Sensitive column", "disclosure", found, "What classes give away")])


def _by_column(title: str, family: str, found: Mapping[str, Facts], caption: str) -> str:
    """A row a column, a figure a cell; below it what the figures are."""
    known = applying(family, *found.values())
    if not known:
        return ""
    order = sorted(found, key=lambda name: -(found[name].get("loss") or 0))
    rows = ([name, *(brief(found[name].get(one.name)) for one in known)] for name in order)
    table = html.table([title, *map(titled, known)], rows, numbers=frozenset(range(1, len(known) + 1)), caption=caption)
    told = "".join(
        f"<dt>{escape(one.label)}</dt><dd>: {escape(one.formula)}; good: {escape(one.good)}</dd>" for one in known
    )
    return f'<div class="dense">{table}</div><dl class="terms note">{told}</dl>'


def _cost(facts: Facts) -> str:
    found = facts["evaluation"]["loss"]
    rows = ([_told(one), figure(found[one.name])] for one in applying("loss", found))
    table = html.table(["Measure", "Figure"], rows, numbers=frozenset({1}), caption="Every loss that applies")
    notes = (html.paragraph(note, "note") for note in facts["evaluation"]["notes"])
    return "".join([table, html.paragraph(f"Measured {measured_on(facts['evaluation'])}.", "note"), *notes])


def _columns_lost(facts: Facts) -> str:
    figures = facts["evaluation"]
    lost = sorted(figures["columns"].items(), key=lambda item: -item[1])
    parts = [bars([(name, value, brief(value, "%")) for name, value in lost], "Loss of each column", whole=100)]
    parts.append(_by_column("Quasi-identifier", "change", figures["changes"], "What happened to each quasi-identifier"))
    drawn = [shapes.section(found) for found in facts.get("distributions", ())]
    if drawn:
        parts += ["<h3>Values before and after</h3>", KEY, f'<div class="charts">{"".join(drawn)}</div>']
    return "".join(parts) if lost or drawn else ""


def _levels(facts: Facts) -> str:
    found = [(one["name"], one["depths"]) for one in facts.get("distributions", ()) if one["depths"]]
    levels = sorted({level for _, depths in found for level, _ in depths})
    rows = [[name, *(figure(dict(depths).get(level, 0)) for level in levels)] for name, depths in found]
    if not rows:
        return ""
    return html.table(
        ["Column", *(f"Level {level}" for level in levels)],
        rows,
        numbers=frozenset(range(1, len(levels) + 1)),
        caption="Released records on each level of a hierarchy; level 1 is the root, which tells nothing",
    )


def _sizes(facts: Facts) -> str:
    """The number of groups of each size; where sizes are many, from k to 2k - 1, then twice that, and so on."""
    sizes = {int(size): count for size, count in facts["group_sizes"].items()}
    if not sizes:
        return ""
    found = {f"{counted(size, 'record')}": count for size, count in sizes.items()}
    if len(sizes) > _MOST_SIZES:
        found, low = {}, int(facts["verification"]["k"])
        while low <= max(sizes):
            inside = sum(count for size, count in sizes.items() if low <= size < 2 * low)
            found |= {f"{low:,} to {2 * low - 1:,} records": inside} if inside else {}
            low *= 2
    drawn = bars([(size, count, counted(count, "group")) for size, count in found.items()], "Groups by size")
    hidden = f"Sizes of fewer than {facts['least']} groups are not shown." if facts["version"] == EXTERNAL else ""
    return drawn + (html.paragraph(hidden, "note") if hidden else "")


def _frontier(facts: Facts) -> str:
    """What other ways would have cost, if they were compared."""
    return frontier.section(facts["comparison"]) if "comparison" in facts else ""


def _columns(facts: Facts) -> str:
    rows = (
        [column["name"], column["role"], column["kind"], column.get("recode", ""), _hierarchy(column)]
        for column in facts["policy"]["columns"]
    )
    named = facts["version"] != EXTERNAL
    head = ["Column", "Role", "Kind", "Recoded to", "Hierarchy"]
    return html.table(
        head if named else head[:-1],
        (row if named else row[:-1] for row in rows),
        caption="Identifiers are dropped; quasi-identifiers are replaced by one value a group; all else is as it was",
    )


def _hierarchy(column: Facts) -> str:
    hierarchy = column.get("hierarchy", {})
    return f"{hierarchy.get('file', 'in memory')} ({hierarchy['sha256'][:12]}…)" if hierarchy else ""


def _made(facts: Facts) -> str:
    policy = facts["policy"]
    rows = [
        ["k", str(policy["release"]["k"])],
        ["method", facts["method"]["name"]],
        *([name, str(policy["release"][name])] for name in ("seed",) if name in policy["release"]),
        ["missing values", missing_values(policy)],
        ["records that may be suppressed", suppression(policy)],
        *([name.replace("_", " "), listed(value)] for name, value in policy["survey"].items()),
        *([f"bounds of {name}", listed(value)] for name, value in policy["bounds"].items()),
        *([name, str(value)] for name, value in policy["options"].items()),
        *([f"refined, {name}", listed(value)] for name, value in policy["refine"].items()),
        *([f"weight of {name}", str(value)] for name, value in policy["weights"].items()),
        *([f"input {name}", str(value)] for name, value in policy["input"].items() if name != "settings"),
        *([f"output {name}", str(value)] for name, value in policy["output"].items()),
        *([f"version of {name}", value] for name, value in policy["versions"].items()),
    ]
    return html.table(["Decision or fact", "Value"], rows, caption="The policy of the release")


def _cite(facts: Facts) -> str:
    own = f"Shoal {facts['shoal']}: microaggregation with a verified promise."
    return html.listing([own, f"The method: {facts['method']['paper']}.", *references(facts["evaluation"])])


def _glossary(_: Facts) -> str:
    told = "".join(f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>" for term, meaning in TERMS.items())
    return f'<dl class="terms">{told}</dl>'


_SECTIONS: Sequence[tuple[str, str, Callable[[Facts], str]]] = (
    ("look", "Look at this", _warnings),
    ("words", "In plain words", _words),
    ("asked", "What was asked", _asked),
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
    ("made", "How it was made", _made),
    ("cite", "How to cite", _cite),
    ("glossary", "Glossary", _glossary),
)
