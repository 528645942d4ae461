"""The estimator for scikit-learn: microaggregation as a clusterer and a transformer (``pip install 'shoal[sklearn]'``).

>>> from shoal.sklearn import Microaggregator
>>> hidden = Microaggregator(k=5).fit_transform(X)  # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from shoal import tables
from shoal.decisions import asked_refinement, column_weights, plain, whole_seed
from shoal.errors import DataError, EstimatorError, OptionError, PackageError, PromiseError, ShoalError
from shoal.measure import information_loss
from shoal.partition import registry
from shoal.partition.delivery import BELOW, deliver
from shoal.partition.grouping import Task, group
from shoal.recode import rounded_centers
from shoal.recode.number import centers
from shoal.schema import Kind, Schema
from shoal.tables import Table
from shoal.values import FloatMatrix, IntVector, Precision, one_of, true_or_false, whole_k
from shoal.verify import verify

try:
    from scipy.sparse import issparse
    from sklearn.base import BaseEstimator, ClusterMixin, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise PackageError.needs_extra("shoal.sklearn", "sklearn") from None

_NUMBERS = "biufOUS"
"""The kinds of arrays that may hold numbers: of truth values, numbers, objects or text."""


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Groups of at least k records, each replaced by what stands for its group.

    Every column is a quasi-identifier and holds numbers. Groups and released values are those of `shoal.anonymize`.

    New records go to the groups of the fit, by the nearest center on its scale. What comes out is k-anonymous by
    itself: every group that new records use has at least k of them, or they are refused or merged (``below``). The
    records of the fit are known again, in whatever order, and keep their own groups, which need not be those of the
    nearest center: so ``fit(X).transform(X)`` is ``fit_transform(X)``. Part of them are new records.

    Parameters
    ----------
    k
        The least number of records of a group. There is no default: it is your decision.
    method
        One of `shoal.methods()` for numbers; `auto` where nothing is said.
    refine, effort
        Whether local search improves the groups of the method, and how far it goes, as for `shoal.anonymize`.
    standardize
        Measure distances on columns of mean 0 and standard deviation 1.
    weights
        How much columns count in distances: a number for each column, or for those that are named; 1 for others.
    seed
        For methods that draw at random.
    recode
        What stands for a group: its ``mean``, or its ``median``.
    exact_means
        Keep all digits of means and medians. Where nothing is said, they have the decimals of their column, as those of
        `shoal.anonymize` have.
    below
        Where new records would be in a group with fewer than k of them: ``refuse`` all of them; or ``merge``, the
        smallest group first, until none is too small: its records go to the nearest of the groups that others use.
    options
        The method's own options, by name.

    Attributes
    ----------
    labels_
        The group of each record of the fit.
    centers_
        What stands for each group, a row a group.
    counts_
        The number of records of each group.
    information_loss_
        What the release of the fit lost of the variation of the standardized (or raw) columns, in percent.
    n_features_in_, feature_names_in_
        The number of columns; their names, if they have some.

    A fitted estimator holds no record, but means and spreads of columns, the groups by the order of the records, and a
    fingerprint of all of them together: treat it as you treat the data.
    """

    def __init__(
        self,
        k: int,
        *,
        method: str | None = None,
        refine: bool | None = None,
        effort: str | None = None,
        standardize: bool = True,
        weights: Mapping[Any, float] | Sequence[float] | None = None,
        seed: int = 0,
        recode: str = "mean",
        exact_means: bool = False,
        below: str = "refuse",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.refine = refine
        self.effort = effort
        self.standardize = standardize
        self.weights = weights
        self.seed = seed
        self.recode = recode
        self.exact_means = exact_means
        self.below = below
        self.options = options

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002, N803
        """Group the records; ``y`` is ignored."""
        k, way = whole_k(self.k), one_of("recode", self.recode, tuple(centers))
        exact = true_or_false("exact_means", self.exact_means)
        one_of("below", self.below, BELOW)
        table, values = self._read(X, reset=True)
        if len(values) < k:
            raise EstimatorError.too_few(len(values), k)
        schema = Schema.assign(tables.kinds(table), quasi_identifiers=table.names)
        records = tables.encode(
            table,
            schema,
            standardize=true_or_false("standardize", self.standardize),
            weights=_by_name(self.weights, table.names),
        )
        groups = group(
            records,
            Task(
                k,
                registry.AUTO if self.method is None else self.method,
                whole_seed(self.seed),
                _plain_options(self.options),
                refinement=asked_refinement(self.method, refine=self.refine, effort=self.effort, seconds=None),
            ),
        )
        self.labels_ = groups.labels
        self.counts_ = groups.sizes
        precisions = [Precision()] * values.shape[1] if exact else tables.precisions(table, table.names).values()
        self.centers_ = rounded_centers(values, groups, way, list(precisions))
        self._scale, self._factors = records.scale, np.sqrt(records.weights / records.weights.max())
        base, stands = self._scale.apply(values), self._scale.apply(self.centers_)
        self.information_loss_ = information_loss(base, stands[groups.labels])
        fingerprint, order = _known_by(values)
        self._known = (fingerprint, groups.labels[order])
        return self

    def predict(self, X: Any) -> IntVector:  # noqa: N803
        """The group of each record, such that every group that is used has at least k of them."""
        check_is_fitted(self)
        k, below = whole_k(self.k), one_of("below", self.below, BELOW)
        _, values = self._read(X, reset=False)
        known = self._again(values) if self.counts_.min() >= k else None  # a larger k may be asked for since the fit
        if known is not None:
            return known
        return deliver(self._points(values), self._points(self.centers_), k=k, below=below)

    def transform(self, X: Any) -> FloatMatrix:  # noqa: N803
        """The records, each replaced by what stands for its group; verified on these values."""
        groups = self.predict(X)
        released: FloatMatrix = self.centers_[groups]
        proof = verify(tables.read(released), k=self.k, quasi_identifiers=range(released.shape[1]))
        if not proof:
            raise PromiseError.below_k(records=proof.violations, k=proof.k, smallest=proof.min_class)
        return released

    def _read(self, X: Any, *, reset: bool) -> tuple[Table, FloatMatrix]:  # noqa: N803
        """The table and its numbers, if it has nothing else; where another library refuses cells, it may quote them."""
        source = X if hasattr(type(X), "columns") else _array(X)
        try:
            table = tables.read(source)
        except ShoalError as error:
            raise EstimatorError.of(error) from None
        try:
            validate_data(self, source, reset=reset, skip_check_array=True)
        except (ValueError, TypeError) as error:  # about names and numbers of columns
            raise EstimatorError.other_features(str(error)) from None
        for name, kind in tables.kinds(table):
            if kind is not Kind.NUMERIC:
                raise EstimatorError.column_of_no_numbers(name, kind)
        try:
            return table, tables.numbers(table, table.names)
        except DataError as error:
            raise EstimatorError.not_finite(error.fact) from None

    def _points(self, values: FloatMatrix) -> FloatMatrix:
        """Values on the scale of the fit, weighted; infinite where they are beyond the range of numbers."""
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(self._scale.apply(values) * self._factors)

    def _again(self, values: FloatMatrix) -> IntVector | None:
        """The groups of the fit, if these are its records in whatever order."""
        known, groups = self._known
        if len(values) != len(groups):
            return None
        fingerprint, order = _known_by(values)
        if fingerprint != known:
            return None
        labels = np.empty_like(groups)
        labels[order] = groups
        return labels


def _array(source: Any) -> FloatMatrix:
    """A matrix of floats from whatever numpy takes for one."""
    if issparse(source):
        raise EstimatorError.sparse()
    try:
        array = source if isinstance(source, np.ma.MaskedArray) else np.asarray(source)
        kind = array.dtype.kind
        with np.errstate(over="ignore"):  # to infinity, which is refused
            matrix = np.ma.filled(array.astype(np.float64), np.nan) if kind in _NUMBERS else None
    except (TypeError, ValueError, OverflowError):
        matrix, kind = None, ""
    if matrix is None:
        raise EstimatorError.complex_numbers() if kind == "c" else EstimatorError.no_numbers()
    if matrix.ndim != 2:
        raise EstimatorError.no_table(matrix.ndim)
    if not matrix.shape[1]:
        raise EstimatorError.no_features(len(matrix))
    return matrix


def _by_name(weights: Any, names: Sequence[str]) -> dict[str, float]:
    """The weights of columns by their names; where they are not named, there is one for each column."""
    if weights is None or isinstance(weights, Mapping):
        return column_weights(weights)
    try:
        return column_weights(dict(zip(names, weights, strict=True)))
    except (TypeError, ValueError):
        raise OptionError.bad_option(
            "weights", "a number above 0 for each column, or for those that are named"
        ) from None


def _plain_options(options: Any) -> dict[str, Any]:
    """The method's options, by name."""
    if not (options is None or isinstance(options, Mapping)):
        raise OptionError.bad_option("options", "the method's own options by name, such as {'gamma': 0.5}")
    return {str(name): plain(str(name), value) for name, value in (options or {}).items()}


def _known_by(values: FloatMatrix) -> tuple[str, IntVector]:
    """A fingerprint of records that does not depend on their order, and the order that it puts them in."""
    order = np.lexsort(values.T)
    ordered = np.ascontiguousarray(values[order] + 0.0, dtype="<f8")  # -0.0 is 0.0
    return hashlib.sha256(ordered.data).hexdigest(), order
