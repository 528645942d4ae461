"""Data frames of polars, pandas, pyarrow and numpy."""
