# make demo   set up, then profile SmolLM2 beside the built-in controls; open runs/demo/profile.html
# make test   set up, then run linters, the type checker, the import contract and all tests
# make quick  linters, types, the import contract, and the tests without models, servers, browsers or whole datasets
# make setup  only the environment, in .venv
# make bench  figures for docs/results/performance.md
# make peers  run exported probes in lm-evaluation-harness and Inspect, and import their logs
# make coverage  coverage of the intervals, for docs/results/intervals.md (half an hour)
# make verdicts  error rates of the verdicts, for docs/results/profile.md (an hour)
# make fuzz   100,000 bad inputs for every command and reader; the table for docs/results/reliability.md
# make faults failing file operations, 200 kills, flipped bits, slow connections and hostile files for every command that
#             writes: the other tables for docs/results/reliability.md (an hour)
# make docs   build the site into build/site, strictly and without loading a model (make docs-serve: while you write)
# make lock   renew requirements.lock (hashes of everything that set-up installs); needs uv
# make sbom   the bill of materials, sbom.json

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Errors only: a mirror of packages makes pip warn once per package.
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
# pip would compile 21,000 modules, of which few are ever imported; Python compiles these, and keeps them even where
# that is off, since demo and tests start the program dozens of times.
export PYTHONDONTWRITEBYTECODE :=
# Two processes, distributed by file, so that the set-up of a file runs once, in the order of tests/conftest.py: the
# longest first. One thread each on two cores: with two threads, both processes would wait for each other at every
# matrix product.
PYTEST ?= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: setup fetch demo test quick lint docs docs-serve bench peers coverage verdicts fuzz faults lock sbom clean

setup: $(READY)

# torch comes first and alone, so that the tested build is installed and not the newest one. Everything else is in the
# lock, and a file with another hash is refused.
$(READY): pyproject.toml constraints.txt requirements.lock
	@echo "Set-up: torch and the packages of requirements.lock into $(VENV), a few minutes."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --no-compile "$$(grep '^torch==' constraints.txt)"
	@$(PIP) install --no-compile --no-deps --require-hashes -r requirements.lock
	@$(PIP) install --no-compile --no-deps --no-build-isolation -e .
	@touch $(READY)

fetch: $(READY)
	$(BIN)/horsesense fetch smollm2 smollm2-masked minilm glove wordnet gcide

demo: $(READY)
	$(BIN)/horsesense fetch smollm2 minilm glove wordnet gcide
	$(BIN)/horsesense profile -m smollm2 -m guesser -m cue-reader -m relatedness-reader --out runs/demo

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports
	$(BIN)/python -m tools.lint_prose docs templates help python

# Browser tests run last and alone: with two other jobs on two cores, a browser may be slower than a test allows.
BROWSER := tests/annotation_server/test_people_in_chromium.py $(wildcard tests/report/*_in_chromium.py) tests/docs/test_site.py

# The linters run while the downloads wait for the network and the disk; the tests use both cores by themselves.
test: $(READY)
	$(MAKE) --no-print-directory -j 2 fetch lint
	$(PYTEST) $(BROWSER:%=--ignore=%)
	$(PYTEST) $(BROWSER)

quick: $(READY) lint
	$(PYTEST) -m "not slow"

docs: $(READY)
	$(BIN)/python -m tools.docs

docs-serve: $(READY)
	$(BIN)/python -m tools.docs --serve

BENCH := start plan scoring engines million wordnetqa rica report served

bench: $(READY)
	for name in $(BENCH); do echo "== $$name"; $(BIN)/python bench/$$name.py || exit 1; done

peers: $(READY)
	$(BIN)/horsesense fetch smollm2
	$(BIN)/python bench/round_trip.py

coverage: $(READY)
	$(BIN)/python bench/coverage.py --write

verdicts: $(READY)
	$(BIN)/horsesense fetch wordnet smollm2
	$(BIN)/python bench/verdicts.py --write

INPUTS ?= 100000
SEED ?= 0

fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS) --seconds 36000 --seed $(SEED) --write

faults: $(READY)
	$(BIN)/python -m tests.faults --write
	$(BIN)/python -m tests.faults.limits --write
	$(BIN)/python -m tests.faults.flips
	$(BIN)/python -m tests.faults.slow_server

lock:
	$(PYTHON) -m tools.supply.lock
	npm install --package-lock-only --omit-lockfile-registry-resolved --silent

sbom: $(READY)
	$(BIN)/python -m tools.supply.bill_of_materials

clean:
	rm -rf $(VENV) runs build
