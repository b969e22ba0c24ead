# Two commands on a fresh machine with a Rust toolchain and Python 3.11: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)/debug
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Every cargo command names the whole workspace: cargo unifies the features of dependencies over the packages that a
# command names, so that `-p mercer`, `-p mercer-cli` and the Python package alone would each compile all of them again.

.PHONY: demo test test-full quick sweep lint lint-rust lint-python test-rust test-python test-minimum test-lab gallery site check-links wheel sklearn-suite docs bench build-bench tables scale power build-python images trust trust-slice clean

## Builds Mercer and runs the main job on bundled data: a proof, a refutation, a fit, a test, a forecast; pictures in demo-output/.
demo:
	cargo build --workspace --bin mercer
	$(TARGET)/mercer demo --output demo-output

## Every test: formatting, lints, Rust, docs, command line, Python.
# The Python packages are downloaded while clippy works.
test:
	$(MAKE) -j2 lint-rust $(VENV)/.ready
	$(MAKE) lint-python test-rust test-python trust-slice test-lab site

## The same with the slow statistical and fuzzing suites.
# Ray, Spark and MLflow where they can be installed: the tests of the recipes are skipped without them.
test-full: export MERCER_FULL := 1
test-full: $(VENV)/.ready
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-recipes.txt
	$(MAKE) test

## While working on the library: formatting, its lints, its unit and integration tests.
# Compiles again what changed only: a little more work the first time, and for other commands, which do not keep these
# parts, the library once more.
quick: export CARGO_INCREMENTAL := 1
quick: $(BIN)/python
	cargo fmt --all --check
	cargo clippy --workspace --lib -- -D warnings
	cargo test --workspace --lib --test it

lint: lint-rust lint-python

# Without the flags of make, of whose two jobs cargo would leave one to pip.
lint-rust: export MAKEFLAGS :=
lint-rust: $(BIN)/python
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

lint-python: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/typos

# One command compiles all, the Python package too: the last crates of each share the cores.
test-rust: $(BIN)/python
	cargo build --workspace --all-targets
	cargo test --workspace
	$(TARGET)/examples/tour > /dev/null

# Two processes: most tests are too small for a second thread.
test-python: build-python
	$(BIN)/python -m pytest --numprocesses 2 crates/mercer-python/tests website

## Runs every example of examples/gallery; the pictures go to target/gallery.
gallery: build-python
	$(BIN)/python website/gallery.py --mercer $(TARGET)/mercer --limit 180

## The documentation as one site in target/site: guides, gallery, references, theory.
# The reference of Rust is made by `lint-rust` too, and then ready.
site: gallery check-links $(VENV)/.site-ready
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	$(BIN)/python website/build.py --mercer $(TARGET)/mercer --rustdoc $(TARGET)/../doc

## The pictures of docs/images, drawn again from bundled data by the command line and the displays of Python.
# Those of the lab are screenshots of `mercer lab`.
images: build-python
	$(BIN)/python website/images.py --mercer $(TARGET)/mercer
	$(BIN)/python crates/mercer-python/pictures.py docs/images

## The links of README.md and of all pages: files and headings.
check-links: $(BIN)/python
	$(BIN)/python website/links.py

$(VENV)/.site-ready: website/requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r website/requirements.txt
	touch $@

## The page of `mercer lab` in Chromium, with the binary of the tests: every panel, errors, accessibility, the keyboard.
# Installs Chromium where it is missing and may be; otherwise it says how, and fails in CI only.
test-lab: $(VENV)/.ready
	cargo build --workspace --lib --bins --examples
	PYTHON_BIN=$(CURDIR)/$(BIN)/python crates/mercer-server/browser/run.sh

## The few minutes of the trust harness that belong to every change; the report is target/trust-slice/report.md.
trust-slice: build-python
	$(BIN)/python -m trust --slice

## Oracles, metamorphic relations, levels, faults, fuzzing, memory: hours. An interrupted run continues; HOURS=2 stops after two.
trust: build-bench
	cargo build --release --workspace --bin mercer
	cp Cargo.lock trust/fuzz/Cargo.lock
	cargo build --manifest-path trust/fuzz/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target)
	$(BIN)/python -m trust $(if $(HOURS),--hours $(HOURS))

## scikit-learn's own test files with their classes replaced by ours; the counts go to docs/python.md.
sklearn-suite: build-python
	PYTHONPATH=crates/mercer-python $(BIN)/python -m sklearn_suite --page docs/python.md

## The package with the oldest numpy, scikit-learn and Dask that pyproject.toml allows (Python 3.11).
# Without scikit-learn's own checks, whose old versions have errors of their own; tests of other packages are skipped.
test-minimum: build-python
	$(PYTHON) -m venv .venv-minimum
	.venv-minimum/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-minimum.txt
	cd crates/mercer-python/tests && PYTHONPATH=../python $(CURDIR)/.venv-minimum/bin/python -m pytest -q -c /dev/null \
		--rootdir . -W ignore -p no:cacheprovider -k "not checks_of_scikit_learn and not scikit_learn_checks"

## The Python package in the virtual environment, from the same build as the tests of Rust.
# With the examples, as cargo then takes the features of the test dependencies too: without them `clap` and what
# uses it would be compiled a second time after the tests.
build-python: $(VENV)/.ready
	cargo build --workspace --lib --bins --examples
	$(BIN)/python crates/mercer-python/develop.py $(TARGET)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: requirements-test.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt
	touch $@

## The API documentation, and the pages that are made from the catalogue.
docs:
	MERCER_UPDATE_DOCS=1 cargo test --workspace --test it docs_table
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

## Our speed beside the peers', in one run.
bench: build-bench
	$(BIN)/python bench/gram.py
	$(BIN)/python bench/regression.py --grid-search
	$(BIN)/python bench/gaussian_process.py
	$(BIN)/python bench/tests.py
	$(BIN)/python bench/features.py
	$(BIN)/python bench/svm.py $(if $(DATA),--data $(DATA) --slow)

## Every learner with every kernel in several shapes beside scikit-learn, within 20 minutes.
sweep: build-bench
	$(BIN)/python bench/sweep.py --output target/sweep.md

## The tables of docs/accuracy.md (test errors, intervals and published accuracies on real data) and docs/tests.md (hypothesis tests). DATA names a folder with sets that are
## not bundled; without it the second page stays as it is.
tables: build-bench
	$(BIN)/python bench/accuracy.py --output docs/accuracy.md $(if $(DATA),--data $(DATA))
	$(BIN)/python bench/classification.py --output docs/accuracy.md $(if $(DATA),--data $(DATA))
	$(if $(DATA),$(BIN)/python bench/tests_tables.py --output docs/tests.md --data $(DATA))

## The tables of docs/scale.md: centers, random features and grids on real data. DATA names the folder with the sets.
scale: build-bench
	$(BIN)/python bench/scale.py --output docs/scale.md --data $(DATA)

## The power of the tests beside published figures, in docs/hypothesis.md. DATA names a folder with mnist/.
power:
	cargo run --release --quiet -p mercer --example power -- --page docs/hypothesis.md $(if $(DATA),--data $(DATA))

build-bench: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet

## A wheel with the Python package and the command in dist/, for every Linux since 2014 (glibc 2.17) and CPython 3.11 or
## later, installed and used in an environment without a compiler. The last crate alone takes minutes: fat LTO.
# `WHEEL_PROFILE=dev` is quicker, for work on the packaging.
WHEEL_PROFILE ?= dist
wheel: $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r website/requirements-wheel.txt
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --zig --compatibility manylinux2014 --profile $(WHEEL_PROFILE) --locked --out dist
	$(BIN)/python website/smoke.py dist

clean:
	cargo clean
	rm -rf $(VENV) .venv-minimum demo-output
