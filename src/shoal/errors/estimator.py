"""Errors of the scikit-learn estimator."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError
from shoal.words import pluralize, quote_name


class EstimatorError(ShoalError, ValueError, TypeError):
    """An array or a table does not fit the estimator; also a ValueError and a TypeError, as in scikit-learn.

    Terms that users of scikit-learn search for, such as ``n_samples``, are spelled as there.
    """

    @classmethod
    def from_error(cls, error: ShoalError) -> Self:
        """Convert an error about a table."""
        return cls(error.fact, error.hint)

    @classmethod
    def not_two_dimensional(cls, dimensions: int) -> Self:
        return cls(
            f"An array of {pluralize(dimensions, 'dimension')} is not a table of records. Reshape your data",
            "X.reshape(-1, 1) makes one column of it, X.reshape(1, -1) one record",
        )

    @classmethod
    def no_features(cls, records: int) -> Self:
        return cls(
            f"X has 0 feature(s) (shape=({records}, 0)) while a minimum of 1 is required",
            "give a table with the columns that an outsider could know",
        )

    @classmethod
    def sparse(cls) -> Self:
        return cls("X is sparse, and groups need every cell", "give X.toarray()")

    @classmethod
    def complex_numbers(cls) -> Self:
        return cls("Complex data not supported", "give the real and the imaginary part as two columns")

    @classmethod
    def not_numeric(cls) -> Self:
        return cls(
            "X has cells that are no numbers, where each argument must be a number, or a string that reads as a number",
            "take these columns out; shoal.anonymize takes dates and categories too",
        )

    @classmethod
    def column_not_numeric(cls, name: str, kind: str) -> Self:
        return cls(
            f"Column {quote_name(name)} is {kind}, and the estimator takes numbers only",
            "turn it into numbers or take it out; shoal.anonymize takes dates and categories too",
        )

    @classmethod
    def not_finite(cls, fact: str) -> Self:
        """``fact`` names the column and the number of cells."""
        return cls(fact, "replace NaN and infinite cells before; shoal.anonymize takes missing values too")

    @classmethod
    def different_features(cls, fact: str) -> Self:
        """``fact`` is the message of scikit-learn about names and number of columns."""
        return cls(fact.rstrip(" ."), "give the columns of the fit, in the same order")

    @classmethod
    def too_few_samples(cls, n: int, k: int) -> Self:
        return cls(
            f"n_samples = {n:,} is less than k = {k:,}, so that the records cannot hide among each other",
            "wait until there are more records",
        )

    @classmethod
    def too_distant(cls, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"{rows:,} of {pluralize(of, 'record')} are so far from those of the fit that no distance to a group can be"
            f" told (the first is record {first:,})",
            "look at the units of these records, or fit anew",
        )

    @classmethod
    def groups_too_small(cls, groups: int, *, records: int, of: int, k: int) -> Self:
        return cls(
            f"{records:,} of {pluralize(of, 'record')} would be in {pluralize(groups, 'group')} of fewer than k = {k:,}",
            "let small groups join others with below='merge', or fit anew on these records",
        )


class PackageError(ShoalError, ImportError):
    """A part of Shoal needs a package that is not installed."""

    @classmethod
    def needs_extra(cls, part: str, extra: str) -> Self:
        return cls(f"{part} needs packages that are not installed", f"run: pip install 'shoal[{extra}]'")

    @classmethod
    def needs_solver(cls) -> Self:
        return cls(
            "A bound by linear programs, and the effort 'best' for a small table, need the package highspy, which is"
            " not installed",
            "run: pip install 'shoal[bounds]', or ask for the effort 'balanced'",
        )
