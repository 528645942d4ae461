"""What a release cost and what risk is left: one file a measure."""

from shoal.measure.evaluate import evaluate
from shoal.measure.registry import measures
from shoal.measure.squared_error import information_loss, variation

__all__ = ["evaluate", "information_loss", "measures", "variation"]
