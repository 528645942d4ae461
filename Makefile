# The only commands anybody must remember. Each sets up what it needs.
PYTHON ?= python3
# Bytecode is kept, whatever the environment says: hundreds of short processes would compile it again.
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
CORE := .venv/.core
READY := .venv/.ready

# uv installs several times as fast as pip; where it cannot be had or fails, pip does the same. Both build PySpark from its
# sources, and to compress a package of 400 MB that is unpacked at once would take half of that time.
export DIST_EXTRA_CONFIG := $(CURDIR)/.venv/build.cfg
install = printf '[bdist_wheel]\ncompression = stored\n' > $(DIST_EXTRA_CONFIG); { $(BIN)/python -m pip install --quiet --disable-pip-version-check uv && \
	$(BIN)/uv pip install --quiet $(2) --python $(BIN)/python --editable '$(1)'; } >/dev/null 2>&1 || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '$(1)'

.PHONY: demo web test pytest check lint bench docs reliability fuzz release clean programs

demo: $(CORE)
	$(BIN)/shoal demo

# The page in the browser; FILE=people.csv opens a file at once.
web: $(READY)
	$(BIN)/shoal web $(FILE)

# Everything that proves the product, with lint beside it. What is needed is installed at the same time.
test:
	@$(MAKE) --no-print-directory --jobs=2 $(READY) programs
	@$(MAKE) --no-print-directory --jobs=2 pytest lint

# Three workers on two cores, since tests of Spark and the browser wait now and then; WORKERS=8 for a larger machine.
pytest: $(READY)
	$(BIN)/python -m pytest -n $(or $(WORKERS),3) --dist loadgroup --durations=20 --durations-min=1

# The inner loop: lint and the quick tests, with few drawn examples.
check: $(READY) lint
	SHOAL_TRIES=few $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

# Tests of the page and the reports need a browser, those on Spark need Java. Where one cannot be installed, its tests
# are skipped, and say so.
programs:
	@missing=""; \
	command -v chromium-headless-shell >/dev/null || missing="chromium-headless-shell"; \
	command -v java >/dev/null || missing="$$missing openjdk-17-jre-headless"; \
	[ -z "$$missing" ] || { \
	  root=$$([ "$$(id -u)" = 0 ] || echo "sudo -n"); \
	  $$root apt-get update -qq; \
	  for package in $$missing; do $$root apt-get install -y -qq $$package || \
	    $$root apt-get install -y -qq $${package%-headless-shell}; done; \
	} >/dev/null 2>&1; \
	command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || \
	  command -v chromium-browser >/dev/null || \
	  echo "chromium is not there and cannot be installed: the tests in a browser will be skipped"; \
	command -v java >/dev/null || \
	  echo "Java is not there and cannot be installed: the tests on Spark will be skipped"

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# All benchmarks, the peers of Shoal among them, and the page made from them; QUICK=1 for a look at small sizes.
bench: $(READY)
	$(BIN)/python benchmarks/run_all.py $(if $(QUICK),--quick)

# Search for malformed input that breaks a reader, guided by coverage; what is found stands in findings/.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python tests/hostile/fuzz/guided.py --seconds $(or $(SECONDS),30) --findings findings

# The wheel and the sources, in dist/, tried in an empty environment; PYTHONS="python3.11 python3.13" tries several.
release: $(READY)
	$(BIN)/python tests/packaging/pythons.py $(PYTHONS)

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
	$(BIN)/python -m compileall -q -j 0 src
	@touch $@

$(READY): $(CORE)
	$(call install,.[dev])
	@touch $@
