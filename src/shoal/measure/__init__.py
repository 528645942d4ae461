"""What a release cost and what risk is left: one file a measure."""

from shoal.measure.counting import count_classes
from shoal.measure.evaluate import evaluate
from shoal.measure.individual import household_risk, individual_risk
from shoal.measure.registry import Classes, Meaning, measures
from shoal.measure.semantic import semantic_loss
from shoal.measure.squared_error import information_loss, variation

__all__ = [
    "Classes",
    "Meaning",
    "count_classes",
    "evaluate",
    "household_risk",
    "individual_risk",
    "information_loss",
    "measures",
    "semantic_loss",
    "variation",
]
