# The only commands anybody must remember. Each sets up what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint bench clean

demo: $(READY)
	$(BIN)/shoal demo

test: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/mdav.py
	$(BIN)/python benchmarks/walk.py
	$(BIN)/python benchmarks/methods.py
	$(BIN)/python benchmarks/categories.py
	$(BIN)/python benchmarks/mondrian.py
	$(BIN)/python benchmarks/beyond.py

clean:
	rm -rf .venv demo build dist

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
