"""Metrics of information loss and disclosure risk."""

from shoal.measure.counting import count_classes
from shoal.measure.evaluate import evaluate
from shoal.measure.individual import individual_risk
from shoal.measure.pair import CategoryCodes, EquivalenceClasses, MetricInputs, TableFacts
from shoal.measure.registry import Measure, measures
from shoal.measure.semantic import semantic_loss
from shoal.measure.squared_error import information_loss, percent, total_sum_of_squares

__all__ = [
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
