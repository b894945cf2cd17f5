# One command for each thing a contributor does; `make help` lists them.
# Needed: make, Python 3.11 or newer with venv and pip, and a package index that pip can reach.
# Each command sets up what it needs, in .venv, and again only when pyproject.toml has changed.

# The Python that .venv is made with: make test PYTHON=python3.12
PYTHON ?= python3
# Processes that run the tests at once.
WORKERS ?= 2
# Pairs of model and board that `make soak` compares.
N ?= 100000

VENV := .venv
BIN := $(VENV)/bin
# One stamp for each set of packages; a stamp is as old as the installation that it stands for.
USE := $(VENV)/installed
DEV := $(VENV)/installed-dev
BENCH := $(VENV)/installed-bench
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help audit test soak bench format clean

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

audit: $(USE) ## check every ruling and claim of the shipped model against its rules
	$(BIN)/verify-rules audit

test: $(DEV) ## lint, formatting, types, tests: all that has to be green
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n $(WORKERS)

soak: $(DEV) ## compare the two meanings on many more generated models: make soak N=100000
	$(BIN)/python tests/soak.py $(N)

bench: $(BENCH) ## measure; the figures go to benchmarks/out
	$(BIN)/python benchmarks/run.py

format: $(DEV) ## format the Python files and mend what the linter can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove .venv, caches and all that was built
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build benchmarks/out
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is not there or older than 3.11; name another one: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(USE): pyproject.toml | $(BIN)/python
	$(INSTALL) .
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(INSTALL) '.[dev]'
	@touch $(USE) $@

$(BENCH): pyproject.toml | $(BIN)/python
	$(INSTALL) '.[dev,bench]'
	@touch $(USE) $(DEV) $@
