# Every target sets up what it needs: a machine with Python 3.11 and make is enough.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

# What `make results` tries, on webs that none of the synthetic web's knobs was set by: 54 runs and 40 short ones.
RESULTS       ?= results
RESULTS_PAGES ?= 5000
RESULTS_SEEDS ?= 3
RESULTS_WEB   ?= 11
COMPARE        = $(BIN)/toponaut compare --pages $(RESULTS_PAGES) --seeds $(RESULTS_SEEDS) --synthetic $(RESULTS_WEB)

.PHONY: demo results test check browser setup format bench bench-addresses bench-crawl bench-cluster bench-frontier soak clean

demo: setup          ## see what Toponaut does: pages read, then a crawl of the synthetic web and how good it was
	$(BIN)/toponaut demo
	rm -rf build/demo
	mkdir -p build
	$(BIN)/toponaut crawl examples/us-top-100/demo.toml build/demo --synthetic 1
	$(BIN)/toponaut measure build/demo --html toponaut-demo-crawl.html
	$(BIN)/toponaut search build/demo "pizza in san diego" --limit 3
	@echo "Search it, on a map: $(BIN)/toponaut serve build/demo --open"

results: setup       ## every strategy on the same webs, into docs/results.md beside the papers' figures; stopped, it goes on
	mkdir -p $(RESULTS)
	$(COMPARE) examples/us-top-100/job.toml $(RESULTS) --collaboration all --json > $(RESULTS)/collaborations.json
	$(COMPARE) examples/us-top-100/job.toml $(RESULTS) --collaboration hash,url,anchor,combined --ordering combined --product \
	    --json > $(RESULTS)/pairs.json
	$(COMPARE) examples/oldenburg/orderings.toml $(RESULTS)/oldenburg --ordering all,lookahead:depth=1,lookahead:depth=2 \
	    --json > $(RESULTS)/orderings.json
	$(COMPARE) examples/us-top-100/interests.toml $(RESULTS)/interests --pages 500 --seeds 10 \
	    --ordering breadth-first,interest:scheme=nxx,interest:scheme=tfidf,interest:scheme=lnu --json > $(RESULTS)/interests.json
	$(BIN)/python -m tools.results $(RESULTS) docs/results.md README.md

# Tests begin hundreds of processes, here and in the soak: without bytecode (some environments forbid it) each compiles all modules anew.
test soak: export PYTHONDONTWRITEBYTECODE =

test: setup browser  ## the tests, as CI runs them
	$(BIN)/python -m pytest -n auto --dist worksteal

check: setup         ## lint, format and strict types (of the benches, too)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup        ## put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup         ## the figures of README and docs
	$(BIN)/python -m bench

bench-addresses: setup  ## quality and speed of the address finder beside pyap and usaddress
	$(BIN)/python -m bench.addresses

bench-crawl: setup   ## CPU a page beside Scrapy, Crawlee and a bare loop (needs nginx)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	$(BIN)/python -m bench.crawl

bench-cluster: setup  ## what a cluster costs and gains: links exchanged, two actors against one (needs a quiet machine)
	$(BIN)/python -m bench.cluster

bench-frontier: setup  ## ten million URLs
	$(BIN)/python -m bench.frontier

soak: setup          ## fifty kills and power cuts of one process, forty kills in a cluster, many examples of every property
	TOPONAUT_KILLS=50 $(BIN)/python -m pytest tests/test_crawl_kill.py
	TOPONAUT_CLUSTER_KILLS=10 $(BIN)/python -m pytest -s tests/test_cluster*.py
	$(BIN)/python -m pytest -n auto --dist worksteal -m hypothesis --hypothesis-profile soak

browser:             ## Chromium for the tests of the page, where apt can install it; elsewhere they are skipped
	@command -v chromium >/dev/null || ! command -v apt-get >/dev/null || \
	    { $(AS_ROOT) apt-get update -qq && $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; } || \
	    echo "Chromium could not be installed: the tests of the page are skipped"

setup: $(READY)      ## install only

$(READY): pyproject.toml constraints.txt setup.py $(wildcard src/toponaut/kernels/*.[ch])
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

clean:               ## remove the environment and what tools leave behind
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist src/*.egg-info src/toponaut/kernels/*.so
