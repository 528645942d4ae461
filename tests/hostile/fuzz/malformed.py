"""Malformed inputs that have a structure: what a mutator of bytes would not come upon."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zipfile
from typing import Any
from urllib.parse import urlencode

from fuzz_target import MARKER
from hypothesis import strategies as st

_ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\r\n", "\x85", "\u2028"])
_CELLS = st.one_of(
    st.sampled_from(
        [
            *("", " ", '"', '""', '"a"', "'", "a,b", MARKER, f"={MARKER}", "NA", "nan"),
            *("-inf", "1e400", "007", "-0", "+1"),
            *("1.5", "1,5", "2024-02-29", "2023-02-29", "2024-01-01T25:00", "9" * 30),
            *("\ufeff", "\x00", "\x1c", "é", "🐟"),
        ]
    ),
    st.text(max_size=6),
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Delimited text with ragged rows, odd quotation, mixed line ends, marks of byte order, other encodings."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    width = draw(st.integers(1, 4))
    header = draw(st.lists(st.sampled_from(["a", "b", "age", "", "1", "a b", '"c"', "é"]), min_size=1, max_size=4))
    rows = draw(st.lists(st.lists(_CELLS, min_size=max(1, width - 1), max_size=width + 1), max_size=6))
    quoted = draw(st.booleans())
    body = ""
    for row in [header, *rows]:
        fields = ['"' + cell.replace('"', '""') + '"' if quoted and draw(st.booleans()) else cell for cell in row]
        body += delimiter.join(fields) + draw(_ENDS if draw(st.integers(0, 9)) == 0 else st.just("\n"))
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]))
    return body.encode(encoding, "replace")


@st.composite
def packed(draw: st.DrawFn) -> bytes:
    """Text in gzip that breaks off, has rubbish behind it, or several members."""
    raw = gzip.compress(draw(texts()), mtime=0)
    raw += draw(st.sampled_from([b"", b"\0" * 8, b"rubbish", raw]))
    return raw[: draw(st.integers(0, len(raw)))] if draw(st.booleans()) else raw


_NAMES = st.sampled_from(["a", "b", "c", "d", "*", MARKER, "", " ", "a;b", '"', "\ud800", "x\ny", "\0"])
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _NAMES),
    lambda below: st.one_of(st.lists(below, max_size=4), st.dictionaries(_NAMES, below, max_size=4)),
    max_leaves=12,
)


@st.composite
def nested(draw: st.DrawFn) -> bytes:
    """JSON of any types, and of any depth."""
    if draw(st.integers(0, 9)) == 0:
        deep = draw(st.sampled_from([10, 500, 5_000, 100_000]))
        opening, closing = draw(st.sampled_from([("[", "]"), ('{"a":', "}"), ('{"a":[', "]}")]))
        return (opening * deep + "1" + closing * deep).encode()
    return json.dumps(draw(_JSON)).encode()


@st.composite
def edges(draw: st.DrawFn) -> bytes:
    """Children and parents: cycles, loops, two parents, several roots."""
    pairs = draw(st.lists(st.tuples(*[st.integers(0, 6)] * 2), min_size=1, max_size=10))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    lines = [f"n{child}{delimiter}n{parent}" for child, parent in pairs]
    return "\n".join([*(["child,parent"] if draw(st.booleans()) else []), *lines]).encode()


@st.composite
def rows(draw: st.DrawFn) -> bytes:
    """Rows of ARX with repeats, gaps and names at several levels."""
    levels = draw(st.integers(1, 4))
    row = st.lists(st.sampled_from("abcd* "), min_size=levels, max_size=levels)
    found = draw(st.lists(row, min_size=1, max_size=8))
    return "\n".join(";".join([*row, "*"]) for row in found).encode()


_TERMS = st.sampled_from(
    [
        *("a", "b", "<a>", "<http://x/b>", "_:c", '"d"', '"d"@en', '"e"^^<x>', '"""f"""'),
        *("skos:broader", "broader", "."),
        *("narrower", "prefLabel", '"\\u00e9"', '"\\ud800"'),
        *('"\\UFFFFFFFF"', '"', "<", "#", MARKER, "", '" "" "" "'),
    ]
)


@st.composite
def triples(draw: st.DrawFn) -> bytes:
    """Lines of three terms, or of more or fewer."""
    separator = draw(st.sampled_from([" ", ";", "\t", ","]))
    lines = draw(st.lists(st.lists(_TERMS, min_size=2, max_size=4), min_size=1, max_size=6))
    return "\n".join(separator.join(line) + draw(st.sampled_from(["", " .", " . # x"])) for line in lines).encode()


_VALUES = st.sampled_from(
    [
        *("3", "-1", "0", '"3"', "true", "nan", "inf", "1e400", "[]", "{}", "[1]", '["a"]'),
        *("2024-01-01", '""', "9" * 30),
        *('"mdav"', '"wildcard"', '"fast"', "1.5", "18446744073709551616", "[[1, 2]]"),
        *("{a = 1}", '"\\u0000"', "[1, 100]"),
    ]
)
_KEYS = st.sampled_from(
    [
        *("format", "release.k", "release.method", "release.seed", "release.suppression", "release.blocks"),
        *("release.pieces", "missing.policy", "missing.alpha"),
        *("options.standardize", "options.distance", "options.x"),
        *("refine.effort", "refine.planned", "refine.done", "refine.looks"),
        *("refine.seconds", "weights.age", "weights.x"),
        *("bounds.age", "bounds.job", "survey.strata"),
        *("survey.households", "survey.sampling_weights", "models"),
        *("survey.largest_household", "columns", "input", "output", "versions", "options", "release"),
    ]
)
POLICY = """format = 5
columns = [{name = "age", role = "quasi-identifier", kind = "numeric"},
 {name = "ill", role = "sensitive", kind = "nominal"}, {name = "name", role = "identifier", kind = "nominal"},
 {name = "job", role = "insensitive", kind = "nominal"},
 {name = "weight", role = "insensitive", kind = "numeric"}]
release.k = 3
release.method = "mdav"
release.seed = 0
options.standardize = true
options.distance = "wu-palmer"
options.round_integers = false
options.keep_totals = false
"""


@st.composite
def policies(draw: st.DrawFn) -> bytes:
    """A policy with entries of wrong types, out of range, or that contradict each other."""
    changes = draw(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=3))
    lines = POLICY.replace("\n {", " {").splitlines()
    unchanged_lines = [line for line in lines if line.split(" = ")[0] not in changes]
    return "\n".join([*unchanged_lines, *(f"{key} = {value}" for key, value in changes.items()), ""]).encode()


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """Zip files: names that leave the folder, names twice, bombs, sums and sizes that are wrong."""
    manifest = draw(st.one_of(nested(), st.just(b'{\n  "format": 1,\n  "shoal": "1",\n  "files": []\n}\n')))
    names = ["manifest.json", *draw(st.lists(st.sampled_from(_PLACES), max_size=5))]
    file = io.BytesIO()
    kind = draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]))
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", kind) as archive:
        warnings.simplefilter("ignore")
        for name in names:
            content = manifest if name == "manifest.json" else draw(st.sampled_from([b"", b"x", bytes(300_000)]))
            archive.writestr(zipfile.ZipInfo(name), content, kind)
    raw = bytearray(file.getvalue())
    for at in draw(st.lists(st.integers(0, 60), max_size=3)):
        place = draw(st.sampled_from([at, len(raw) - 1 - at]))
        if 0 <= place < len(raw):
            raw[place] ^= draw(st.integers(1, 255))
    return bytes(raw)


_PLACES = [
    "manifest.json",
    "policy.toml",
    "POLICY.toml",
    "../x",
    "/x",
    "a/../../b",
    "a\\b",
    "C:x",
    "CON",
    "release/",
    "a.",
]


@st.composite
def forms(draw: st.DrawFn) -> bytes:
    """Fields of the page's forms with values of any kind."""
    names = [
        *("k", "k_own", "l", "t", "suppression", "suppression_own"),
        *("missing_values", "method", "effort", "seed"),
        *("survey", "strata", "households", "sampling_weights"),
        *("role-0", "kind-1", "weight-0", "recode-2", "bulk"),
        *("bulk-role", "pick", "action", "node", "name", "under", "lacking", "value-0"),
        *("near-0", "own", "which", "seconds"),
    ]
    words = [
        *("", "own", "3", "-1", "0", "1e9", "nan", "inf", "²", "٣", "9" * 31, "0.5", "0,5"),
        *("x", "\0", "🐟", "mdav", "auto"),
        *("ordinal", "hierarchical", "date", "mean", "lcs", "rename", "move", "group"),
        *("dissolve", "add", "match", "work"),
        *("craft", "baker", "role", "proposed", "identifier", "wildcard", "all", " ", "*"),
    ]
    return urlencode(
        draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(words)), max_size=8)), errors="replace"
    ).encode()


@st.composite
def built(draw: st.DrawFn) -> bytes:
    """How a hierarchy is built, and values that may not fit."""
    how = draw(st.sampled_from(["width", "cuts", "quantiles", "dates", "prefixes", "frequencies"]))
    given = draw(
        st.lists(st.sampled_from(["0", "1", "5", "10", "-3", "1e-9", "1e300", "x", "2.5", ".", "-"]), max_size=3)
    )
    values = draw(st.lists(_CELLS, max_size=6))
    return "\n".join([f"{how} {','.join(given)}", *values]).encode("utf-8", "replace")


SHAPES: dict[str, st.SearchStrategy[bytes]] = {
    **dict.fromkeys(("csv", "tsv", "csv-no-header", "csv-semicolon", "csv-unquoted", "csv-in-gzip"), texts()),
    **dict.fromkeys(("csv-in-pieces", "csv-cp1252", "csv-shift-jis"), texts()),
    "csv-packed": packed(),
    **dict.fromkeys(
        ("hierarchy-json", "page-tree", "page-facts", "comparison", "kept", "checkpoint", "page-project"), nested()
    ),
    "hierarchy-edges": edges(),
    "hierarchy-arx": rows(),
    "hierarchy": st.one_of(edges(), rows(), triples()),
    "hierarchy-skos": triples(),
    "policy": policies(),
    "bundle": archives(),
    "page-form": forms(),
    "built": built(),
}
"""For each target the malformed inputs that are made for it."""
