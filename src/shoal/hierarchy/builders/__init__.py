"""Build a hierarchy from the values of a column."""
