# `make help` lists the targets. Every target makes the virtual environment it needs; PYTHON names the interpreter to make it from.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test dev check bench build clean help

demo: $(VENV)/.installed  ## index the demo sessions and show what a compaction had removed
	@$(BIN)/uncompact demo

test: $(VENV)/.installed-dev  ## run the tests
	$(BIN)/python -m pytest

check: $(VENV)/.installed-dev .typing/uncompact  ## lint, types and tests: what CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered --cov-fail-under=90

dev: $(VENV)/.installed-dev .typing/uncompact  ## an editable install with everything a developer needs

bench: $(VENV)/.installed-dev  ## measure and print what benchmarks/README.md quotes
	$(BIN)/python benchmarks/reindex_throughput.py
	$(BIN)/python benchmarks/speed/run.py --json build/speed.json
	$(BIN)/python benchmarks/plan_latency.py
	$(BIN)/python benchmarks/companion_trial.py --entries 5000

build: $(VENV)/.installed-dev  ## a wheel, in dist/
	$(BIN)/python -m pip wheel --no-deps --wheel-dir dist .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

# What mypy and pyright read: setuptools' editable finder is invisible to them.
.typing/uncompact:
	mkdir -p $@
	ln -sfn ../../pipelines $@/pipelines
	ln -sfn ../../query $@/query
	ln -sfn ../../query/api/__init__.py $@/__init__.py

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile

clean:  ## remove what the targets made
	rm -rf $(VENV) .typing .cache .hypothesis .coverage build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
