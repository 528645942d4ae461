"""What a release cost and what risk is left: one file a measure."""

from shoal.measure.evaluate import evaluate
from shoal.measure.registry import Meaning, measures
from shoal.measure.semantic import semantic_loss
from shoal.measure.squared_error import information_loss, variation

__all__ = ["Meaning", "evaluate", "information_loss", "measures", "semantic_loss", "variation"]
