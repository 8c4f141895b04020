# Two commands bring everything: `make demo` and `make test`.
CARGO ?= cargo

.PHONY: demo test setup build acats-speed programs

setup:
	@sh scripts/setup.sh

build: setup
	$(CARGO) build --release --quiet

demo: build
	@target/release/rendez check examples/philosophers.adb || [ $$? -eq 1 ]

test: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	$(CARGO) test --workspace --exclude rendez --quiet
	$(CARGO) test --package rendez --all-targets --quiet

# What the public programs do, as a table: make programs DIR=folder LIST=list.tsv
programs: build
	@python3 scripts/programs.py --rendez target/release/rendez --dir "$(DIR)" --list "$(LIST)"

# Front-end speed on the chapter 9 files of ACATS, beside tree-sitter alone.
acats-speed: build
	@sh scripts/acats-speed.sh
