# The two commands that a fresh machine needs: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check
COMPILE := pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 $(UPGRADE)

.PHONY: demo quick test check accuracy written coverage fit drop-factors bench bench-kinds bench-memory record-runs fuzz stress fixtures gallery replay-all collector lock secret-forms clean

# --require-hashes: a lock that lost its hashes is refused too. What builds the package is locked as well, and fetched by nobody else.
$(BIN)/tf-postmortem: pyproject.toml requirements.lock requirements-build.lock
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --require-hashes -r requirements-build.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q analyzer # pip does it for a wheel; without it each start may compile all anew
	@touch $@

$(VENV)/.dev: $(BIN)/tf-postmortem requirements-dev.lock
	$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

demo: $(BIN)/tf-postmortem
	$(BIN)/tf-postmortem analyze fixtures/killed-worker/bundle.tar.gz -o demo-report.html

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/tf-postmortem rules lint
	$(BIN)/tf-postmortem rules test
	$(BIN)/python -m tests.supply_chain.advisories

# What a developer runs all day: no slow tests, no browser, no TensorFlow; under two minutes on two cores.
quick: $(VENV)/.dev
	$(BIN)/pytest -m "not slow and not browser and not tensorflow" --numprocesses auto --dist worksteal

# As many tests side by side as the machine has cores.
test: check
	$(BIN)/pytest --numprocesses auto --dist worksteal

# Counts how many fixtures (or BUNDLES=...) keep their answer under innocent changes.
stress: $(VENV)/.dev
	$(BIN)/python -m tests.metamorphic.stress $(or $(BUNDLES),$(wildcard fixtures/*/bundle.tar.gz)) --seeds $(or $(SEEDS),3)

# Spoils inputs of every kind for SECONDS of CPU time, of TARGETS="archives cores" or all, JOBS of them side by side; keeps what
# breaks in build/fuzz.
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz.run $(TARGETS) --seconds $(or $(SECONDS),3600) --seed $(or $(SEED),1) \
		--jobs $(or $(JOBS),1)

# This program beside ripgrep and the limits; makes about 3 GB in build/bench. SIZE is in MB.
bench: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/bench.py build/bench --size $(or $(SIZE),1000) --runs $(or $(RUNS),5)
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/growth.py build/growth --runs $(or $(RUNS),5)

# The same on each kind of log that a job writes; PATTERNS is a file of patterns of the field, GIVEN are
# folders of logs, QUICK=1 leaves out what is slowest.
bench-kinds: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/kinds.py build/kinds --size $(or $(SIZE),256) --runs $(or $(RUNS),3) \
	    $(if $(PATTERNS),--patterns $(PATTERNS)) $(if $(GIVEN),--given $(GIVEN)) $(if $(QUICK),--quick)

# How often the answers are right: N cases drawn with SEED from runs, collectors and disturbances; ONLY="fault=nan* collector=cri"
# draws from fewer, CASE=RUN/COLLECTOR/DISTURBANCES/SEED tries one, and WRITE=DIR writes its bundle there. CORPUS=DIR: labelled bundles.
accuracy: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python -m accuracy --number $(or $(N),2000) --seed $(or $(SEED),1) --only "$(ONLY)" \
		$(if $(CASE),--case "$(CASE)") $(if $(WRITE),--write "$(WRITE)") $(if $(CORPUS),--corpus "$(CORPUS)") \
		$(if $(OUT),--out "$(OUT)")

# The same on incidents that other people wrote, set by set.
written: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python -m accuracy.written

# Which failure messages of TensorFlow the packs know, by component and version: benchmarks/COVERAGE.md. TF_PYTHONS are some that
# have a TensorFlow each, TF_PATHS folders of their libraries ("2.15.1=DIR …").
coverage: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python -m tf_strings $(TF_PATHS) $(addprefix --python=,$(TF_PYTHONS)) --out benchmarks/COVERAGE.md

# Fits the weights of judgement on the committed table of candidates, or collects it anew: COLLECT=3000 CORPUS=DIR. Judged weights stay,
# unless REFIT_JUDGED=1.
fit: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python -m accuracy.fit $(if $(COLLECT),--collect $(COLLECT)) $(if $(CORPUS),--corpus "$(CORPUS)") \
		$(if $(REFIT_JUDGED),--refit-judged)

# Writes into docs/accuracy.md what each factor of judgement contributes to the answers.
drop-factors: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python -m accuracy.drop_factors

# Peak memory at 1, 10 and 50 GB, of millions of hits, members and ranks; an hour, and no disk. CASES="10 GB" for some.
bench-memory: $(VENV)/.dev
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/memory.py build/memory $(CASES)

# Five real reports and their pictures, light and dark, in docs/examples; the pictures need a Chromium.
gallery: $(VENV)/.dev
	PYTHONPATH=benchmarks:. $(BIN)/python benchmarks/gallery.py

# Makes the fixtures (or NAMES=...) anew from real TensorFlow runs; TF_PYTHON has TensorFlow, TF_OLD_PYTHON one of before 2.16.
fixtures: $(BIN)/tf-postmortem
	$(BIN)/python fixtures/make/make.py $(if $(TF_PYTHON),--python $(TF_PYTHON)) \
		$(if $(TF_OLD_PYTHON),--other-python $(TF_OLD_PYTHON)) $(NAMES)

# Records runs of the accuracy benchmark (or NAMES=...) anew, as root; TF_PYTHONS are some that have a TensorFlow each.
record-runs: $(VENV)/.dev
	PYTHONPATH=benchmarks:. $(BIN)/python -m accuracy.record $(addprefix --python=,$(TF_PYTHONS)) --jobs $(or $(JOBS),1) $(NAMES)

# Replays the fixtures (or BUNDLES=..., ONLY="FAULT FIXTURE") for real, each with its fault and with a wrong one.
replay-all: $(VENV)/.dev
	$(BIN)/python -m tests.replay.replay_all $(BUNDLES) --python $(or $(TF_PYTHON),$(abspath $(BIN)/python)) \
		$(if $(TF_OLD_PYTHON),--other-python $(TF_OLD_PYTHON)) $(if $(ONLY),--only $(ONLY))

# One file for machines that have Python 3.9 and psutil and nothing else: `python3 dist/collector.pyz collect …`.
collector:
	rm -rf build/collector
	mkdir -p build/collector/analyzer dist
	cp -r analyzer/__init__.py analyzer/collect analyzer/record analyzer/redact build/collector/analyzer
	rm -rf build/collector/analyzer/*/__pycache__
	printf '%s\n' 'import sys' 'if sys.version_info < (3, 9):' \
	    '    sys.exit("error: collector.pyz needs Python 3.9 or later, and this is %d.%d" % sys.version_info[:2])' \
	    'from analyzer.record.standalone import main' 'sys.exit(main())' > build/collector/__main__.py
	$(PYTHON) -m zipapp build/collector --compress --python '/usr/bin/env python3' --output $(or $(OUT),dist/collector.pyz)
	rm -rf build/collector

# Versions and hashes for every Python and machine that pyproject.toml allows; UPGRADE=--upgrade takes new versions.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet uv
	build/lock/bin/uv $(COMPILE) pyproject.toml -o requirements.lock
	build/lock/bin/uv $(COMPILE) pyproject.toml --extra dev -c requirements.lock -o requirements-dev.lock
	printf 'hatchling\neditables\n' | build/lock/bin/uv $(COMPILE) - -c requirements-dev.lock -o requirements-build.lock
	rm -rf build/lock
	$(MAKE) $(VENV)/.dev
	$(BIN)/python -m tests.supply_chain.licences > LICENCES.md

# Takes the token forms of detect-secrets' newest version, or of VERSION, into analyzer/redact/detect_secrets.py.
secret-forms: $(VENV)/.dev
	$(PYTHON) -m venv build/secret-forms
	build/secret-forms/bin/pip install --quiet detect-secrets$(if $(VERSION),==$(VERSION))
	build/secret-forms/bin/python -m tests.redact.take_detect_secrets > build/detect_secrets.py
	mv build/detect_secrets.py analyzer/redact/detect_secrets.py
	rm -rf build/secret-forms
	$(BIN)/ruff format --quiet analyzer/redact/detect_secrets.py

clean:
	rm -rf $(VENV) build dist demo-report.html
