"""Every exception of Shoal.

::

    ShoalError                    exit code 2: something the user can mend
    ├── BundleError               a bundle is damaged, or not one that Shoal wrote
    ├── FileError                 a file cannot be read
    ├── DataError                 the table holds what cannot be protected
    ├── ColumnError               a column is named wrongly, or in the wrong role
    ├── EngineError               Spark cannot be started, or gave up
    ├── EstimatorError            what the scikit-learn estimator cannot take; a ValueError and a TypeError too
    ├── HierarchyError            a hierarchy is no tree, or does not fit the data
    ├── OptionError               k, a method or an option is out of range or unknown
    ├── OutputError               a release cannot be written where it was asked for
    ├── PackageError              a package is not installed; an ImportError too
    ├── PageError                 the page in the browser cannot do what it was asked for
    ├── PolicyError               a policy file cannot be used
    └── PromiseError              exit code 3: the promise does not hold, nothing was released

    ShoalWarning                  the release stands, but the user should look

A message is one sentence: the fact with its numbers, then a hint with one action. It names columns,
counts and row numbers, never a cell of the data.
"""

from __future__ import annotations

from shoal.errors.base import ShoalError, ShoalWarning
from shoal.errors.base import in_python as in_python
from shoal.errors.base import on_command_line as on_command_line
from shoal.errors.bundle import BundleError
from shoal.errors.choices import OptionError, PolicyError
from shoal.errors.data import ColumnError, DataError
from shoal.errors.engine import EngineError
from shoal.errors.estimator import EstimatorError, PackageError
from shoal.errors.files import FileError
from shoal.errors.hierarchy import HierarchyError
from shoal.errors.output import OutputError, PromiseError
from shoal.errors.page import PageError

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
    "PageError",
    "PolicyError",
    "PromiseError",
    "ShoalError",
    "ShoalWarning",
]
