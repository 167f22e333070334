# Two commands do everything on a fresh machine: `make run` and `make test`.

BIN := .venv/bin

# The tests start Python hundreds of times. Compiled modules make that cheap; git ignores them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run pi install update uninstall test check lint test-long test-pi test-plug storm mutants fuzz bench lock release screens screenshots wiring card clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*##/  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

run:  ## run the box in your browser, without hardware; ARGS=--text for a terminal
	@tools/setup run
	@$(BIN)/tellerbox sim $(ARGS)

pi:  ## set up this checkout to run the box on a Raspberry Pi
	@tools/setup pi

install:  ## install the box on this Pi as a service (with sudo)
	@systemd/install install

update:  ## update the service to this checkout; roll back if it does not start (with sudo)
	@systemd/install update

uninstall:  ## remove the service; the ledger stays (with sudo)
	@systemd/install uninstall

test: lint  ## run all checks and tests, in minutes, on all cores; SEED=7 shuffles them
	@tools/setup browser
	@tools/setup bench
	$(BIN)/pytest $(if $(SEED),-p randomly --randomly-seed=$(SEED))

check: lint  ## run the quick checks: style, types, unit tests, all rules on the software board
	$(BIN)/pytest -n 3 tests/unit tests/test_scenarios.py

lint:  ## check style, types and imports
	@tools/setup test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/check_imports.py

test-long:  ## run the long tests: crash at every write, every call fails, storms, years, real time
	@tools/setup test
	@tools/setup browser
	$(BIN)/pytest -m long

test-pi:  ## install and boot the box on the Pi's own architecture, emulated (root, Debian)
	@tools/setup test
	@$(BIN)/python -m tests.pi.tree
	$(BIN)/pytest -m pi -n 2 --dist loadgroup --durations=10 tests/pi

N ?= 30
test-plug:  ## cut the power of an emulated box N times, at random; SEED=5 repeats a run
	@tools/setup test
	@$(BIN)/python -m tests.pi.plug $(N) $(if $(SEED),--seed $(SEED))

MINUTES ?= 10
storm:  ## play hurried evenings with faults against a model of the bank; MINUTES=2 SEED=7
	@tools/setup test
	@$(BIN)/python -m tests.campaign.storm --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

mutants:  ## change each constant of the drivers, and list the changes that no test detects
	@tools/setup test
	$(BIN)/python -m tools.mutants

fuzz:  ## fuzz every parser; MINUTES=3 TARGET=script
	@tools/setup test
	@tools/setup fuzz
	@$(BIN)/python -m tests.campaign.fuzz $(if $(filter-out file,$(origin MINUTES)),--minutes="$(MINUTES)") $(TARGET)

bench:  ## measure the figures of docs/figures.md, as ratios of one run
	@tools/setup test
	@tools/setup browser
	@tools/setup bench
	$(BIN)/python -m tests.bench

screens:  ## regenerate the pictures of docs/screens.md
	@tools/setup test
	$(BIN)/python -m tests.golden

screenshots:  ## regenerate the pictures of the panel, in Chromium
	@tools/setup test
	@tools/setup browser
	$(BIN)/python -m tests.panel.screenshots

wiring:  ## regenerate the tables and the drawing of wiring.md
	@tools/setup test
	$(BIN)/python -m tools.wiring_page

card:  ## regenerate docs/bankers-card.pdf, in Chromium
	@tools/setup test
	@tools/setup browser
	$(BIN)/python -m tools.bankers_card

lock:  ## pin the newest versions of all packages
	@tools/setup test
	tools/lock

release:  ## build the wheel and the sdist into dist/, check them, and play all rules on them
	@tools/setup test
	@tools/setup release
	@tools/release

clean:  ## remove what the other targets created
	rm -rf .venv build dist tests/panel/node_modules *.egg-info .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
