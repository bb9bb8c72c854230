# Everything a developer needs. Each target sets up what it lacks first; nothing has to be installed by hand
# but Python 3.11, make and git.
.DEFAULT_GOAL := help
.PHONY: help run test test-all test-stress check stubs rows viewer wheel setup clean

help: ## This list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run: setup ## Look at a page: make run URL=https://example.com (without URL: the demo page)
	@mkdir -p .cache
	@.venv/bin/perception snapshot "$${URL:-demo}" --mode fused --annotate .cache/annotated.png

# Compiled modules are kept, whatever the machine's default is: the tests start many processes.
test: setup ## Run the tests, several files at once; some of them: make test ARGS="tests/unit/fusion -k match"
	@PYTHONDONTWRITEBYTECODE= .venv/bin/python -m pytest $(or $(ARGS),-n auto)

test-all: setup ## Run all tests: also those that take longer, of benchmarks, of extras and with Ray, and with other generated examples
	@.ci/tests

test-stress: setup ## Run the tests N times beside two busy processes, in random order: make test-stress N=10
	@.venv/bin/python tests/stress.py $(or $(N),10)

check: setup ## Format, lint, types, imports, wire contract, the web parts: all that needs no browser
	@.ci/check
	@.ci/node

stubs: setup ## Make perception/v1 and the blocking client again, after a change in proto/ or client/_async
	@.ci/stubs
	@.venv/bin/python .ci/sync_client.py

rows: setup ## Make both sides of the page walker's rows again, after a change of their schema
	@.ci/row_layout

viewer: setup ## Make the viewer's web application again, after a change in server/viewer/web
	@.ci/viewer

wheel: setup ## Build dist/*.whl and dist/*.tar.gz and prove that they hold everything
	@.ci/wheel

setup: ## Make .venv and see to a browser; the other targets do this by themselves
	@.ci/setup

clean: ## Remove everything that was made here, .venv too
	@rm -rf .venv .cache dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis examples/node/node_modules
	@find . -name __pycache__ -prune -exec rm -rf {} +
