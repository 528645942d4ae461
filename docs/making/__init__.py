"""Pages that are made from the house itself, a file for each kind of page; `docs/make.py` writes them."""
