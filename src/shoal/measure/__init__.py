"""What a release cost and what risk is left: one file a measure."""

from shoal.measure.counting import count_classes
from shoal.measure.evaluate import evaluate
from shoal.measure.individual import individual_risk
from shoal.measure.pair import Classes, Facts, Meaning, Pair
from shoal.measure.registry import Measure, measures
from shoal.measure.semantic import semantic_loss
from shoal.measure.squared_error import information_loss, percent, variation

__all__ = [
    "Classes",
    "Facts",
    "Meaning",
    "Measure",
    "Pair",
    "count_classes",
    "evaluate",
    "individual_risk",
    "information_loss",
    "measures",
    "percent",
    "semantic_loss",
    "variation",
]
