"""The index of file formats, from the tables by which endings tell them."""

from __future__ import annotations

from pathlib import Path

from making.markdown import table
from shoal.errors import OutputError
from shoal.hierarchy.files import FORMATS as HIERARCHIES
from shoal.tables.formats import ENDINGS, FORMATS, PACKED, format_of, writable

HEAD = f"""# File formats

Made by `python docs/make.py` from the tables by which Shoal tells formats. The ending of a file tells its format;
`--format NAME` (`format=` of `shoal.read`) overrules it. A release has the format that the ending of its output tells,
which need not be that of the input. Delimited text may be packed: `{PACKED}` behind its ending
([gz.md](formats/gz.md)).

## Tables
"""
STREAMED = ("csv", "tsv", "parquet")
"""Formats that can be read in pieces (`--memory`)."""
EXTRA = ("excel", "spss", "stata", "sas")
"""Formats that need the packages of `shoal[stats]`."""
TREES = {
    "arx": "a row for each value: the value, then what it generalizes to",
    "edges": "a row for each child with its parent",
    "json": "nested names",
    "skos": "triples of broader and narrower",
}
OTHERS = {
    "gz": "delimited text that is packed",
    "levels": "the values of an ordered column, the lowest first",
    "wordnet": "the nouns of WordNet, from which hierarchies are built",
    "policy": "the decisions behind a release: TOML, every key of it",
    "bundle": "a release and all evidence for it: a zip file",
    "report": "the report of a release: one HTML file",
    "json": "what commands print with `--json`",
    "compared": "finished runs of a comparison, and what `--compared` takes",
    "scratch": "what a run with `--memory` keeps on the way: a folder",
    "spark-parquet": "what Spark reads and writes: folders of Parquet",
}


def can_write(ending: str) -> bool:
    try:
        writable(Path(f"file{ending}"))
    except OutputError:
        return False
    return True


def endings(name: str, *, written: bool) -> str:
    """The endings of a format that can be read, or written too."""
    own = [ending for ending in ENDINGS if format_of(Path(f"file{ending}")) == name]
    return " ".join(f"`{ending}`" for ending in own if not written or can_write(ending)) or "–"


def index() -> str:
    rows = [
        (
            f"[`{name}`](formats/{name}.md)",
            endings(name, written=False),
            endings(name, written=True),
            "yes" if name in STREAMED else "no",
            "`shoal[stats]`" if name in EXTRA else "–",
        )
        for name in FORMATS
    ]
    trees = [(f"[`{name}`](formats/hierarchy-{name}.md)", TREES[name]) for name in HIERARCHIES]
    others = [(f"[{name}](formats/{name}.md)", about) for name, about in OTHERS.items()]
    return "\n".join(
        [
            HEAD,
            table(["format", "read", "written", "in pieces (`--memory`)", "needs"], rows),
            "## Hierarchies\n",
            table(["format", "what it looks like"], trees),
            "## Other files\n",
            table(["file", "what it is"], others),
        ]
    )


def pages(docs: Path) -> dict[Path, str]:
    return {docs / "formats.md": index()}
