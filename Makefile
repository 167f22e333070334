# Two commands do everything on a fresh machine: `make run` and `make test`.

BIN := .venv/bin

.PHONY: help run pi install update uninstall test lint unit test-pi test-plug storm mutants fuzz bench lock screens screenshots wiring card clean

help:  ## what can be made here
	@sed -n 's/^\([a-z-]*\):.*##/  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

run:  ## put the box in front of you, in a browser, without any hardware
	@tools/setup run
	@$(BIN)/tellerbox sim $(ARGS)

pi:  ## set up what the box needs on a Raspberry Pi
	@tools/setup pi

install:  ## put the box on this Pi as a service (sudo make install)
	@systemd/install install

update:  ## bring the service up to this checkout, or back if it does not come up
	@systemd/install update

uninstall:  ## take the service away again; the ledger stays
	@systemd/install uninstall

test: lint unit  ## all checks and tests

lint:  ## style, types, and the import rule
	@tools/setup test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/check_imports.py

unit:  ## the tests: of the drivers, with faults, over a wire, in a browser, of the bank with its coverage
	@tools/setup test
	@tools/setup browser
	$(BIN)/python -m pytest tests/chips tests/drivers tests/test_idle_hour.py tests/test_scenarios_virtual.py
	$(BIN)/python -m pytest tests/faults tests/long
	$(BIN)/python -m pytest tests/storm
	$(BIN)/python -m pytest tests/fuzz
	$(BIN)/python -m pytest tests/console
	$(BIN)/python -m pytest tests/hil --box virtual: --skip-waits
	$(BIN)/python -m pytest tests/hil --box virtual: --longest-wait 6
	$(BIN)/python -m pytest tests/panel
	$(BIN)/python -m pytest tests/unit tests/property tests/test_scenarios.py --cov --cov-fail-under=95

test-pi:  ## install and boot the box on the Pi's own architecture, emulated (root, Debian)
	@tools/setup test
	@$(BIN)/python -m tests.pi.tree
	$(BIN)/python -m pytest tests/pi

N ?= 30
test-plug:  ## pull the plug of an emulated box N times; SEED= repeats the dice
	@tools/setup test
	@$(BIN)/python -m tests.pi.plug $(N) $(if $(SEED),--seed $(SEED))

MINUTES ?= 10
storm:  ## hurried people and faults against a model of the bank; MINUTES=2 SEED=7
	@tools/setup test
	@$(BIN)/tellerbox storm --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

mutants:  ## change every constant of the drivers in turn, and see who notices
	@tools/setup test
	$(BIN)/python -m tools.mutants

fuzz:  ## give everything that reads bytes that nobody meant; MINUTES=3 TARGET=script
	@tools/setup test
	@tools/setup fuzz
	@$(BIN)/python -m tests.fuzz $(if $(filter-out file,$(origin MINUTES)),--minutes="$(MINUTES)") $(TARGET)

bench:  ## speed, as ratios of one run
	@tools/setup test
	@tools/setup browser
	$(BIN)/python -m tests.bench

screens:  ## draw the pictures of the documentation anew
	@tools/setup test
	$(BIN)/python -m tests.golden

screenshots:  ## draw the pictures of the panel anew, in Chromium
	@tools/setup test
	@tools/setup browser
	$(BIN)/python -m tests.panel.screenshots

wiring:  ## write the tables and the drawing of wiring.md anew
	@tools/setup test
	$(BIN)/python -m tools.wiring_page

card:  ## draw the banker's card anew
	@tools/setup test
	$(BIN)/python -m tools.bankers_card

lock:  ## pin the newest versions of all packages
	@tools/setup test
	tools/lock

clean:  ## remove what the other commands made
	rm -rf .venv build tests/panel/node_modules *.egg-info .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
