"""Metrics of information loss and disclosure risk."""

from shoal.metrics.evaluate import DEFAULT, evaluate
from shoal.metrics.individual_risk import individual_risk
from shoal.metrics.inputs import CategoryCodes, EquivalenceClasses, MetricInputs, TableFacts, count_classes
from shoal.metrics.registry import Measure, measures
from shoal.metrics.semantic_loss import semantic_loss
from shoal.metrics.squared_error import information_loss, percent, total_sum_of_squares

__all__ = [
    "DEFAULT",
    "CategoryCodes",
    "EquivalenceClasses",
    "Measure",
    "MetricInputs",
    "TableFacts",
    "count_classes",
    "evaluate",
    "individual_risk",
    "information_loss",
    "measures",
    "percent",
    "semantic_loss",
    "total_sum_of_squares",
]
