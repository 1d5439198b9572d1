# SPDX-License-Identifier: GPL-2.0
#
#	make			module for the running kernel, and tool
#	make KDIR=DIR		module for the kernel whose headers are in DIR
#	make KERNEL=NAME	likewise, a kernel of scripts/kernel
#	make help		the rest

ifdef KERNEL
KDIR := $(shell scripts/kernel $(KERNEL))/build
endif
KDIR ?= /lib/modules/$(shell uname -r)/build
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
OUT = build/$(RELEASE)

SOURCES := Kbuild include module kunit

all: tool module

help:
	@echo '  all        module for KDIR, and tool (default)'
	@echo '  module     build/RELEASE/buildid.ko; KDIR=DIR or KERNEL=NAME'
	@echo '  tool       build/tool/: buildid, libbuildid'
	@echo '  demo       the main job on real programs, in a guest'
	@echo '  check      linters, unit tests, KUnit, end to end tests in guests'
	@echo '  bench      what an mmap costs, in guest instructions; BENCH_ARGS'
	@echo '  flood      a minute of each flood of tests/module/fairness.t; KERNEL'
	@echo '  kunit      KUnit suites on the debug kernel'
	@echo '  install    module and tool; DESTDIR, PREFIX'
	@echo '  clean      remove build/'

# Kernels differ in their objects: each has a tree of links of its own.
module: $(if $(KERNEL),deps)
	@test -n "$(RELEASE)" || { \
		echo "buildid: $(KDIR): no kernel headers; install linux-headers-$$(uname -r), or name others: make KDIR=DIR, make KERNEL=6.12" >&2; \
		exit 1; }
	@mkdir -p $(OUT) && cp -rsu --remove-destination $(addprefix $(CURDIR)/,$(SOURCES)) $(OUT)/
	@find -L $(OUT) -type l -delete
	+$(MAKE) -C $(KDIR) M=$(CURDIR)/$(OUT) $(KFLAGS) modules

tool:
	+$(MAKE) -C tool

deps:
	scripts/deps

demo: deps
	scripts/demo

bench: deps
	scripts/bench $(BENCH_ARGS)

check: deps
	scripts/check

flood: deps
	scripts/vm --kernel $(or $(KERNEL),6.12) --mem 3G --timeout 1800 -- \
		env FLOOD_SECONDS=60 tests/run tests/module/fairness.t

kunit: deps
	prove tests/host/kunit.t

install: all
	+$(MAKE) -C $(KDIR) M=$(CURDIR)/$(OUT) INSTALL_MOD_PATH=$(DESTDIR) modules_install
	+$(MAKE) -C tool install

clean:
	rm -rf build

.PHONY: all help module tool deps demo bench flood check kunit install clean
