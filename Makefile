# Two commands bring everything: `make demo` and `make test`.
CARGO ?= cargo

.PHONY: demo test setup build acats acats-speed agree conformance floors fuzz mutants programs trees

setup:
	@sh scripts/setup.sh

build: setup
	$(CARGO) build --release --quiet

demo: build
	@target/release/rendez check examples/philosophers.adb || [ $$? -eq 1 ]

test:
	@sh scripts/setup.sh test
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	$(CARGO) test --workspace --quiet

# What the public programs do, as a table: make programs DIR=folder LIST=list.tsv
programs: build
	@python3 scripts/programs.py --rendez target/release/rendez --dir "$(DIR)" --list "$(LIST)"

# Verdicts on the chapter 9 tests of ACATS, as a table.
acats: build
	@sh scripts/acats.sh
	@python3 scripts/acats.py --rendez target/release/rendez --support target/acats/all/support target/acats/chapter9

# Front-end speed on the same files, beside tree-sitter alone.
acats-speed: build
	@sh scripts/acats.sh
	@$(CARGO) run --release --quiet -p rendez-ada --example front_end_speed -- target/acats/chapter9 target/acats/all/support

# Programs compiled with GNAT must do only what the model allows: make conformance PROGRAMS=2000 RUNS=20
PROGRAMS ?= 2000
RUNS ?= 20
SEED ?= 1
conformance: build
	@sh scripts/setup.sh gnat
	@$(CARGO) run --release --quiet -p rendez-conformance -- --programs $(PROGRAMS) --runs $(RUNS) --seed $(SEED)

# Fuzzes the front end: make fuzz SECONDS=60
SECONDS ?= 60
fuzz:
	@sh scripts/fuzz.sh $(SECONDS)

# All engines and reductions on other random programs and rules each time: make agree SECONDS=600, the same again with AGREE_SEED=n
agree: build
	@sh scripts/agree.sh $(SECONDS) $(AGREE_SEED)

# What each yardstick reaches, compared with floors.tsv; about half an hour.
floors: build
	@python3 scripts/floors.py

# Changes the code that must not be wrong, one place at a time, and says which changes no test notices: make mutants COUNT=300
COUNT ?= 300
mutants:
	@python3 scripts/mutants.py --count $(COUNT)

# How much of whole source trees becomes a model: make trees DIRS="folder ..."
trees:
	@$(CARGO) run --release --quiet -p rendez-ada --example tree -- $(DIRS)
