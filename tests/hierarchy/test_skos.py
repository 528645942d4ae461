"""The SKOS format, in all its notations."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import HierarchyError
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.formats import skos

ANIMALS = Hierarchy.from_edges([("bird", "animal"), ("sea fish", "animal"), ("owl", "bird")])
CORE = "http://www.w3.org/2004/02/skos/core#"

NTRIPLES = f"""# birds and others
<http://a.example/x#1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{CORE}Concept> .
<http://a.example/x#1> <{CORE}prefLabel> "Tier"@de .
<http://a.example/x#1> <{CORE}prefLabel> "animal"@en-GB .
<http://a.example/x#1> <{CORE}prefLabel> "dyr"@da .

<http://a.example/x#1> <{CORE}topConceptOf> <http://a.example/x> .
<http://a.example/x/bird> <{CORE}broader> <http://a.example/x#1> . # a comment
<http://a.example/x#1> <{CORE}narrower> <http://a.example/x/bird> .
<http://a.example/x#1> <{CORE}narrower> <http://a.example/x#3> .
<http://a.example/x#3> <{CORE}prefLabel> "sea \\u0066ish" .
<http://a.example/x/bird> <{CORE}narrower> <http://a.example/x/owl> .
"""


TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
bird skos:broader animal .
owl skos:broader bird .
f skos:prefLabel "sea fish" .
animal skos:narrower f .
"""


@pytest.mark.parametrize(
    "text",
    [
        NTRIPLES,
        NTRIPLES.replace("> <", ">\t<"),
        "bird,broader,animal\nsea fish,broader,animal\nbird,narrower,owl\n",
        "subject;predicate;object\nbird;skos:broader;animal\nanimal;skos:narrower;sea fish\nowl;skos:broader;bird\n",
        "bird\tbroader\tanimal\r\nf\tbroader\tanimal\r\nf\tprefLabel\tsea fish\r\nowl\tbroader\tbird\r\n",
        '"bird","broader","animal"\nf,broader,animal\nf,prefLabel,"""sea fish""@en"\nowl,broader,bird\n',
        f'bird broader animal\nf <{CORE}broader> animal .\nf skos:prefLabel "sea fish"@en .\nowl broader bird .\n',
        TURTLE,
    ],
)
def test_every_way_of_writing_triples(text: str) -> None:
    assert skos.from_text(text) == ANIMALS


def test_a_file_of_another_delimiter() -> None:
    text = "bird|broader|animal\nsea fish|broader|animal\nowl|broader|bird\n"
    assert skos.from_text(text, delimiter="|") == ANIMALS


def test_written_triples_are_valid_and_read_back() -> None:
    text = skos.to_text(ANIMALS)
    assert f'<urn:shoal:sea%20fish> <{CORE}prefLabel> "sea fish" .\n' in text
    assert f"<urn:shoal:sea%20fish> <{CORE}broader> <urn:shoal:animal> .\n" in text
    assert skos.from_text(text) == ANIMALS


def test_concepts_without_labels_have_the_last_part_of_their_iri() -> None:
    text = f"<http://a.example/#owl> <{CORE}broader> <urn:y:bird> .\n<urn:y:bird> <{CORE}broader> <http://a.b/> .\n"
    assert skos.from_text(text).nodes == ("owl", "bird", "http://a.b/")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing\n", "is empty"),
        ("secret,type,b\nsecret,prefLabel,c\n", "no triple of broader or narrower"),
        ("secret,broader,b\nb,broader\n", r"not a subject, a predicate and an object \(line 2\)"),
        ("secret,broader,b\nb,broader,c,d\n", r"not a subject, a predicate and an object \(line 2\)"),
        ("secret skos:broader b ; skos:related c .\n", r"not a subject, .* \(line 1\)"),
        ('a broader b .\na prefLabel "\\Uffffffff" .\n', r"not a subject, .* \(line 2\)"),
        ("secret,broader,b\nb,broader,d\n\nsecret,broader,c\n", r"two parents \(line 1 and line 4\)"),
        ("secret,broader,b\nc,narrower,secret\nb,broader,c\n", r"two parents \(line 1 and line 2\)"),
        ("secret,broader,b\nb,broader,secret\n", "cycle"),
        ("a,broader,b\nc,broader,d\n", "2 roots"),
        (
            "<http://x/a> broader <http://x/b>\n<http://y/a> broader <http://x/b>\n",
            "1 concept of the hierarchy shares its name",
        ),
        (
            "a,broader,b\nb,broader,c\na,prefLabel,secret\nb,prefLabel,secret\n",
            "1 concept of the hierarchy shares its name",
        ),
        ("a,broader,b\na,prefLabel, \n", r"not a subject, .* \(line 2\)"),
    ],
)
def test_bad_triples(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.skos"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HierarchyError, match=message) as caught:
        Hierarchy.read(path)
    assert "secret" not in str(caught.value).replace(str(path), "")
