"""Spelling variants are one value for models and hierarchies, and change no cell."""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import data
from shoal.data import spelling
from shoal.data.spelling import count_variants, match_nodes, normalize_text, normalize_text_for_verification
from shoal.domain import Schema
from shoal.domain.privacy_models import parse_models
from shoal.errors import HierarchyError, OptionError, PromiseError

FLU = ["flu", "Flu", " FLU ", "f\u200blu", "ＦＬＵ", "flu\u00a0", "\tflu\n"]
SAME = [
    FLU,
    ["Grippe à virus", "grippe  a\u0300 VIRUS", "Grippe\u2003À virus"],
    ["Straße", "STRASSE", "strasse"],
    ["1", "1.0", "01", "+1", "1.", "0001.000", "１"],
    ["-0.50", "-.5", "-00.5"],
    ["0", "-0", "0.0", "+0.", "000"],
    ["ﬁbrosis", "Fibrosis"],
    ["Σίσυφος", "ΣΊΣΥΦΟΣ"],
]
APART = ["flu", "flus", "f lu", "1", "10", "1.01", "1.10.0", "1e0", "-1", "E10", "E1", ".", "+", "-", "é", "e", "²3 x"]


def frames(cells: dict[str, list[Any]], folder: Path) -> dict[str, Any]:
    frame = pl.DataFrame(cells)
    frame.write_csv(folder / "a.csv")
    frame.write_parquet(folder / "a.parquet")
    return {
        "polars": frame,
        "category": frame.with_columns(pl.col("ill").cast(pl.Categorical)),
        "pandas": pd.DataFrame(cells),
        "coded": pd.DataFrame(cells).astype({"ill": "category"}),
        "objects": pd.DataFrame(cells).astype({"ill": object}),
        "pyarrow": pa.table(cells),
        "csv": folder / "a.csv",
        "parquet": folder / "a.parquet",
    }


@pytest.mark.parametrize("words", SAME, ids=lambda words: ascii(words[0]))
@pytest.mark.parametrize("same", [normalize_text, normalize_text_for_verification])
def test_spellings_of_one_value_say_the_same(same: Any, words: list[str]) -> None:
    assert len({same(word) for word in words}) == 1


@pytest.mark.parametrize("same", [normalize_text, normalize_text_for_verification])
def test_different_values_stay_apart(same: Any) -> None:
    assert len({same(word) for word in APART}) == len(APART)
    assert {same(word) for word in ("", " ", "\u200b", "\u00a0\n")} == {""}


def agree(words: list[str]) -> None:
    """Both ways put the same words together."""
    mine, theirs = defaultdict(set), defaultdict(set)
    for word in words:
        one, other = normalize_text(word), normalize_text_for_verification(word)
        mine[one].add(other)
        theirs[other].add(one)
    odd = [result for result in (*mine.values(), *theirs.values()) if len(result) > 1]
    assert odd == []


def test_both_ways_agree_on_every_letter() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    agree([letter for letter in letters if unicodedata.category(letter) not in ("Co", "Cn")])


@given(st.lists(st.text(st.sampled_from("aAßẞſsSİıiÍ̈ΐͅᾳΑ ﬀ１.0+-e\u200b\u00a0\n²"), max_size=8), max_size=12))
def test_both_ways_agree_on_texts(words: list[str]) -> None:
    agree(words)


@given(st.text(st.sampled_from("0123456789.+-"), max_size=8), st.text(st.sampled_from("0123456789.+-"), max_size=8))
def test_numbers_say_the_same_where_they_are_equal(one: str, other: str) -> None:
    try:
        equal = float(one) == float(other)
    except ValueError:
        equal = one == other
    assert (normalize_text(one) == normalize_text(other)) == equal
    assert (normalize_text_for_verification(one) == normalize_text_for_verification(other)) == equal


def test_how_many_values_have_several_spellings() -> None:
    assert count_variants(["flu", "Flu", "gout", "1", "1.0", "01", " ", ""]) == 5


def test_classes_do_not_have_two_values_by_their_spelling(tmp_path: Path) -> None:
    """Whatever holds the column: the class of the young has one illness, spelled in many ways."""
    ill = [FLU[row % 5] for row in range(10)] + ["flu", "gout"] * 5
    cells = {"age": [20 + row // 10 for row in range(20)], "ill": ill}
    for name, source in frames(cells, tmp_path).items():
        proof = shoal.verify(source, k=5, quasi_identifiers="age", models={"ill": "distinct-l(2)"})
        assert (proof.models[0].reached, proof.models[0].violations) == (1, 10), name
        release = shoal.anonymize(source, k=5, quasi_identifiers="age", sensitive="ill", l=2, method="mondrian")
        assert release.partition.count == 1, name
        assert data.text_list(release.released, "ill") == ill, name
        assert release.verification.models[0].reached == 2
        (check,) = shoal.verify(source, k=5, quasi_identifiers="age", models={"ill": "t-equal(0.2)"}).models
        assert check.reached == pytest.approx(0.25), name  # 15 of 20 have flu, all of the young and half of the others
        with pytest.raises(OptionError, match="reaches l = 2 on column 'ill'"):
            shoal.anonymize(source, k=5, quasi_identifiers="age", sensitive="ill", l=3)


@pytest.mark.parametrize("name", ["in.csv", "in.parquet"])
def test_the_same_in_pieces(name: str, tmp_path: Path) -> None:
    ill = [FLU[row % 5] for row in range(10)] + ["flu", "gout"] * 5
    frame = pl.DataFrame({"age": [20 + row // 10 for row in range(20)], "ill": ill})
    frame.write_csv(tmp_path / name) if name.endswith("csv") else frame.write_parquet(tmp_path / name)
    out = tmp_path / f"out-{name}"
    options: dict[str, Any] = {"k": 5, "quasi_identifiers": "age", "sensitive": "ill", "method": "mondrian"}
    recoded = shoal.anonymize_file(tmp_path / name, out, l=2, **options)
    assert recoded.verification.models[0].reached == 2
    assert data.text_list(data.read_table(out), "ill") == ill
    with pytest.raises(OptionError, match="reaches l = 2 on column 'ill'"):
        shoal.anonymize_file(tmp_path / name, out, l=3, force=True, **options)


def test_the_verification_does_not_take_the_word_of_the_groups(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the groups are made by a wrong meaning, the release is refused."""
    frame = pl.DataFrame({"age": [20 + row // 10 for row in range(20)], "ill": [*FLU[:5] * 2, *["flu", "gout"] * 5]})
    frame.write_csv(tmp_path / "in.csv")
    broken = str
    monkeypatch.setattr(spelling, "normalize_text", broken)
    monkeypatch.setattr(data.encode.sensitive_values.encode_constraints, "__kwdefaults__", {"normalize": broken})  # type: ignore[attr-defined]
    options: dict[str, Any] = {"k": 5, "quasi_identifiers": "age", "sensitive": "ill", "l": 2, "method": "mondrian"}
    with pytest.raises(PromiseError, match=r"breaks distinct-l\(2\)|distinct-l\(2\)"):
        shoal.anonymize(frame, **options)


def test_what_says_nothing_is_missing() -> None:
    frame = pl.DataFrame({"age": [30] * 4, "ill": ["flu", " ", "", None]})
    (check,) = shoal.verify(frame, k=2, quasi_identifiers="age", models={"ill": "distinct-l(2)"}).models
    assert check.reached == 2
    (check,) = shoal.verify(frame[1:], k=2, quasi_identifiers="age", models={"ill": "distinct-l(2)"}).models
    assert check.reached == 1


def test_values_take_the_node_that_says_the_same() -> None:
    tree = shoal.Hierarchy.from_dict({"*": {"food": ["Baker", "cook"], "metal": ["smith", "SMITH"]}})
    assert match_nodes(tree, ["Baker", " baker", "COOK", "smith", "Smith", "x", ""]) == {
        "Baker": "Baker", " baker": "Baker", "COOK": "cook", "smith": "smith",
    }  # fmt: skip
    jobs = ["baker ", "BAKER", "Cook", "cook", "smith", "smith"]
    frame = pl.DataFrame({"job": jobs, "age": [30] * 6})
    options: dict[str, Any] = {"k": 2, "quasi_identifiers": ["job", "age"], "hierarchies": {"job": tree}}
    release = shoal.anonymize(frame, **options)
    assert release.table["job"].to_list() == ["Baker", "Baker", "cook", "cook", "smith", "smith"]
    assert release.evaluation.loss["semantic_loss"] == 0
    with pytest.raises(HierarchyError, match=r"has 1 value \(of 4, in 1 record\) that its hierarchy lacks"):
        shoal.anonymize(frame.with_columns(job=pl.Series([*jobs[:5], "Smith"])), **options)


def test_hierarchies_and_levels_of_sensitive_columns() -> None:
    frame = pl.DataFrame({"age": [30] * 3 + [40] * 3, "job": ["Baker", "baker ", "cook", "Smith", "SMITH", "cook"]})
    options: dict[str, Any] = {"k": 3, "quasi_identifiers": "age"}
    tree = {"*": {"food": ["baker", "cook"], "metal": ["smith"]}}
    clean = frame.with_columns(pl.col("job").str.strip_chars().str.to_lowercase())
    for more in (
        {"models": {"job": "t-hierarchical(0.5)"}, "hierarchies": {"job": tree}},
        {"models": {"job": "t-ordered(0.5)"}, "levels": {"job": ["smith", "baker", "cook"]}},
        {"models": {"job": "entropy-l(2)"}},
        {"models": {"job": "recursive-l(2,2)"}},
    ):
        assert shoal.verify(frame, **options, **more).models == shoal.verify(clean, **options, **more).models


def test_two_releases_tell_one_value_however_it_is_spelled() -> None:
    """What is left of a joint class is one illness, in one spelling or in two."""
    for last in ("flu", "Flu "):
        cells = {"town": ["a", "a", "b", "b"], "ill": ["flu", "gout", "gout", last], "row": ["p", "q", "q", "p"]}
        other = pl.DataFrame({"sex": ["f", "m", "m", "f"], "row": ["p", "q", "q", "p"]})
        result = shoal.verify(
            pl.DataFrame(cells), k=2, quasi_identifiers="town", against=other, sensitive="ill", order="kept",
            against_quasi_identifiers="sex",
        )  # fmt: skip
        assert result is not None


def test_a_table_of_clean_values_is_as_before() -> None:
    table = data.read_table(shoal.example_register(rows=300))
    schema = Schema.assign(data.column_kinds(table), quasi_identifiers=["age"], sensitive=["diagnosis"])
    result = data.encode_constraints(table, parse_models({"diagnosis": "t-equal(0.3)"}), schema)
    words = sorted(set(table.native()["diagnosis"].to_list()))
    assert result.codes[:, 0].tolist() == [words.index(word) for word in table.native()["diagnosis"]]


def test_the_same_on_spark(spark: Any, tmp_path: Path) -> None:
    from shoal.engines.spark.parquet_source import open_parquet
    from shoal.engines.spark.verify_parquet import verify_on_spark

    ill = [FLU[row % 5] for row in range(10)] + ["flu", "gout"] * 5
    pl.DataFrame({"age": [20 + row // 10 for row in range(20)], "ill": ill}).write_parquet(tmp_path / "x.parquet")
    models = parse_models({"ill": ["distinct-l(2)", "t-equal(0.2)"]})
    schema = Schema.assign(
        data.column_kinds(data.read_table(tmp_path / "x.parquet")), quasi_identifiers="age", sensitive="ill"
    )
    source = open_parquet(spark, str(tmp_path / "x.parquet"))
    proof, _, _ = verify_on_spark(
        source, str(tmp_path), k=5, quasi_identifiers=["age"], schema=schema, models=models, records=20
    )
    here = shoal.verify(
        tmp_path / "x.parquet", k=5, quasi_identifiers="age", models={"ill": ["distinct-l(2)", "t-equal(0.2)"]}
    )
    assert proof.models == here.models
    assert (proof.models[0].reached, proof.models[0].violations) == (1, 10)


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("intended", ["hierarchies", "levels"])
def test_spellings_of_nodes_are_released_alike(intended: str, pieces: bool, tmp_path: Path) -> None:
    """Of a quasi-identifier with a hierarchy or levels, as if all of them were written like the nodes."""
    words = {"low": ["low", "Low ", "LOW"], "mid": ["mid", "Mid", " mid"], "high": ["high", "HIGH", "Hi\u200bgh"]}
    sure = [list(words)[row * 7 % 3] for row in range(90)]
    size = [words[word][row % 3] for row, word in enumerate(sure)]
    given = {"hierarchies": {"*": {"less": ["low", "mid"], "more": ["high"]}}, "levels": ["low", "mid", "high"]}[
        intended
    ]
    options: dict[str, Any] = {
        "k": 4,
        "quasi_identifiers": ["size", "age"],
        intended: {"size": given},
        "method": "mdav",
    }
    result = []
    for name, cells in (("spelled", size), ("clean", sure)):
        frame = pl.DataFrame({"size": cells, "age": [row * 37 % 50 for row in range(90)]})
        frame.write_parquet(tmp_path / f"{name}.parquet")
        if pieces:
            shoal.anonymize_file(tmp_path / f"{name}.parquet", tmp_path / f"{name}-out.parquet", **options)
            result.append(pl.read_parquet(tmp_path / f"{name}-out.parquet"))
        else:
            result.append(shoal.anonymize(frame, **options).table)
    assert result[0].equals(result[1])
    assert set(result[0]["size"]) <= {*words, "less", "more", "*"}


def test_a_warning_counts_values_of_quasi_identifiers_that_differ_in_spelling(tmp_path: Path) -> None:
    towns = ["Ayr", "ayr", "Bude", "Bude ", "BUDE", "Crail"] * 5
    frame = pl.DataFrame({"town": towns, "age": range(30)})
    frame.write_csv(tmp_path / "in.csv")
    message = "Column 'town' has 5 values that differ from others only in case, blanks, form of letters or zeros"
    options: dict[str, Any] = {"k": 3, "quasi_identifiers": ["town", "age"], "method": "mdav"}
    for recoded in (
        shoal.anonymize(frame, **options),
        shoal.anonymize_file(tmp_path / "in.csv", tmp_path / "out.csv", **options),
    ):
        assert [text for text in recoded.warnings if text.startswith(message)] != []
    clean = shoal.anonymize(frame.with_columns(pl.lit("Ayr").alias("town")), **options)
    assert [text for text in clean.warnings if "differ from others" in text] == []
