# Two commands do everything on a fresh Debian or Ubuntu machine: `make run` and `make test`.
# Each sets up what it needs first (scripts/setup), which is quick when nothing changed.

bin := .venv/bin

# What `make run` runs: one scenario of each of ten apps, four on a desktop and six on a phone; `make setup` installs the
# other desktop apps.
first := desk/calc/region-total desk/writer/settle-changes desk/mousepad/sort-list desk/files/erase-files \
	pocket/notes/pin-and-label pocket/email/reply-all pocket/payment/split-bill pocket/eats/order-with-extras \
	pocket/smart-home/ranked-warmth pocket/flights/choose-seat
agents := $(addprefix --agent ,oracle oracle:slip=0.1 random do-nothing)
# Tests run side by side, two more than there are cores: each waits for programs half of its time. `make test jobs=0`
# runs them one after another.
jobs := $(shell expr $$(nproc) + 2)
pytest := $(bin)/python -m pytest -n $(jobs) --maxprocesses 4 --dist worksteal
# Hundreds of tests start Python; where it may not keep what it compiled, each compiles it all again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run quick test test-all check prove docs release bench setup clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

run: ## Evaluate the built-in agents on real software: a leaderboard with intervals, and a report to look at
	@scripts/setup run
	@$(bin)/fairground run $(first) $(agents) --configs 1 --rollouts 1 --steps 30
	@echo "more   $(bin)/fairground run pocket --agent oracle:slip=0.1 --configs 4 --rollouts 3   (see: $(bin)/fairground run --help)"

quick: ## Run only the tests of pure logic (under a minute)
	@scripts/setup check
	@$(bin)/python -m pytest -n auto --dist worksteal --tier 0 --hypothesis-profile=quick

test: ## Set up, check, and run the tests (some minutes)
	@scripts/setup test
	@$(MAKE) --no-print-directory check docs
	@$(pytest) --tier 2

test-all: ## The same, with live oracles and everything long
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	@$(pytest) --tier 3 --hypothesis-profile=thorough

check: ## Lint, format, types and the import contract; changes nothing
	@scripts/setup check
	@$(bin)/ruff check --quiet
	@$(bin)/ruff format --check --quiet
	@$(bin)/mypy --no-error-summary
	@$(bin)/codespell -D - -D scripts/words.txt README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs src examples scripts benchmarks
	@$(bin)/lint-imports --no-logo > .setup/lint-imports.log 2>&1 || { cat .setup/lint-imports.log; exit 1; }
	@echo "check: lint, format, types and imports are clean"

prove: ## Prove the suites anew where they changed, and write their proof tables (desk: hours)
	@scripts/setup run
	@$(bin)/fairground prove pocket
	@$(bin)/fairground prove desk

docs: ## Build the documentation site: site/index.html
	@scripts/setup check
	@NO_MKDOCS_2_WARNING=1 $(bin)/mkdocs build --quiet
	@echo "docs: site/index.html; with search: $(bin)/python -m http.server --bind 127.0.0.1 --directory site"

release: ## Build the packages, check them, and print what to upload (uploads nothing)
	@scripts/setup check
	@$(bin)/python scripts/release

bench: ## Measure, against peers in the same run
	@scripts/setup bench
	@$(bin)/python benchmarks/run.py

setup: ## Only set up: system packages, Python, .venv
	@scripts/setup test

clean: ## Remove .venv and caches; episodes and runs stay
	rm -rf .venv .setup .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
