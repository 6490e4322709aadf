# Everything from a fresh clone, with nothing but make and Python 3.11 or newer with venv:
#
#   make demo    make the tables of up to three animals in tables/ and probe a position from them
#   make test    lint, type check and test
#
# Both install into .venv, never into the system. Another Python: make test PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2

# Lion and rat against the elephant, White to move: some moves win, some draw, some lose.
DEMO_POSITION = 7/7/7/7/7/3e3/3L3/5R1/7_w

PY = $(VENV)/bin/python
JTB = $(VENV)/bin/jtb --data-dir tables
PIP = $(PY) -m pip --disable-pip-version-check install --quiet

.PHONY: help demo tables test test-slow lint clean

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

demo: tables
	$(JTB) probe $(DEMO_POSITION)

tables: $(VENV)/installed
	$(JTB) generate --pieces 3

test: lint
	$(PY) -m pytest -n $(WORKERS)

test-slow: $(VENV)/installed-dev
	$(PIP) --editable '.[dev,notebooks]'
	$(PY) -m pytest -n $(WORKERS) --run-slow

lint: $(VENV)/installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

clean:
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps make the second run quick; a change of pyproject.toml installs again.
$(VENV)/installed-dev: pyproject.toml $(VENV)/made
	$(PIP) --editable '.[dev]'
	@touch $(VENV)/installed-dev $(VENV)/installed

$(VENV)/installed: pyproject.toml $(VENV)/made
	$(PIP) --editable .
	@touch $@

$(VENV)/made:
	@$(PYTHON) -c '' || { \
	  echo "jtb needs Python 3.11 or newer; '$(PYTHON)' is none. Say which: make PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "jtb needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Say which: make PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; \
	  exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@
