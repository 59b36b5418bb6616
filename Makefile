# Two commands do everything from a fresh clone: `make match` and `make test`. They need python3 (>= 3.11) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
FANQI := $(BIN)/fanqi

.PHONY: match soak soak-cache soak-games soak-ggs soak-workers soak-wrong-workers soak-records test test-nojit lint bench warmup clean help

help: ## say what each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

match: $(VENV)/.runtime ## two engine processes play a short match of each game
	$(FANQI) warmup
	$(FANQI) match --game othello --games 4 --movetime 100 --seed 1 --force --dir matches/othello \
	  --engine "full=$(FANQI) engine" --engine "level3=$(FANQI) engine --option 'Skill Level=3'"
	$(FANQI) match --game banqi --games 4 --movetime 100 --seed 1 --force --dir matches/banqi \
	  --engine "full=$(FANQI) engine --variant banqi" \
	  --engine "level3=$(FANQI) engine --variant banqi --option 'Skill Level=3'"

test: $(VENV)/.dev ## lint the layers and run every test, the built wheel's included
	$(BIN)/lint-imports
	$(FANQI) warmup
	$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m nojit

test-nojit: $(VENV)/.dev ## only the small pass in which kernels run as plain Python
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m nojit

lint: $(VENV)/.dev ## ruff, mypy --strict, layer contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.runtime ## node-count signature and speed
	$(FANQI) bench

soak: soak-cache soak-ggs soak-workers soak-wrong-workers soak-records ## the long tests of endurance but for soak-games

soak-games: $(VENV)/.runtime ## 10,000 games of each game against simple movers, and wipe-outs; many hours, goes on where it was
	$(BIN)/python tests/support/soak_games.py soak/games

soak-cache: $(VENV)/.runtime ## 1,000 attacks on the kernel cache; about an hour, goes on where it was broken off
	$(BIN)/python tests/engine/kernels/soak.py

soak-ggs: $(VENV)/.runtime ## 50 rated GGS matches through a network that is cut 30 times; about 10 minutes
	$(BIN)/python -m fanqi.ggs_soak

soak-wrong-workers: $(VENV)/.dev ## 1,000 jobs on two good workers and one that gives wrong answers, with and without --verify
	$(FANQI) warmup
	$(BIN)/python tests/tools/workers/wrong_worker.py

soak-workers: $(VENV)/.dev ## 1,000 jobs on 4 workers while these, dispatcher and broker are killed; needs mosquitto
	$(FANQI) warmup --game othello
	$(BIN)/python tests/tools/workers/soak.py

soak-records: $(VENV)/.dev ## 100,000 damaged records through all readers; some 20 minutes, goes on with FIRST=N
	$(BIN)/python tests/protocol/records/soak.py --first $(or $(FIRST),0)

bench-ffo: $(VENV)/.runtime ## solve FFO problems 40 to 79: half an hour to 67, the rest takes many hours
	$(FANQI) bench ffo --from 40 --to 79 --hash 1024

warmup: $(VENV)/.runtime ## compile all kernels now
	$(FANQI) warmup

clean: ## remove the environment and everything generated
	rm -rf $(VENV) build dist matches .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# pip grew --group in 25.1; a fresh venv of an older Python brings an older pip.
$(VENV)/.runtime: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) --editable ".[broker]"
	touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(PIP) --group dev
	touch $@
