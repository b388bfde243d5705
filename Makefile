# Everything a developer types. `make help` prints the lines that carry a `##`.

BIN := .venv/bin
ENVIRONMENT := .venv/.ready
FAULTS ?= 10000
SEED ?= 1
WORKERS ?= 2
TESTS ?=
ONLY ?=

# What the pages load is bundled when the package is installed: again when a source has changed, and
# when the bundle is not there.
BUNDLE := quoth/web/static/dist/manifest.json
FRONTEND := $(wildcard hatch_build.py frontend/*.json frontend/*.mjs frontend/src/* frontend/src/*/*)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup browser demo serve test check fix bench bench-queue soak lock wheel clean

help:  ## Show this help
	@sed -n 's/^\([a-z][a-z-]*\):.*  ## \(.*\)$$/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) \
	  | awk -F'|' '{ printf "%-16s%s\n", $$1, $$2 }'

setup: $(ENVIRONMENT) browser  ## Make .venv with everything in it (the others call it by themselves)

demo: $(ENVIRONMENT)  ## Serve with simulated engines and a sample check of 32 captures
	@$(BIN)/quoth demo

serve: $(ENVIRONMENT)  ## Serve pages and API on 127.0.0.1:8420 (QUOTH_LISTEN)
	@$(BIN)/quoth serve

test: setup  ## Run every test (TESTS="tests/queue -k claim" for some, WORKERS=1 for one process)
	@$(BIN)/pytest -q -n $(WORKERS) $(TESTS)

check: $(ENVIRONMENT)  ## Format, lint, types, import contracts, dead code, dependencies: what CI asks
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(BIN)/deptry .

fix: $(ENVIRONMENT)  ## Format, and mend what the linter can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(ENVIRONMENT)  ## Measure all, or ONLY="accept pickup"; writes bench/results.md and .json
	$(BIN)/python -m bench $(ONLY)

bench-queue: $(ENVIRONMENT)  ## Measure the queue beside its peers, or ONLY="drain pgqueuer" (15 minutes)
	@$(BIN)/python -m bench.queue $(ONLY)

soak: $(ENVIRONMENT)  ## Chaos: workers, server and engines struck until FAULTS=10000 (SEED=1); docs/soak.md
	@sh tests/chaos/get-faketime
	@$(BIN)/python -m tests.chaos --faults $(FAULTS) --seed $(SEED)

lock: $(ENVIRONMENT)  ## Resolve the lock files anew, with hashes and without any address
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --extra dev --generate-hashes \
	  --no-header --no-emit-index-url --no-emit-find-links pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-emit-index-url --no-emit-find-links bench/peers.in -o bench/peers.lock
	npm --prefix frontend run --silent lock

wheel: $(ENVIRONMENT)  ## Build the wheel, pages included, into dist/
	$(BIN)/uv build --wheel

clean:  ## Remove the environment and what tools left behind; the data stays
	rm -rf .venv .venv-peers dist frontend/node_modules quoth/web/static/dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

browser:
	@sh .ci/find-browser
	@sh .ci/find-pooler

.venv/.made: .ci/make-environment
	@sh .ci/make-environment
	@touch $@

.venv/.synced: requirements.lock .venv/.made
	@$(BIN)/uv pip sync -q --require-hashes requirements.lock
	@touch $@

$(BUNDLE): ;

$(ENVIRONMENT): pyproject.toml $(FRONTEND) $(BUNDLE) .venv/.synced
	@$(BIN)/uv pip install -q --no-deps -e .
	@touch $@
