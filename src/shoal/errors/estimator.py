"""Errors of the scikit-learn estimator."""

from __future__ import annotations

from typing import Self

from shoal.errors.base import ShoalError
from shoal.words import counted, shown


class EstimatorError(ShoalError, ValueError, TypeError):
    """An array or a table does not fit the estimator; a ValueError and a TypeError, as scikit-learn's own are.

    Words that scikit-learn's users search for, such as ``n_samples``, stand as scikit-learn writes them.
    """

    @classmethod
    def of(cls, error: ShoalError) -> Self:
        """What another error says of a table."""
        return cls(error.fact, error.hint)

    @classmethod
    def no_table(cls, dimensions: int) -> Self:
        return cls(
            f"An array of {counted(dimensions, 'dimension')} is not a table of records. Reshape your data",
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
    def no_numbers(cls) -> Self:
        return cls(
            "X has cells that are no numbers, where each argument must be a number, or a string that reads as a number",
            "take these columns out; shoal.anonymize takes dates and categories too",
        )

    @classmethod
    def column_of_no_numbers(cls, name: str, kind: str) -> Self:
        return cls(
            f"Column {shown(name)} is {kind}, and the estimator takes numbers only",
            "turn it into numbers or take it out; shoal.anonymize takes dates and categories too",
        )

    @classmethod
    def not_finite(cls, fact: str) -> Self:
        """``fact`` tells the column and the number of cells."""
        return cls(fact, "replace NaN and infinite cells before; shoal.anonymize takes missing values too")

    @classmethod
    def other_features(cls, fact: str) -> Self:
        """``fact`` is what scikit-learn says about names and numbers of columns."""
        return cls(fact.rstrip(" ."), "give the columns of the fit, in the same order")

    @classmethod
    def too_few(cls, n: int, k: int) -> Self:
        return cls(
            f"n_samples = {n:,} is less than k = {k:,}, so that the records cannot hide among each other",
            "wait until there are more records",
        )

    @classmethod
    def far_away(cls, *, rows: int, of: int, first: int) -> Self:
        return cls(
            f"{rows:,} of {counted(of, 'record')} are so far from those of the fit that no distance to a group can be"
            f" told (the first is record {first:,})",
            "look at the units of these records, or fit anew",
        )

    @classmethod
    def small_groups(cls, groups: int, *, records: int, of: int, k: int) -> Self:
        return cls(
            f"{records:,} of {counted(of, 'record')} would be in {counted(groups, 'group')} of fewer than k = {k:,}",
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
