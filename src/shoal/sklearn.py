"""Microaggregation as a scikit-learn clusterer and transformer (``pip install 'shoal[sklearn]'``).

>>> from shoal.sklearn import Microaggregator
>>> X_released = Microaggregator(k=5).fit_transform(X)  # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from shoal import data
from shoal.data import Table
from shoal.domain import FloatMatrix, IntVector, Kind, Precision, Schema, check_bool, check_choice, check_k
from shoal.errors import DataError, EstimatorError, OptionError, PackageError, PromiseError, ShoalError
from shoal.errors.deprecation import warn_deprecated
from shoal.metrics import information_loss
from shoal.microaggregation import registry
from shoal.microaggregation.group import GroupingTask, group
from shoal.microaggregation.new_records import UNDERSIZED, assign_new_records
from shoal.options.checks import check_scalar, check_seed, parse_weights
from shoal.recode import group_centers
from shoal.recode.number_aggregates import CENTER_FUNCTIONS
from shoal.release.options import parse_refinement
from shoal.system.threads import use_threads
from shoal.verification.verify import verify

try:
    from scipy.sparse import issparse
    from sklearn.base import BaseEstimator, ClusterMixin, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise PackageError.needs_extra("shoal.sklearn", "sklearn") from None

_DEPRECATED = "deprecated"
"""Default of parameters that have another name now, as in scikit-learn."""
_NUMBERS = "biufOUS"
"""Array kinds that may hold numbers: booleans, numbers, objects and text."""


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Groups of at least k records; each record is replaced by the aggregate of its group.

    Every column is a numeric quasi-identifier. Groups and released values are those of `shoal.anonymize`.

    New records are assigned to the groups of the fit by the nearest center on its scale. The output is k-anonymous by
    itself: each group used by new records has at least k of them, otherwise the records are refused or merged
    (``undersized``). The records of the fit are recognized in any order and keep their own groups, which need not be
    those of the nearest center: ``fit(X).transform(X)`` equals ``fit_transform(X)``. A subset of them counts as new
    records.

    Parameters
    ----------
    k
        Minimum number of records per group. There is no default: it is your decision.
    method
        One of `shoal.methods()` for numbers; default `auto`.
    refine, effort
        Whether local search improves the groups of the method, and its effort, as for `shoal.anonymize`.
    standardize
        Measure distances on columns of mean 0 and standard deviation 1.
    weights
        Column weights in distances: one number per column, or by name; 1 for other columns.
    random_state
        Seed of randomized methods, a whole number.
    recode
        Aggregate of a group: its ``mean`` or its ``median``.
    exact_means
        Keep all digits of means and medians. By default they have the decimals of their column, as in
        `shoal.anonymize`.
    undersized
        What to do if new records form a group of fewer than k: ``raise`` an error, or ``merge``: dissolve the smallest
        group first, until none is too small; its records go to the nearest remaining group.
    options
        Options of the method, by name.
    n_jobs
        Number of threads; None or -1: ``SHOAL_THREADS``, else one per core. The groups do not depend on it.
    seed, below
        Deprecated names of ``random_state`` and ``undersized``, where ``raise`` was ``refuse``.

    Attributes
    ----------
    labels_
        Group of each record of the fit.
    centers_
        Aggregate of each group, one row per group.
    counts_
        Number of records of each group.
    information_loss_
        Information loss of the fit: percent of the variation of the standardized (or raw) columns.
    n_features_in_, feature_names_in_
        Number of columns; column names, if given.

    A fitted estimator holds no records, but means and spreads of columns, the group labels in record order, and a hash
    of all records: treat it like the data.
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
        random_state: int = 0,
        recode: str = "mean",
        exact_means: bool = False,
        undersized: str = "raise",
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        seed: Any = _DEPRECATED,
        below: Any = _DEPRECATED,
    ) -> None:
        self.k = k
        self.method = method
        self.refine = refine
        self.effort = effort
        self.standardize = standardize
        self.weights = weights
        self.random_state = random_state
        self.recode = recode
        self.exact_means = exact_means
        self.undersized = undersized
        self.options = options
        self.n_jobs = n_jobs
        self.seed = seed
        self.below = below

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002, N803
        """Group the records; ``y`` is ignored."""
        k, recode = check_k(self.k), check_choice("recode", self.recode, tuple(CENTER_FUNCTIONS))
        exact = check_bool("exact_means", self.exact_means)
        seed = check_seed(self._renamed("seed", "random_state", default=0), name="random_state")
        self._undersized()
        table, values = self._read(X, reset=True)
        if len(values) < k:
            raise EstimatorError.too_few_samples(len(values), k)
        schema = Schema.assign(data.column_kinds(table), quasi_identifiers=table.names)
        records = data.encode_records(
            table,
            schema,
            standardize=check_bool("standardize", self.standardize),
            weights=_by_name(self.weights, table.names),
        )
        task = GroupingTask(
            k,
            registry.AUTO if self.method is None else self.method,
            seed,
            _plain_options(self.options),
            refinement=parse_refinement(self.method, refine=self.refine, effort=self.effort, time_limit=None),
        )
        with use_threads(None if self.n_jobs == -1 else self.n_jobs):
            groups = group(records, task)
        self.labels_ = groups.labels
        self.counts_ = groups.sizes
        precisions = [Precision()] * values.shape[1] if exact else data.detect_precisions(table, table.names).values()
        self.centers_ = group_centers(values, groups, recode, list(precisions))
        self._scale, self._factors = records.scale, np.sqrt(records.weights / records.weights.max())
        base, released = self._scale.apply(values), self._scale.apply(self.centers_)
        self.information_loss_ = information_loss(base, released[groups.labels])
        fingerprint, order = _order_free_hash(values)
        self._known = (fingerprint, groups.labels[order])
        return self

    def predict(self, X: Any) -> IntVector:  # noqa: N803
        """Assign each record to a group, so that every group used has at least k records."""
        check_is_fitted(self)
        k, undersized = check_k(self.k), self._undersized()
        _, values = self._read(X, reset=False)
        # k may have been increased since the fit
        known = self._fitted_labels(values) if self.counts_.min() >= k else None
        if known is not None:
            return known
        return assign_new_records(self._points(values), self._points(self.centers_), k=k, undersized=undersized)

    def transform(self, X: Any) -> FloatMatrix:  # noqa: N803
        """Replace each record by the aggregate of its group; the result is verified."""
        groups = self.predict(X)
        released: FloatMatrix = self.centers_[groups]
        proof = verify(data.read_table(released), k=self.k, quasi_identifiers=range(released.shape[1]))
        if not proof:
            raise PromiseError.below_k(records=proof.violations, k=proof.k, smallest=proof.min_class)
        return released

    def _undersized(self) -> str:
        value = self._renamed("below", "undersized", default="raise")
        return check_choice("undersized", "raise" if value == "refuse" else value, UNDERSIZED)

    def _renamed(self, old: str, new: str, *, default: Any) -> Any:
        """Value of a parameter that may be set by its deprecated name."""
        deprecated, value = getattr(self, old), getattr(self, new)
        if isinstance(deprecated, str) and deprecated == _DEPRECATED:
            return value
        if value != default:
            raise OptionError.two_names(f"{old}=", f"{new}=")
        warn_deprecated(f"{old}=", f"{new}=")
        return deprecated

    def _read(self, X: Any, *, reset: bool) -> tuple[Table, FloatMatrix]:  # noqa: N803
        """Return the table and its numbers; raise without quoting cells, as errors of other libraries may do."""
        source = X if hasattr(type(X), "columns") else _array(X)
        try:
            table = data.read_table(source)
        except ShoalError as error:
            raise EstimatorError.from_error(error) from None
        try:
            validate_data(self, source, reset=reset, skip_check_array=True)
        except (ValueError, TypeError) as error:  # wrong column names or number of columns
            raise EstimatorError.different_features(str(error)) from None
        for name, kind in data.column_kinds(table):
            if kind is not Kind.NUMERIC:
                raise EstimatorError.column_not_numeric(name, kind)
        try:
            return table, data.numeric_matrix(table, table.names)
        except DataError as error:
            raise EstimatorError.not_finite(error.fact) from None

    def _points(self, values: FloatMatrix) -> FloatMatrix:
        """Scale and weight values as in the fit; infinite if out of range."""
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(self._scale.apply(values) * self._factors)

    def _fitted_labels(self, values: FloatMatrix) -> IntVector | None:
        """Return the labels of the fit if these are its records in any order."""
        known, groups = self._known
        if len(values) != len(groups):
            return None
        fingerprint, order = _order_free_hash(values)
        if fingerprint != known:
            return None
        labels = np.empty_like(groups)
        labels[order] = groups
        return labels


def _array(source: Any) -> FloatMatrix:
    """Convert array-likes to a matrix of floats."""
    if issparse(source):
        raise EstimatorError.sparse()
    try:
        array = source if isinstance(source, np.ma.MaskedArray) else np.asarray(source)
        kind = array.dtype.kind
        with np.errstate(over="ignore"):  # overflow to infinity, which is refused
            matrix = np.ma.filled(array.astype(np.float64), np.nan) if kind in _NUMBERS else None
    except (TypeError, ValueError, OverflowError):
        matrix, kind = None, ""
    if matrix is None:
        raise EstimatorError.complex_numbers() if kind == "c" else EstimatorError.not_numeric()
    if matrix.ndim != 2:
        raise EstimatorError.not_two_dimensional(matrix.ndim)
    if not matrix.shape[1]:
        raise EstimatorError.no_features(len(matrix))
    return matrix


def _by_name(weights: Any, names: Sequence[str]) -> dict[str, float]:
    """Return column weights by name; a sequence has one weight per column."""
    if weights is None or isinstance(weights, Mapping):
        return parse_weights(weights)
    try:
        return parse_weights(dict(zip(names, weights, strict=True)))
    except (TypeError, ValueError):
        expected = "a number above 0 for each column, or for those that are named"
        raise OptionError.invalid_value("weights", expected) from None


def _plain_options(options: Any) -> dict[str, Any]:
    if not (options is None or isinstance(options, Mapping)):
        raise OptionError.invalid_value("options", "the method's own options by name, such as {'gamma': 0.5}")
    return {str(name): check_scalar(str(name), value) for name, value in (options or {}).items()}


def _order_free_hash(values: FloatMatrix) -> tuple[str, IntVector]:
    """Return a hash of the records that does not depend on their order, and the order used."""
    order = np.lexsort(values.T)
    ordered = np.ascontiguousarray(values[order] + 0.0, dtype="<f8")  # -0.0 is 0.0
    return hashlib.sha256(ordered.data).hexdigest(), order
