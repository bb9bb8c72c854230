# Everything a developer needs. Each target sets up what it lacks first; nothing has to be installed by hand
# but Python 3.11, make and git.
.DEFAULT_GOAL := help
.PHONY: help run test check stubs wheel setup clean

help: ## This list
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

run: setup ## Look at a page: make run URL=https://example.com (without URL: the demo page)
	@mkdir -p .cache
	@.venv/bin/perception snapshot "$${URL:-demo}" --mode fused --annotate .cache/annotated.png

test: setup ## Run the tests; some of them: make test ARGS="tests/fusion -k match"
	@.venv/bin/python -m pytest $(ARGS)

check: setup ## Format, lint, types, imports, wire contract: all that needs no browser
	@.ci/check

stubs: setup ## Make perception/v1 and the descriptor set again, after a change in proto/
	@.ci/stubs

wheel: setup ## Build dist/*.whl and dist/*.tar.gz and prove that they hold everything
	@.ci/wheel

setup: ## Make .venv and see to a browser; the other targets do this by themselves
	@.ci/setup

clean: ## Remove everything that was made here, .venv too
	@rm -rf .venv .cache dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis examples/node/node_modules
	@find . -name __pycache__ -prune -exec rm -rf {} +
