# The only commands anybody must remember. Each sets up what it needs.
PYTHON ?= python3
# Bytecode is kept, whatever the environment says: hundreds of short processes would compile it again.
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
CORE := .venv/.core
READY := .venv/.ready

# uv installs several times as fast as pip; where it cannot be had or fails, pip does the same.
install = { $(BIN)/python -m pip install --quiet --disable-pip-version-check uv && \
	$(BIN)/uv pip install --quiet $(2) --python $(BIN)/python --editable '$(1)'; } >/dev/null 2>&1 || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '$(1)'

.PHONY: demo web test check lint bench docs reliability fuzz release clean browser java

demo: $(CORE)
	$(BIN)/shoal demo

# The page in the browser; FILE=people.csv opens a file at once.
web: $(READY)
	$(BIN)/shoal web $(FILE)

# Everything that proves the product, with lint. Three workers on two cores: tests of Spark and the browser mostly wait.
test: $(READY) browser java lint
	$(BIN)/python -m pytest -n 3 --dist loadgroup --durations=20 --durations-min=1

# The inner loop: lint and the quick tests, with few drawn examples.
check: $(READY) lint
	SHOAL_TRIES=few $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

# The tests of the reports need a browser; where none can be installed they are skipped, and say so.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { \
	  root=$$([ "$$(id -u)" = 0 ] || echo "sudo -n"); \
	  { $$root apt-get update -qq && $$root apt-get install -y -qq chromium; } >/dev/null 2>&1; } || \
	  echo "chromium is not there and cannot be installed: the tests in a browser will be skipped"

# Spark needs Java; where none can be installed its tests are skipped, and say so.
java:
	@command -v java >/dev/null || { \
	  root=$$([ "$$(id -u)" = 0 ] || echo "sudo -n"); \
	  { $$root apt-get update -qq && $$root apt-get install -y -qq openjdk-17-jre-headless; } >/dev/null 2>&1; } || \
	  echo "Java is not there and cannot be installed: the tests on Spark will be skipped"

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# All benchmarks, the peers of Shoal among them, and the page made from them; QUICK=1 for a look at small sizes.
bench: $(READY)
	$(BIN)/python benchmarks/every.py $(if $(QUICK),--quick)

# Search for malformed input that breaks a reader, guided by coverage; what is found stands in findings/.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python tests/hostile/fuzz/guided.py --seconds $(or $(SECONDS),30) --findings findings

# The wheel and the sources, in dist/, tried in an empty environment; PYTHONS="python3.11 python3.13" tries several.
release: $(READY)
	$(BIN)/python tests/release/pythons.py $(PYTHONS)

# The docs as a site in build/site. Pages that come from the code are generated first, into docs/, where git ignores them.
# One warning fails the build (a quiet build would count none).
docs: $(READY)
	$(BIN)/python docs/make.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The site is build/site/index.html"

# Everything a hostile world can do, as often as docs/reliability.md says, and that page made from what was counted;
# PARTS="faults load" does these only.
reliability: $(READY)
	$(BIN)/python tests/hostile/reliability.py $(PARTS)

clean:
	rm -rf .venv demo build dist findings benchmarks/.envs

$(CORE): pyproject.toml
	$(PYTHON) -m venv .venv
	$(call install,.,--compile-bytecode)
	@touch $@

$(READY): $(CORE)
	$(call install,.[dev])
	@touch $@
