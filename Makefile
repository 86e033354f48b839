# SPDX-License-Identifier: MIT
#
# The front door. Meson and ninja do the work; this file only says what to call. See `make help`.

BUILD  ?= build
PREFIX ?= /usr/local
CC     := clang-19
export CC

# Options for tests/run (-k PATTERN, -j N, ...) and bench/run.
TEST  ?=
BENCH ?=

.PHONY: build setup demo test test-long test-programs bench asan tsan install clean help

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@meson setup --prefix $(PREFIX) $(BUILD)

build-asan/build.ninja:
	@meson setup -Db_sanitize=address,undefined -Db_lundef=false build-asan

build-tsan/build.ninja:
	@meson setup -Db_sanitize=thread -Db_lundef=false build-tsan

setup:
	@scripts/setup

# setup may be needed to build, so build comes after it, in the recipe.
demo: setup
	@$(MAKE) --no-print-directory build
	@scripts/demo $(BUILD)

test: setup
	@$(MAKE) --no-print-directory test-programs
	@tests/run --build $(BUILD) --asan build-asan $(TEST)

test-long: setup
	@$(MAKE) --no-print-directory test-programs tsan
	@tests/run --build $(BUILD) --asan build-asan --tsan build-tsan --long $(TEST)

# What the tests need beyond the programs that are installed.
test-programs: build asan
	@ninja -C $(BUILD) meson-test-prereq
	@ninja -C build-asan meson-test-prereq

bench: setup
	@$(MAKE) --no-print-directory build
	@bench/run --build $(BUILD) $(BENCH)

asan: build-asan/build.ninja
	@ninja -C build-asan

tsan: build-tsan/build.ninja
	@ninja -C build-tsan
	@ninja -C build-tsan meson-test-prereq

install: build
	@meson configure --prefix $(PREFIX) $(BUILD)
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD) build-asan build-tsan

help:
	@echo 'make            build powertm in $(BUILD)/ (packages needed: make setup)'
	@echo 'make setup      install the Debian packages that are missing (asks sudo if not root)'
	@echo 'make demo       build, then run a program of ours and some of Debian under powertm'
	@echo 'make test       the tests of every change, sanitizer build included'
	@echo 'make test-long  all tests at full length, on every build'
	@echo 'make bench      speed and start-up time, beside qemu-ppc64le and native code'
	@echo 'make asan       build with address and undefined-behaviour sanitizers in build-asan/'
	@echo 'make tsan       build with the thread sanitizer in build-tsan/'
	@echo 'make install    install below PREFIX (now $(PREFIX))'
	@echo 'make clean      remove the build folders'
	@echo
	@echo 'TEST="-k sort -j1" and BENCH="--runs 3" pass options to tests/run and bench/run;'
	@echo 'tests/run --help lists them. BUILD=DIR builds elsewhere.'
