# make demo   set everything up and make a quick profile of two small models: common sense, or clever Hans? (the masked
#             one a part of it)
# make test   set everything up and run lint, types, the import contract and the tests
# make quick  lint, the import contract, types, and the tests that ask no model, server, browser or whole release
# make setup  only the environment, in .venv
# make bench  figures for docs/results/performance.md
# make peers  exported probes asked by lm-evaluation-harness and Inspect themselves, and their real logs read back
# make coverage  how often intervals hold the truth, for docs/results/intervals.md (half an hour)
# make verdicts  how often a verdict of the profile is right, for docs/results/profile.md (an hour)
# make fuzz   bad input of all kinds for every command and reader, 100,000 of it; the table for docs/results/reliability.md
# make faults every open, write, sync and rename of every command that keeps something fails once, 200 kills, flipped bits,
#             slow connections, hostile files: the other tables for docs/results/reliability.md (an hour)
# make docs   the site, into build/site; strict, and no model is asked (make docs-serve shows it while you write)
# make lock   renew requirements.lock (hashes of all that set-up installs); needs uv
# make sbom   the bill of materials, sbom.json

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -q
# Two at a time, a file at a time, so that what a file sets up is set up once.
# Two processes on two cores, so one thread each: with two, threads of both wait for one another at every product.
PYTEST ?= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: setup fetch demo test quick lint docs docs-serve bench peers coverage verdicts fuzz faults lock sbom clean

setup: $(READY)

# torch comes first and alone, so that the build that was tested is taken and not the newest one. All else is in the
# lock, and a file with another hash is refused.
$(READY): pyproject.toml constraints.txt requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(PIP) install "$$(grep '^torch==' constraints.txt)"
	$(PIP) install --no-deps --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	touch $(READY)

fetch: $(READY)
	$(BIN)/horsesense fetch smollm2 smollm2-masked minilm wordnet gcide

demo: $(READY)
	$(BIN)/horsesense fetch smollm2 smollm2-masked wordnet gcide
	$(BIN)/horsesense profile -m smollm2-masked --ability exceptions --ability parts --limit 40 --out runs/demo-masked
	$(BIN)/horsesense profile -m smollm2 --quick --out runs/demo

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.lint_prose docs templates

# A browser beside two other jobs on two cores may wait longer than a test does: a core each, and nothing beside them.
BROWSER := tests/annotate/test_people_in_chromium.py tests/report/test_in_chromium.py tests/report/test_profile_in_chromium.py tests/docs/test_site.py

# Lint beside fetching, which waits for the network and the disk; the tests use both cores by themselves.
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

bench: $(READY)
	for file in $(filter-out bench/contamination.py bench/coverage.py bench/verdicts.py bench/round_trip.py,$(wildcard bench/*.py)); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

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
