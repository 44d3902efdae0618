# make demo   sets up a virtual environment and scores the bundled sample
# make test   the test suite (make coverage adds the lines that no test reaches)
# make fuzz   the tests of generated and damaged input, with many more examples and memory checks
# make wheel-test   builds the wheel and runs every command from it, outside the checkout
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: setup demo smoke run test coverage wheel-test fuzz lint docs bench tables site clean

# Everything that developers need.
setup: $(VENV)/.ready

$(VENV)/.ready: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

# The project without its extras.
$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

demo: $(VENV)/.core
	$(BIN)/python -m bamboo run metric=smatch data=sample
	@echo 'Next: ". $(BIN)/activate", and then "python -m bamboo ..." as in README.md'

# Another version of Python, without the extras: make smoke PYTHON=python3.13 VENV=build/python3.13
smoke: demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pytest hypothesis
	$(BIN)/python -m pytest -q tests/metrics/reading/test_reading.py tests/metrics/alignment/test_smatch.py \
	  tests/bamboo/test_documents.py

# make run ARGS="metric=smatch data=sts"
ARGS ?= metric=smatch data=sts
run: setup
	$(BIN)/python -m bamboo run $(ARGS)

test: setup
	$(BIN)/python -m pytest -n auto --dist worksteal

# Measuring coverage takes half as long again as the tests alone.
coverage: setup
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered

# A new environment in a temporary folder; the packages come from pip's cache where it has them.
wheel-test: setup
	$(BIN)/python -m tests.wheel.run

# Generated and damaged input, for an hour or so: make fuzz FUZZ="--hypothesis-seed=1 tests/metrics"
FUZZ ?=
fuzz: setup
	$(BIN)/python -m tests.fuzz.run $(FUZZ)

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The documentation, in build/docs; a broken link or anchor or any other warning is an error.
docs: $(VENV)/.docs
	$(BIN)/python -m mkdocs build --strict

$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

bench: setup
	$(BIN)/python -m tests.bench.run
	$(BIN)/python -m tests.bench.transport_speed
	$(BIN)/python -m tests.bench.reading_speed
	$(BIN)/python -m tests.bench.command_speed

tables: setup
	$(BIN)/python -m bamboo tables

# make site SITE="metric=smatch,wlk data=all"
SITE ?= metric=smatch data=sample
site: setup
	$(BIN)/python -m bamboo site $(SITE) out=build/site

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .import_linter_cache metrics/amr_metrics/kernels/kernels.*.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
