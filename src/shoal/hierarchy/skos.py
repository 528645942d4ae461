"""Triples of SKOS, the W3C's vocabulary for thesauri and classifications: ``pigeon skos:broader bird``.

A line is a subject, a predicate and an object: N-Triples, or columns separated by tabs, semicolons, commas or spaces.
``broader`` and ``narrower`` make the tree, ``prefLabel`` names its nodes (the English one, else one without a
language, else the first); every other predicate is passed over. A concept without a label has the last part of its IRI
as its name. A concept with two broader ones fits no tree and is never given one of them silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Hierarchy

SKOS = "http://www.w3.org/2004/02/skos/core#"
_WORDS = {form + word: word for word in ("broader", "narrower", "prefLabel") for form in ("", "skos:", SKOS)}

_LITERAL = re.compile(r'"((?:[^"\\]|\\.|"")*+)"(?:@([A-Za-z0-9-]+)|\^\^\S+)?')
_ESCAPE = re.compile(r'\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\(.)|""')
_CONTROLS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_IRI = re.compile(r"urn:|[A-Za-z][A-Za-z0-9+.-]*://")
_REMARK = re.compile(r"\.\s*+#")
_NO_TRIPLE = re.compile(r"\s*(?:#|@prefix\b|@base\b|PREFIX\b|BASE\b|$)")

Triple = tuple[str, str, str]
"""As they stand in the file, with brackets and quotation marks."""


def _line(separator: str) -> re.Pattern[str]:
    # possessive throughout: what a line is not is known after one look at each of its characters
    bare, between = rf'[^<"\s{separator}][^"{separator}]*+', rf"{separator}[ ]*+"
    if separator == " ":
        bare, between = r'[^<"\s]\S*+', "[ \t]++"
    literal = rf'"(?:[^"\\]|\\.|"")*+"(?:@[A-Za-z0-9-]++|\^\^(?:<[^>]*>|[^\s{separator}<]++))?'
    term = rf"(<[^>]*>|{literal}|{bare})"
    # a full stop ends a triple where it stands by itself
    return re.compile(rf"\s*+{term}{between}{term}{between}{term}\s*+(?:\.\s*+(?:#.*)?)?")


_LINES = {separator: _line(separator) for separator in "\t;, "}


def is_tree_word(predicate: str) -> bool:
    return _WORDS.get(_bare(predicate)) in ("broader", "narrower")


def from_text(text: str, *, delimiter: str | None = None) -> Hierarchy:
    """The tree of the triples of a file."""
    triples: list[Triple] = []
    places: list[str] = []
    pattern = None if delimiter is None else _LINES.get(delimiter) or _line(re.escape(delimiter))
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        if _NO_TRIPLE.match(line):
            continue
        pattern = pattern or _sniffed(line)
        found = _matched(pattern, line)
        if found is None:
            raise HierarchyError.odd_line(f"line {number:,}", "a subject, a predicate and an object")
        triples.append((found[1], found[2], found[3]))
        places.append(f"line {number:,}")
    if not triples:
        raise HierarchyError.empty()
    return from_triples(triples, places=places)


def _matched(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """The three terms of a line, be there a remark behind them that no term could hold."""
    remark = None if (found := pattern.fullmatch(line)) else _REMARK.search(line)
    return found if remark is None else pattern.fullmatch(line[: remark.start()])


def _sniffed(line: str) -> re.Pattern[str]:
    """The first of tab, semicolon, comma and space that makes three of a line; of N-Triples the space."""
    if line.lstrip().startswith(("<", "_:")) and _matched(_LINES[" "], line):
        return _LINES[" "]
    return next((known for known in _LINES.values() if _matched(known, line)), _LINES[" "])


def from_triples(triples: Iterable[Triple], *, places: Sequence[str]) -> Hierarchy:
    """The tree of triples; ``places`` says where each stands, such as ``line 7``."""
    edges: list[tuple[str, str]] = []
    lines: list[str] = []
    labels: dict[str, tuple[int, str]] = {}
    for (subject, predicate, object_), place in zip(triples, places, strict=True):
        word = _WORDS.get(_bare(predicate))
        if word is None:
            continue
        concept = _bare(subject)
        if word == "prefLabel":
            label, language = _literal(object_, place)
            rank = 0 if language.split("-")[0] == "en" else 1 if not language else 2
            if rank < labels.get(concept, (3, ""))[0]:
                labels[concept] = rank, label
            continue
        other = _bare(object_)
        edges.append((concept, other) if word == "broader" else (other, concept))
        lines.append(place)
    if not edges:
        raise HierarchyError.no_relation()
    concepts = dict.fromkeys(concept for edge in edges for concept in edge)
    names = {concept: labels[concept][1] if concept in labels else _local(concept) for concept in concepts}
    shared = len(names) - len(set(names.values()))
    if shared:
        raise HierarchyError.same_names(shared)
    return Hierarchy.from_edges([(names[child], names[parent]) for child, parent in edges], places=lines)


def _bare(term: str) -> str:
    """A term without its brackets or quotation marks."""
    term = term.strip()
    # a quoted field of a csv file may hold a term in quotation marks, and no more than that
    for _ in range(2):
        if len(term) > 1 and term.startswith('"') and term.endswith('"'):
            term = term[1:-1].replace('""', '"').strip()
    return term[1:-1] if term.startswith("<") and term.endswith(">") else term


def _literal(term: str, place: str) -> tuple[str, str]:
    """The text of a label and its language; in a csv file its marks of quotation may themselves be quoted."""
    found = _LITERAL.fullmatch(term.strip())
    if found is not None and found[1].startswith('""') and found[2] is None:
        term = found[1].replace('""', '"')
        found = _LITERAL.fullmatch(term.strip())
    if found is None:
        return term.strip(), ""
    try:
        return _ESCAPE.sub(_unescaped, found[1]), (found[2] or "").lower()
    except (ValueError, OverflowError):
        raise HierarchyError.odd_line(place, "a subject, a predicate and an object") from None


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    return _CONTROLS.get(found[3], found[3]) if found[3] else '"'


def _local(concept: str) -> str:
    """The last part of an IRI; any other term is its own name."""
    if not _IRI.match(concept):
        return concept
    return re.split("[#/:]", concept)[-1] or concept


def to_text(hierarchy: Hierarchy) -> str:
    """N-Triples: a label for each node, and what is broader for each but the root."""
    concepts = {name: f"<urn:shoal:{quote(name, safe='', errors='surrogatepass')}>" for name in hierarchy.nodes}
    labels = [f'{concepts[name]} <{SKOS}prefLabel> "{_escaped(name)}" .\n' for name in reversed(hierarchy.nodes)]
    edges = [f"{concepts[child]} <{SKOS}broader> {concepts[parent]} .\n" for child, parent in hierarchy.edges()]
    return "".join((*labels, *edges))


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
