# make test    the whole gate and every test     make check   everything but the tests
# make format  put the code into house style     make bench   measurements, each with its machine
#
# The virtual environment is made when it is missing and renewed when the pins change.

.DEFAULT_GOAL := test
.PHONY: test check format bench clean
.DELETE_ON_ERROR:

BIN := .venv/bin
WORKERS ?= auto
# The first Python that is new enough and can make virtual environments.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo $$p; break; }; done)

test: check
	$(BIN)/pytest -q -n $(WORKERS)

check: .venv/.ready
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -q tests/test_house.py

format: .venv/.ready
	$(BIN)/ruff check --quiet --fix
	$(BIN)/ruff format
	$(BIN)/python -m docs.pictures
	$(BIN)/python -m docs.keys

bench: .venv/.ready
	$(BIN)/python -m bench

.venv/.ready: pyproject.toml constraints.txt
	@[ -n "$(PYTHON)" ] || { echo "Python 3.11 or newer with venv and ensurepip is needed" \
		"(Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
