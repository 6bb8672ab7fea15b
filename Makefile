# Everything runs inside .venv, which `make setup` makes and which every other target brings up to date by itself.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell command -v python3.11 || command -v python3)
RUST_SOURCES := $(shell find crates -name '*.rs' -o -name 'Cargo.toml') Cargo.toml $(wildcard Cargo.lock)
FUZZ_CASES ?= 1000000
PYTEST := $(BIN)/python -m pytest
export PATH := $(HOME)/.cargo/bin:$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format bench fuzz golden conformance soak clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.native ## make .venv, install what is needed, build the engine

demo: $(VENV)/.native ## stream bundled feeds through Spark (without Java: the embedded broker)
	@$(BIN)/penstock demo

test: $(VENV)/.native ## all tests: Rust, then Python
	cargo test --workspace --quiet
	$(PYTEST)

check: $(VENV)/.native ## lint, types, import contracts, formatting
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --ignore-disjoint-bases penstock.kernel._native
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.native ## format all sources in place
	cargo fmt --all
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

bench: $(VENV)/.native ## measure against pyexpat, lxml and Saxon (PENSTOCK_DATA: folder of data)
	$(BIN)/penstock bench single

fuzz: $(VENV)/.native ## a million mutated documents and queries (FUZZ_CASES=n)
	PENSTOCK_FUZZ_CASES=$(FUZZ_CASES) $(PYTEST) -m fuzz --timeout 0

golden: $(VENV)/.native ## write the expected output of golden tests anew; review the diff
	PENSTOCK_GOLDEN=write $(PYTEST) tests/golden

conformance: $(VENV)/.native ## the conformance suite (PENSTOCK_CONFORMANCE: its folder)
	$(PYTEST) -m conformance

soak: $(VENV)/.native ## run for minutes: endless input, changing subscriptions, flat memory
	$(PYTEST) -m soak --timeout 0

clean: ## remove what the other targets made
	rm -rf $(VENV) target build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
	find python -name '_native*.so' -delete

# The editable install: Python sources are used where they lie; only a change of pyproject.toml or of Rust runs this again.
$(VENV)/.native: $(VENV)/.tools pyproject.toml $(RUST_SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --extras dev
	@touch $@

$(VENV)/.tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "Python 3.11 or newer is needed (set PYTHON=/path/to/python)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
	  || { echo "Python's venv module is needed (Debian and Ubuntu: apt install python3-venv)"; exit 1; }
	@command -v cargo >/dev/null || { echo "A Rust toolchain is needed: see https://rustup.rs"; exit 1; }
	@command -v cc >/dev/null || { echo "A C linker is needed (Debian and Ubuntu: apt install gcc)"; exit 1; }
	@command -v java >/dev/null || echo "Java 17 was not found: Spark and its tests need it (Debian and Ubuntu: apt install openjdk-17-jre-headless)"
	@rustup component list --installed 2>/dev/null | grep -q clippy || rustup component add clippy rustfmt 2>/dev/null || true
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.7,<2'
	@touch $@
