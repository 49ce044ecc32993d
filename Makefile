# `make run` and `make test` work on a fresh Debian or Ubuntu machine.
# Each first installs what it needs (scripts/setup). This is fast when nothing changed.

bin := .venv/bin

# `make run` runs one scenario of each of ten apps: four desktop apps and six phone apps. `make setup` installs the
# other desktop apps.
first := desk/calc/region-total desk/writer/settle-changes desk/mousepad/sort-list desk/files/erase-files \
	pocket/notes/pin-and-label pocket/email/reply-all pocket/payment/split-bill pocket/eats/order-with-extras \
	pocket/smart-home/ranked-warmth pocket/flights/choose-seat
agents := $(addprefix --agent ,oracle oracle:slip=0.1 random do-nothing)
# Number of parallel test processes: two more than there are cores, because each test waits for programs about half of
# the time. `make test jobs=0` runs all tests in one process.
jobs := $(shell expr $$(nproc) + 2)
pytest := $(bin)/python -m pytest -n $(jobs) --maxprocesses 4 --dist worksteal
# Hundreds of tests start Python. Without cached bytecode, each of them would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run quick test test-all check prove docs release bench train setup clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

run: ## Evaluate the built-in agents on ten apps and write a report
	@scripts/setup run
	@$(bin)/fairground run $(first) $(agents) --configs 1 --rollouts 1 --steps 30
	@echo "more   $(bin)/fairground run pocket/notes --agent oracle:slip=0.1 --configs 4 --rollouts 3"
	@echo "next   source .venv/bin/activate && fairground quickstart"

quick: ## Run only the pure-logic tests (under a minute)
	@scripts/setup check
	@$(bin)/python -m pytest -n auto --dist worksteal --tier 0 --hypothesis-profile=quick

test: ## Run all checks, build the docs and run the tests (several minutes)
	@scripts/setup test
	@$(MAKE) --no-print-directory -j2 --output-sync check docs
	@$(pytest) --tier 2

test-all: ## Run all checks and all tests, including live oracles and long tests
	@scripts/setup test
	@scripts/setup train
	@scripts/setup openenv
	@$(MAKE) --no-print-directory check
	@$(pytest) --tier 3 --hypothesis-profile=thorough

check: ## Check lint, format, types, spelling and import rules (changes no files)
	@scripts/setup check
	@$(bin)/ruff check --quiet
	@$(bin)/ruff format --check --quiet
	@$(bin)/mypy --no-error-summary
	@$(bin)/codespell -D - -D scripts/words.txt README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs src examples scripts benchmarks
	@$(bin)/lint-imports --no-logo > .setup/lint-imports.log 2>&1 || { cat .setup/lint-imports.log; exit 1; }
	@echo "check: lint, format, types and imports are clean"

prove: ## Prove what changed in the suites and update their proof tables (desk: hours)
	@scripts/setup run
	@$(bin)/fairground prove pocket
	@$(bin)/fairground prove desk

docs: ## Build the documentation site: site/index.html
	@scripts/setup check
	@NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet
	@echo "docs: site/index.html; with search: $(bin)/python -m http.server --bind 127.0.0.1 --directory site"

release: ## Build and check the packages and list the files to upload (uploads nothing)
	@scripts/setup check
	@$(bin)/python scripts/release

bench: ## Run the benchmarks, with comparable tools in the same run
	@scripts/setup bench
	@scripts/setup openenv
	@$(bin)/python benchmarks/run.py

train: ## Train a small agent on phone tasks and plot its learning curve (under 30 minutes)
	@scripts/setup train
	@.setup/train/bin/python -m examples.train $(options)

setup: ## Install everything: system packages, Python and .venv
	@scripts/setup test

clean: ## Remove .venv, caches and build output (keeps episodes and runs)
	rm -rf .venv .setup .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
