"""Exceptions and warnings.

::

    ShoalError                    exit code 2: the user can correct it
    ├── BundleError               a bundle is damaged, or was not written by Shoal
    ├── FileError                 a file cannot be read
    ├── DataError                 the table contains values that cannot be used
    ├── ColumnError               a column is named wrongly, or has the wrong role
    ├── EngineError               Spark cannot be started, or failed
    ├── EstimatorError            the scikit-learn estimator cannot use its input; also ValueError and TypeError
    ├── HierarchyError            a hierarchy is not a tree, or does not fit the data
    ├── OptionError               k, a method or an option is out of range or unknown
    ├── OutputError               an output file cannot be written
    ├── PackageError              a package is not installed; also ImportError
    ├── PolicyError               a policy file cannot be used
    └── PromiseError              exit code 3: verification failed, nothing was released

    ShoalWarning                  the release is verified, but needs attention

A message is one sentence: the fact with its numbers, then a hint with one action. It names columns, counts and row
numbers, never a cell of the data.
"""

from __future__ import annotations

from shoal.errors.base import ShoalError, ShoalWarning
from shoal.errors.base import in_python as in_python
from shoal.errors.base import on_command_line as on_command_line
from shoal.errors.base import warn_user as warn_user
from shoal.errors.data import ColumnError, DataError
from shoal.errors.environment import EngineError, EstimatorError, PackageError
from shoal.errors.files import FileError
from shoal.errors.hierarchy import HierarchyError
from shoal.errors.options import OptionError, PolicyError
from shoal.errors.output import BundleError, OutputError, PromiseError

__all__ = [
    "BundleError",
    "ColumnError",
    "DataError",
    "EngineError",
    "EstimatorError",
    "FileError",
    "HierarchyError",
    "OptionError",
    "OutputError",
    "PackageError",
    "PolicyError",
    "PromiseError",
    "ShoalError",
    "ShoalWarning",
]
