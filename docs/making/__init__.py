"""The pages that `docs/make.py` generates, a file for each kind of page."""
