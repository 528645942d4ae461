"""SKOS format: triples of the W3C's vocabulary for thesauri and classifications, ``pigeon skos:broader bird``.

A line has a subject, a predicate and an object: N-Triples, or columns separated by tabs, semicolons, commas or spaces.
``broader`` and ``narrower`` define the tree. ``prefLabel`` names its nodes: the English label, else one without a
language, else the first. Other predicates are ignored. A concept without a label is named by the last part of its IRI.
A concept with two broader ones is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from shoal.errors import HierarchyError
from shoal.hierarchy.tree import Hierarchy

SKOS_NAMESPACE = "http://www.w3.org/2004/02/skos/core#"
_PREDICATES = {
    form + word: word for word in ("broader", "narrower", "prefLabel") for form in ("", "skos:", SKOS_NAMESPACE)
}

_LITERAL = re.compile(r'"((?:[^"\\]|\\.|"")*+)"(?:@([A-Za-z0-9-]+)|\^\^\S+)?')
_ESCAPE = re.compile(r'\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\(.)|""')
_CONTROLS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
_IRI = re.compile(r"urn:|[A-Za-z][A-Za-z0-9+.-]*://")
_COMMENT = re.compile(r"\.\s*+#")
_IGNORED_LINE = re.compile(r"\s*(?:#|@prefix\b|@base\b|PREFIX\b|BASE\b|$)")

Triple = tuple[str, str, str]
"""Subject, predicate and object as written in the file, with brackets and quotation marks."""


def _triple_pattern(separator: str) -> re.Pattern[str]:
    # possessive quantifiers: a line that does not match is rejected in linear time
    bare, between = rf'[^<"\s{separator}][^"{separator}]*+', rf"{separator}[ ]*+"
    if separator == " ":
        bare, between = r'[^<"\s]\S*+', "[ \t]++"
    literal = rf'"(?:[^"\\]|\\.|"")*+"(?:@[A-Za-z0-9-]++|\^\^(?:<[^>]*>|[^\s{separator}<]++))?'
    term = rf"(<[^>]*>|{literal}|{bare})"
    # a full stop of its own ends a triple
    return re.compile(rf"\s*+{term}{between}{term}{between}{term}\s*+(?:\.\s*+(?:#.*)?)?")


_TRIPLE_PATTERNS = {separator: _triple_pattern(separator) for separator in "\t;, "}


def is_tree_predicate(predicate: str) -> bool:
    return _PREDICATES.get(_strip_marks(predicate)) in ("broader", "narrower")


def from_text(text: str, *, delimiter: str | None = None) -> Hierarchy:
    """Build the tree from the text of a file."""
    triples: list[Triple] = []
    places: list[str] = []
    pattern = None if delimiter is None else _TRIPLE_PATTERNS.get(delimiter) or _triple_pattern(re.escape(delimiter))
    for number, line in enumerate(re.split("\r\n|\r|\n", text), start=1):
        if _IGNORED_LINE.match(line):
            continue
        pattern = pattern or _detect_pattern(line)
        match = _match(pattern, line)
        if match is None:
            raise HierarchyError.invalid_line(f"line {number:,}", expected="a subject, a predicate and an object")
        triples.append((match[1], match[2], match[3]))
        places.append(f"line {number:,}")
    if not triples:
        raise HierarchyError.empty()
    return from_triples(triples, places=places)


def _match(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """Match the three terms of a line, with or without a comment after them."""
    comment = None if (match := pattern.fullmatch(line)) else _COMMENT.search(line)
    return match if comment is None else pattern.fullmatch(line[: comment.start()])


def _detect_pattern(line: str) -> re.Pattern[str]:
    """Detect the separator: space for N-Triples, else the first of tab, semicolon, comma and space with three terms."""
    if line.lstrip().startswith(("<", "_:")) and _match(_TRIPLE_PATTERNS[" "], line):
        return _TRIPLE_PATTERNS[" "]
    return next((known for known in _TRIPLE_PATTERNS.values() if _match(known, line)), _TRIPLE_PATTERNS[" "])


def from_triples(triples: Iterable[Triple], *, places: Sequence[str]) -> Hierarchy:
    """Build the tree from triples; ``places`` locates each one in messages, such as ``line 7``."""
    edges: list[tuple[str, str]] = []
    lines: list[str] = []
    labels: dict[str, tuple[int, str]] = {}
    for (subject, predicate, object_), place in zip(triples, places, strict=True):
        word = _PREDICATES.get(_strip_marks(predicate))
        if word is None:
            continue
        concept = _strip_marks(subject)
        if word == "prefLabel":
            label, language = _parse_literal(object_, place)
            rank = 0 if language.split("-")[0] == "en" else 1 if not language else 2
            if rank < labels.get(concept, (3, ""))[0]:
                labels[concept] = rank, label
            continue
        other = _strip_marks(object_)
        edges.append((concept, other) if word == "broader" else (other, concept))
        lines.append(place)
    if not edges:
        raise HierarchyError.no_relation()
    concepts = dict.fromkeys(concept for edge in edges for concept in edge)
    names = {concept: labels[concept][1] if concept in labels else _local_name(concept) for concept in concepts}
    shared = len(names) - len(set(names.values()))
    if shared:
        raise HierarchyError.duplicate_labels(shared)
    return Hierarchy.from_edges([(names[child], names[parent]) for child, parent in edges], places=lines)


def _strip_marks(term: str) -> str:
    """Strip brackets and quotation marks from a term."""
    term = term.strip()
    # a quoted field of a csv file may contain a term in quotation marks: at most two layers
    for _ in range(2):
        if len(term) > 1 and term.startswith('"') and term.endswith('"'):
            term = term[1:-1].replace('""', '"').strip()
    return term[1:-1] if term.startswith("<") and term.endswith(">") else term


def _parse_literal(term: str, place: str) -> tuple[str, str]:
    """Parse a label and its language. In a csv file its quotation marks may themselves be quoted."""
    match = _LITERAL.fullmatch(term.strip())
    if match is not None and match[1].startswith('""') and match[2] is None:
        term = match[1].replace('""', '"')
        match = _LITERAL.fullmatch(term.strip())
    if match is None:
        return term.strip(), ""
    try:
        return _ESCAPE.sub(_unescape, match[1]), (match[2] or "").lower()
    except (ValueError, OverflowError):
        raise HierarchyError.invalid_line(place, expected="a subject, a predicate and an object") from None


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    return _CONTROLS.get(match[3], match[3]) if match[3] else '"'


def _local_name(concept: str) -> str:
    """Return the last part of an IRI, or any other term unchanged."""
    if not _IRI.match(concept):
        return concept
    return re.split("[#/:]", concept)[-1] or concept


def to_text(hierarchy: Hierarchy) -> str:
    """Format the tree as N-Triples: a label for each node and a broader concept for each but the root."""
    concepts = {name: f"<urn:shoal:{quote(name, safe='', errors='surrogatepass')}>" for name in hierarchy.nodes}
    labels = [
        f'{concepts[name]} <{SKOS_NAMESPACE}prefLabel> "{_escape(name)}" .\n' for name in reversed(hierarchy.nodes)
    ]
    edges = [
        f"{concepts[child]} <{SKOS_NAMESPACE}broader> {concepts[parent]} .\n" for child, parent in hierarchy.edges()
    ]
    return "".join((*labels, *edges))


def _escape(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
