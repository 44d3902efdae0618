# make demo   sets up a virtual environment and scores the bundled sample
# make test   the test suite (make coverage adds the lines that no test reaches)
# make browser   the tests of pages, in Chromium
# make fuzz   the tests of generated and damaged input, with many more examples and memory checks
# make mutants MODULE=FILE   changes one place of a module at a time; lists what no test notices
# make processors   compares what commands write with the libraries' code for other processors
# make wheel-test   builds the wheel and runs every command from it, outside the checkout
# make wheels   wheels for other systems and processors, in dist
# make dist   what a release uploads: the wheels and the source archive, in dist
PYTHON ?= python3
VENV ?= .venv
SCRIPTS = $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN = $(VENV)/$(SCRIPTS)
# Byte code, which `pip install -e` does not compile; also where PYTHONDONTWRITEBYTECODE is set.
COMPILE = python -m compileall -q bamboo metrics

.PHONY: setup demo smoke run test browser coverage wheel-test wheels dist fuzz lint workflows docs bench tables site clean

# Everything that developers need.
setup: $(VENV)/.ready
	$(BIN)/$(COMPILE)

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
	$(BIN)/$(COMPILE)
	$(BIN)/python -m bamboo run metric=smatch data=sample
	@echo 'Next: ". $(BIN)/activate", and then "python -m bamboo ..." as in README.md'

# Another version of Python, without the extras: make smoke PYTHON=python3.13 VENV=build/python3.13
smoke: demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pytest hypothesis
	$(BIN)/python -m pytest -q tests/metrics/reading/test_reading.py tests/metrics/alignment/test_smatch.py \
	  tests/bamboo/test_documents.py

# make run ARGS="'metric=[smatch,wlk]' data=sts"
ARGS ?= metric=smatch data=sts
run: setup
	$(BIN)/python -m bamboo run $(ARGS)

test: setup
	$(BIN)/python -m pytest -n auto --dist worksteal

# Chromium, its driver and axe-core are described in CONTRIBUTING.md.
browser: setup
	$(BIN)/python -m pytest -m browser -n auto --dist worksteal tests/bamboo

# Measuring coverage takes half as long again as the tests alone.
coverage: setup
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered

# A new environment in a temporary folder; the packages come from pip's cache where it has them.
# make wheel-test DIST=dist tests the wheel and the source archive in a folder instead of new ones.
DIST ?=
wheel-test: $(VENV)/.core
	$(BIN)/python -m tests.wheel.run $(DIST)

# Wheels that zig compiles: the platform tag of each, and what zig calls the platform.
WHEELS ?= \
  manylinux_2_17_x86_64=x86_64-linux-gnu.2.17 manylinux_2_17_aarch64=aarch64-linux-gnu.2.17 \
  musllinux_1_2_x86_64=x86_64-linux-musl musllinux_1_2_aarch64=aarch64-linux-musl \
  macosx_11_0_x86_64=x86_64-macos.11.0 macosx_11_0_arm64=aarch64-macos.11.0 \
  win_amd64=x86_64-windows-gnu win_arm64=aarch64-windows-gnu
ZIG = build/zig
wheels: $(VENV)/.core $(ZIG)/.ready
	for wheel in $(WHEELS); do \
	  BAMBOO_WHEEL=$${wheel%%=*} \
	  CC="$(CURDIR)/$(ZIG)/$(SCRIPTS)/python -I -m ziglang cc -target $${wheel#*=} -mcpu=baseline -s" \
	  $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir=dist . || exit 1; \
	done
	$(BIN)/python -m tests.wheel.library dist/*.whl

# make dist TAG=v1.2.3 first checks that the version, the changelog and CITATION.cff are those of the tag.
TAG ?=
dist: $(VENV)/.core
	$(BIN)/python -m tests.wheel.release $(TAG)
	rm -rf dist
	$(MAKE) wheels
	$(BIN)/python -m pip install --quiet --disable-pip-version-check hatchling twine
	$(BIN)/python -m hatchling build --target=sdist --directory=dist
	$(BIN)/python -m twine check --strict dist/*

$(ZIG)/.ready:
	$(PYTHON) -m venv $(ZIG)
	$(ZIG)/$(SCRIPTS)/python -m pip install --quiet --disable-pip-version-check ziglang
	touch $@

# Generated and damaged input, for an hour or so: make fuzz FUZZ="--hypothesis-seed=1 tests/metrics"
FUZZ ?=
fuzz: setup
	$(BIN)/python -m tests.fuzz.run $(FUZZ)

# Do commands write the same bytes on other processors?
.PHONY: processors
processors: setup
	$(BIN)/python -m tests.processors.run

# Which changes of a module, or of a C file, do their tests not notice?
# make mutants MODULE=bamboo/statistics/corpus.py; make mutants KERNEL=features.c
.PHONY: mutants
mutants: setup
ifdef KERNEL
	$(BIN)/python -m tests.mutants.kernels $(KERNEL) --sample $(or $(SAMPLE),25) --seed $(or $(SEED),0) $(MUTANTS)
else
	$(BIN)/python -m tests.mutants.run $(MODULE) --sample $(or $(SAMPLE),50) --seed $(or $(SEED),0) $(MUTANTS)
endif

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/zizmor --offline --persona=pedantic --quiet .github

# The workflows once more, with a linter that is not on the package index.
workflows:
	@if command -v actionlint >/dev/null; then actionlint; \
	else echo "actionlint is not installed: the workflows were not checked with it"; fi

# The documentation, in build/docs; a broken link or anchor or any other warning is an error, and so
# is a command that the tests do not run and that cannot be read.
docs: $(VENV)/.docs
	$(BIN)/python -m mkdocs build --strict
	$(BIN)/python -m pytest -q -m slow tests/test_docs_examples.py

$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

bench: setup
	$(BIN)/python -m tests.bench.run
	$(BIN)/python -m tests.bench.transport_speed
	$(BIN)/python -m tests.bench.reading_speed
	$(BIN)/python -m tests.bench.command_speed

# make tables TABLES="table=table4"
TABLES ?=
tables: setup
	$(BIN)/python -m bamboo tables $(TABLES)

# make site SITE="metric=smatch,wlk data=all"
SITE ?= metric=smatch data=sample
site: setup
	$(BIN)/python -m bamboo site $(SITE) out=build/site

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .import_linter_cache metrics/amr_metrics/kernels/kernels.*.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
