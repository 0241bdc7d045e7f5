# make test    the whole gate and every test     make check   everything but the tests
# make format  put the code into house style     make bench   measurements, each with its machine
# make bundle  all packages as files, for ./install.sh --offline on machines without a network
#
# The virtual environment is made when it is missing and renewed when the pins change.

.DEFAULT_GOAL := test
.PHONY: test check format bench bundle clean
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

# For another platform or Python: make bundle FOR='--platform manylinux_2_28_x86_64 --python-version 3.12'
BUNDLE ?= mini-eaas-bundle.tar
FOR ?=
# Images that the machines' engines are to have: make bundle IMAGES='busybox:stable pytorch/pytorch'
IMAGES ?=

bundle: .venv/.ready
	rm -rf build/bundle
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --only-binary=:all: $(FOR) \
		-c constraints.txt -d build/bundle pip 'setuptools>=77' wheel \
		$$($(BIN)/python -c 'import tomllib; \
		print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"])' \
		| sed 's/ /\n/g')
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w build/bundle .
	[ -z "$(IMAGES)" ] || $(BIN)/python -m eaas_agent.image_files save build/bundle/images.tar $(IMAGES)
	tar -cf $(BUNDLE) -C build/bundle .
	rm -rf build
	@echo "$(BUNDLE): take it to the other machine, and there: ./install.sh --offline $(BUNDLE) ..."

.venv/.ready: pyproject.toml constraints.txt
	@[ -n "$(PYTHON)" ] || { echo "Python 3.11 or newer with venv and ensurepip is needed" \
		"(Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
