# One command for each chore; `make help` lists them. Everything is installed below this folder.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
VSCODE := editors/vscode
PI := tests/pi
NVIM := editors/nvim
STYLUA := tests/nvim/node_modules/.bin/stylua
NPM := npm --no-audit --no-fund --loglevel=error
WORKERS ?= auto
FUZZ_SECONDS ?= 100

.PHONY: help venv demo test test-vscode test-local test-pythons kill soak lint format types bench
.PHONY: docs vsix package clean
.PHONY: need-python need-node

help: ## list the chores
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(VENV)/.developed ## the virtual environment with everything for development

demo: $(VENV)/.installed ## one prompt with the demo model, through the real server
	@scripts/demo

test: $(VENV)/.developed $(PI)/node_modules/.installed ## all tests but VS Code's
	$(BIN)/pytest -n $(WORKERS) --dist worksteal

test-vscode: $(VENV)/.installed | need-node ## the extension, in a real VS Code
	tests/vscode/run

test-pythons: $(VENV)/.developed ## the unit tests on the other Pythons here (PYTHONS="3.10 3.13")
	scripts/test-pythons $(PYTHONS)

test-local: $(VENV)/.developed ## a prompt on a real small model, served by llama.cpp
	scripts/test-local

kill: $(VENV)/.developed ## kill the server at 200 moments of its work (about 10 minutes)
	PI_LSP_KILLS=200 $(BIN)/pytest -n $(WORKERS) tests/protocol/test_kill.py

fuzz: $(VENV)/.developed ## anything on the wire, from editors and services (10 minutes)
	PI_LSP_FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/pytest -s tests/fuzz

soak: $(VENV)/.developed ## one server for long: 2,000 runs, 200 compactions, 500 switches
	PI_LSP_SOAK=1 $(BIN)/pytest -s tests/protocol/test_soak.py

lint: $(VENV)/.developed $(VSCODE)/node_modules/.installed $(STYLUA) ## style, and which floor may import which
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(STYLUA) --check $(NVIM)
	if command -v luacheck >/dev/null; then cd $(NVIM) && luacheck -q lua plugin; fi
	cd $(VSCODE) && npm run --silent lint

format: $(VENV)/.developed $(STYLUA) ## lay the code out
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(STYLUA) $(NVIM)

types: $(VENV)/.developed $(VSCODE)/node_modules/.installed ## check the types
	$(BIN)/pyright
	cd $(VSCODE) && npm run --silent types

bench: $(VENV)/.developed $(PI)/node_modules/.installed ## measure, side by side with pi
	$(BIN)/python -m benchmarks

docs: $(VENV)/.developed ## check that the documentation's links lead somewhere
	$(BIN)/pytest tests/docs

vsix: $(VSCODE)/node_modules/.installed ## pack the VS Code extension
	cd $(VSCODE) && npm run --silent vsix

package: $(VENV)/.developed ## build wheel and sdist into dist/, and install the wheel for a try
	scripts/package

clean: ## remove everything that the chores made
	rm -rf $(VENV) .venv-pythons build dist artifacts .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf $(VSCODE)/node_modules $(VSCODE)/out $(VSCODE)/dist $(VSCODE)/*.vsix tests/*/node_modules
	rm -rf tests/*/.cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# What the chores need. A stamp in the installed folder says that its list was installed.

$(VENV)/.created: | need-python
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.created
	$(PIP) install --editable .
	@touch $@

$(VENV)/.developed: pyproject.toml $(VENV)/.installed
	$(PIP) install --group dev
	@touch $@

$(PI)/node_modules/.installed: $(PI)/package.json | need-node
	cd $(PI) && $(NPM) install --no-package-lock
	@touch $@

$(STYLUA): tests/nvim/package.json | need-node
	cd tests/nvim && $(NPM) install --no-package-lock
	@touch $@

$(VSCODE)/node_modules/.installed: $(VSCODE)/package.json $(VSCODE)/package-lock.json | need-node
	cd $(VSCODE) && $(NPM) ci
	@touch $@

need-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	  || { echo 'Missing: Python 3.10 or newer (say which with make PYTHON=…).' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "Missing: Python's venv module (on Debian: apt-get install python3-venv)." >&2; exit 1; }

need-node:
	@[ "$$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge 20 ] \
	  || { echo 'Missing: Node 20 or newer.' >&2; exit 1; }
	@command -v npm >/dev/null || { echo 'Missing: npm, which comes with Node.' >&2; exit 1; }
