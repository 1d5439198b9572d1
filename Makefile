# SPDX-License-Identifier: GPL-2.0
#
# `make help` lists what one needs first, `make help-all` all targets and their variables.

define help_text
  make tool             build/tool/: buildid, libbuildid, examples
  make module           build/RELEASE/buildid.ko; KERNEL=6.12 for another than the running kernel
  make demo             what this is for, in a guest
  make check T="NAME..."    these tests; without T everything, three quarters of an hour
  make quick            linters and unit tests, minutes: before each commit
  make lint             all linters
  make bench            the cost of an mmap, in instructions
  make help-all         all targets and their variables

None of them touches this machine's kernel; all but tool and module install the Debian packages
that they need.
endef

define help_all_text
Build:
  make                  module for the running kernel, and tool
  make module           build/RELEASE/buildid.ko
  make tool             build/tool/: buildid, libbuildid, examples
  make compile_commands.json    for clangd, of the tool and of the module
  make clean            remove build/
      KDIR=DIR          the kernel whose headers are in DIR
      KERNEL=NAME       a kernel of `scripts/kernel --list`, fetched when needed
      KFLAGS=W=1        arguments for kbuild
      WERROR=1          warnings, those of W=1 included, are errors, as in tests
      CC, CFLAGS, CPPFLAGS, LDFLAGS, HARDEN    for the tool

Install:
  make install          module and tool; or install-module, install-tool
  make uninstall        the reverse; or uninstall-module, uninstall-tool
      DESTDIR=DIR       a directory to take for the root directory
      PREFIX=DIR        for the tool (/usr/local); BINDIR, LIBDIR, INCLUDEDIR, MANDIR,
                        DOCDIR, COMPLETIONDIR, ZSHCOMPLETIONDIR and FISHCOMPLETIONDIR name
                        single directories
      KDIR, KERNEL      as above
  make dist             build/buildid-VERSION.tar.xz, from the last commit
  make deb              Debian packages in build/deb, likewise
  make rpm              RPM packages in build/rpm, likewise
  make install-source   the module's source and dkms.conf, for dkms add buildid/VERSION:
                        /usr/src/buildid-VERSION; uninstall-source

Test (in guests; installs the Debian packages that it needs, see `make deps`):
  make check            everything: linters, unit tests, KUnit, tests in guests
  make check T="NAME..."    these tests only; an unknown name prints them all
      KERNEL=NAME       kernel of the guest (6.12)
  make check KERNEL=NAME    those that run in a guest, with this kernel
  make check-arm64      likewise with Debian's kernels for arm64, cross-built
  make quick            what a forge runs for each change: linters but for those that take the
                        debug kernel or the Debian packages, and unit tests of the tool
  make check-forge      the jobs of public forges, on a bare Debian each; an hour, as root
  make lint             compilers' warnings and linters
  make kunit            KUnit suites, on the debug kernel
  make matrix           every kernel of `scripts/kernel --list`, into MATRIX.md; hours
      MATRIX_ARGS=...   options of scripts/matrix, such as 7.3, for one kernel
  make fuzz             libFuzzer on the readers of ELF files, perf.data, logs and archives and
                        on annotate, beside libelf, elfutils and perf; in guests filesystem
                        images changed at random, and FUSE servers that lie; ends in a report
      SECONDS=N         for each of the eight (300)
      SEED=N            of all that is random (that of the clock, and printed)
      FUZZ="NAME..."    these only: elf perfdata log archive annotate perf images fuse
      KERNEL=NAME       kernel of the guests (6.12)
  make fuzz-device      random ioctls, reads, mappings and netlink messages, some of which meet
                        failures, by one thread and then by several; ends in a report; hours
      CALLS=N           (1000000)
      SEED=N            likewise
      KERNEL=NAME       kernel of the guest (debug)
  make mutants          small faults in module/ and tool/, and whether a test notices; hours
      MUTANTS_ARGS=...  options of scripts/mutants, such as --file module/elf or --host
  make faults           each allocation and copy of each ioctl, netlink command, load and unload
                        fails once, by count; memory and disks that fail; ends in a report
      FAULTS="CALL, KIND, N"    this fault alone, as a finding names it
  make coverage         the lines of module/ that tests run, faults and KUnit included: 90 % at
                        least, and tests/uncovered has the rest; ends in a report; an hour
  make soak             everything at once beside stress-ng, then 500 insmod and rmmod; ends in a
                        report
      KERNEL=NAME       kernel of the guest (6.12)
      SECONDS=N         of load (1800; 600 on a debug kernel)
      SEED=N            of what the tests choose (that of the clock, and printed)
      RELOADS=N         (500; 50 on a debug kernel)
  make selftests        the kernel's own selftests without the module, with it, and watched; ends
                        in a report for each kernel
      KERNEL=NAME       kernel of the guest (6.1, 6.12 and debug, one after the other)
  make flood            a minute of each flood that must not harm others
      KERNEL=NAME       kernel of the guest (6.12)
  make umounts          umount(2) at once after use, and the device below removed at once; an hour
      TIMES=N           on each filesystem (1000)
      KERNEL=NAME       kernel of the guest (6.12)
      UMOUNTS="NAME..." these only: ext4 xfs btrfs vfat exfat overlay tmpfs
  make bench            the cost of an mmap, in instructions
      BENCH_ARGS=...    options of scripts/bench, such as --kernel 6.12
  make bench-tool       the tool beside perf, addr2line, cp and ps, in instructions
      BENCH_ARGS=...    options of scripts/bench-tool, such as --part list
  make check-packages   the Debian packages on an emulated machine: install, upgrade of
                        the kernel, purge; RPM's, Arch's and Nix's; the module built into a
                        kernel; more than an hour, as root
  make demo             a session with real programs
  make deps             install missing Debian packages; scripts/deps --help has groups of them

Release (see RELEASING.md):
  make tag              tag the last commit with the version, after looking at it

In one directory:
  make -C tool check [T="test_log ..."]     unit tests; CHECK_CFLAGS
  make -C tool check-headers | check-exports | check-man | check-install
  make -C tool version                      the version, from module/version.h
  make -C tests                             programs that the tests run
  make -C tests/fuzz                        the fuzzers; tests/fuzz/run runs them
  scripts/vm [--kernel NAME]                a shell in a guest
endef

ifdef KERNEL
KDIR := $(shell scripts/kernel $(KERNEL))/build
endif
KDIR ?= /lib/modules/$(shell uname -r)/build
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)
OUT = build/$(RELEASE)

SOURCES := Kbuild include module kunit

all: tool module

help:
	$(info $(help_text))
	@:

help-all:
	$(info $(help_all_text))
	@:

# --------------------------------------------------------------------- build --

release:
	@test -n "$(RELEASE)" || { \
		echo "buildid: $(KDIR): no kernel headers; install linux-headers-$$(uname -r), or name others: make KDIR=DIR, make KERNEL=6.12" >&2; \
		exit 1; }

# Objects differ between kernels: each kernel has a tree of links to the sources.
module: release
	@mkdir -p $(OUT) && find -L $(OUT) -type l -delete
	@cp -rsu --remove-destination $(addprefix $(CURDIR)/,$(SOURCES)) $(OUT)/
	+$(MAKE) -C $(KDIR) M=$(CURDIR)/$(OUT) $(if $(WERROR),W=1 KCFLAGS=-Werror) $(KFLAGS) modules

tool:
	+$(MAKE) -C tool

compile_commands.json: module
	scripts/compile-commands $(OUT) $(KDIR) > build/$@ && mv build/$@ $@

clean:
	rm -rf build compile_commands.json

# ------------------------------------------------------------------- install --

# Not relative to the directory of whichever make uses it.
ifdef DESTDIR
ifneq ($(words $(DESTDIR)),1)
$(error DESTDIR: make cannot handle a path with spaces)
endif
override DESTDIR := $(abspath $(DESTDIR))
endif

# Without DESTDIR, modprobe has to find the module, or find it gone.
MODULE_DIR := updates
module_path = $(DESTDIR)/lib/modules/$(RELEASE)/$(MODULE_DIR)
update_modules = $(if $(DESTDIR),,depmod $(RELEASE))

install: install-module install-tool

# kbuild would run depmod where it finds a System.map, below DESTDIR, too.
install-module: module
	+$(MAKE) -C $(KDIR) M=$(CURDIR)/$(OUT) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=$(MODULE_DIR) DEPMOD=true modules_install
	$(update_modules)

install-tool: tool
	+$(MAKE) -C tool install DESTDIR=$(DESTDIR)

# What `make module` needs, where DKMS looks for it.
source_version = $(shell $(MAKE) -s --no-print-directory -C tool version)
source_dir = $(DESTDIR)/usr/src/buildid-$(source_version)

install-source:
	rm -rf $(source_dir)
	mkdir -p $(source_dir)
	cp -r $(SOURCES) $(source_dir)/
	sed 's/#MODULE_VERSION#/$(source_version)/' scripts/dkms.conf >$(source_dir)/dkms.conf

uninstall: uninstall-module uninstall-tool

# With any suffix that compression has added.
uninstall-module: release
	rm -f $(module_path)/buildid.ko* $(module_path)/kunit/buildid_kunit.ko*
	$(update_modules)

uninstall-source:
	rm -rf $(source_dir)

uninstall-tool:
	+$(MAKE) -C tool uninstall DESTDIR=$(DESTDIR)

# The same commit makes the same bytes, wherever it is packed: no setting of git's or xz's
# is used, and one thread compresses.
dist:
	@git diff --quiet HEAD || echo "buildid: changes that are not committed are left out" >&2
	@mkdir -p build
	@set -e; version=$$($(MAKE) -s --no-print-directory -C tool version); \
	git diff --quiet HEAD -- module/version.h || { \
		echo "buildid: module/version.h: not committed" >&2; exit 1; }; \
	attributes=$$(git rev-parse --git-path info/attributes); \
	[ ! -s "$$attributes" ] || { \
		echo "buildid: $$attributes would change what is packed; move it away" >&2; \
		exit 1; }; \
	name=buildid-$$version; \
	GIT_ATTR_NOSYSTEM=1 git -c tar.umask=0022 -c core.autocrlf=false -c core.eol=lf \
		-c core.attributesFile=/dev/null archive --format=tar --prefix=$$name/ \
		-o build/$$name.tar HEAD; \
	XZ_DEFAULTS= XZ_OPT= xz -9 --threads=1 -f build/$$name.tar; \
	echo build/$$name.tar.xz

deb:
	scripts/deps deb
	scripts/deb

rpm:
	scripts/rpm

tag:
	scripts/tag

# ---------------------------------------------------------------------- test --

# A group of packages for each target that takes fewer than all.
deps:
	scripts/deps

demo:
	scripts/deps demo
	scripts/demo

quick:
	scripts/deps unit
	scripts/lint --fast
	+$(MAKE) -s -C tool check WERROR=1

check-forge: deps
	tests/forge/run

bench:
	scripts/deps bench
	scripts/bench $(BENCH_ARGS)

bench-tool: deps
	scripts/bench-tool $(BENCH_ARGS)

check: deps
	scripts/check $(if $(KERNEL),--kernel $(KERNEL)) $(T)

# KUnit is not among them: no kernel for arm64 is built with it.
check-arm64:
	scripts/deps arm64
	for kernel in arm64-6.1 arm64-6.12 arm64-16k; do \
		scripts/check --kernel $$kernel || exit 1; \
	done

lint: deps
	scripts/lint

fuzz: deps
	tests/fuzz/run $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(KERNEL),--kernel $(KERNEL)) $(FUZZ)

fuzz-device: deps
	+$(MAKE) -s -C tests
	tests/fuzz/device $(if $(CALLS),--calls $(CALLS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(KERNEL),--kernel $(KERNEL))

faults: deps
	tests/faults/run $(if $(FAULTS),"$(FAULTS)")

coverage: deps
	tests/coverage/run

soak: deps
	tests/soak/run $(if $(KERNEL),--kernel $(KERNEL)) $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(SEED),--seed $(SEED)) $(if $(RELOADS),--reloads $(RELOADS))

selftests: deps
	status=0; for kernel in $(or $(KERNEL),6.1 6.12 debug); do \
		tests/selftests/run $$kernel || status=1; \
	done; exit $$status

flood: deps
	FLOOD_SECONDS=60 scripts/check $(if $(KERNEL),--kernel $(KERNEL)) fairness

umounts: deps
	scripts/umounts $(if $(KERNEL),--kernel $(KERNEL)) $(if $(TIMES),--times $(TIMES)) $(UMOUNTS)

mutants: deps
	+$(MAKE) -s tool
	+$(MAKE) -s -C tests
	scripts/mutants $(MUTANTS_ARGS)

check-packages: deb
	scripts/deps foreign
	tests/packages/rpm.t
	tests/packages/arch.t
	tests/packages/builtin.t
	tests/packages/machine.t

kunit: deps
	prove tests/host/kunit.t

matrix: deps
	scripts/deps arm64
	scripts/matrix $(MATRIX_ARGS)

.PHONY: all help help-all release module tool compile_commands.json clean install install-module install-tool \
	install-source uninstall uninstall-module uninstall-source uninstall-tool dist deb \
	rpm tag deps demo quick bench bench-tool check check-arm64 check-forge check-packages lint fuzz fuzz-device mutants \
	faults coverage soak selftests flood umounts kunit matrix
