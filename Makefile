# make demo                 build, and run Hartree-Fock for four waters on 2 processes and on one
# make demo COMPARE=1       and beside it the time of the same program on Debian's Global Arrays
# make demo NODES=2         the same, each process on a host of its own (2 to 8 network namespaces)
# make check                for daily work: build, and run the quick tests with one MPI, in 3 minutes
# make test                 build and test with both MPIs (MPI=... for one of them)
# make nightly              every test, every injected fault, every layout of hosts, both sanitizers, Debian 13: hours, in
#                           parts of at most two (PART=mpich-hosts: one); goes on where it was stopped
# make soak HOURS=1         random operations against their models, with both MPIs, until told to end
# make sanitize             the core tests under the address and undefined-behaviour sanitizers
# make bench                measure: the limits of the machine, Causeway, Debian's ARMCI-MPI
# make lint                 formatting, clang-tidy, cppcheck (ANALYZER=no: without the search through paths, as in CI)
# make install PREFIX=/usr/local   headers, libraries, tools, CMake and pkg-config files
# make docs                 the site, in build/mpich/docs/html: guides, reference, design, results; make man: manual pages
# make uninstall PREFIX=/usr/local   remove what `make install` has put there (MPI=...: for one MPI)
# make dist                 the source archive build/causeway-VERSION.tar.xz
# make deb                  Debian packages for both MPIs in build/deb
# make clean
# make help                 these lines
#
# ROOT=trixie with any of these: the same on Debian 13, in a root that is made under build/ (scripts/debian-root.sh)
#
# MPI=mpich (default) or MPI=openmpi chooses the MPI. JOBS=N, TESTS=N: how many compilers, and tests, at a time.
# CW_MPICC=/path/mpicc, with MPI=: a site's own MPI of that family (docs/guide/cluster.md).
# Missing Debian packages are installed first, but not with CW_MPICC. Everything is built under build/.
keep_going = $(if $(findstring k,$(firstword -$(MAKEFLAGS))),--keep-going)

ifneq ($(ROOT),)
goals := $(or $(MAKECMDGOALS),all)
.PHONY: $(goals) elsewhere
$(goals): elsewhere
	@:
elsewhere:
	@sh scripts/debian-root.sh $(ROOT) $(keep_going) $(goals) $(filter-out ROOT=%,$(MAKEOVERRIDES))
else

JOBS ?= $(shell nproc)
# Tests wait more than they work: for MPI to start, and for each other.
TESTS ?= $(shell expr 2 '*' $(JOBS))
PREFIX ?= /usr/local
ifeq ($(MPI),)
ifneq ($(CW_MPICC),)
$(error CW_MPICC=$(CW_MPICC): say with MPI=mpich or MPI=openmpi which family it is of)
endif
override MPI := mpich
else ifneq ($(filter-out mpich openmpi,$(MPI)),)
$(error MPI=$(MPI): choose MPI=mpich or MPI=openmpi)
else
MPI_GIVEN := yes
test: test-$(MPI)
endif
mpis = $(if $(MPI_GIVEN),$(MPI),mpich openmpi)

ifneq ($(filter-out 2 3 4 5 6 7 8,$(NODES)),)
$(error NODES=$(NODES): hosts are made of network namespaces, 2 to 8 of them)
endif
ifneq ($(word 2,$(PREFIX)),)
$(error PREFIX=$(PREFIX): a prefix with a space in it does not work with pkg-config; choose another one)
endif

# A site's MPI comes with what else a site has: CMake says what is missing.
packages = @$(if $(CW_MPICC),true,sh scripts/install-packages.sh)
# For tests of devices, which are skipped where it cannot be had.
opencl = @$(if $(CW_MPICC),true,sh scripts/pocl-root.sh build/pocl-root || true)
# For tests of module files.
modules = @$(if $(CW_MPICC),true,sh scripts/modules-root.sh build/modules-root || true)
# Others' programs for tests of virtual OpenCL: 140 MB, so only where everything is tested.
programs = @$(if $(CW_MPICC),true,sh vocl/scripts/opencl-programs.sh build/opencl-programs || true)
configure = cmake $(CW_MPICC:%=-DCW_MPICC=%) --preset
say = @printf '\n== %s\n'

.DEFAULT_GOAL := all
.NOTPARALLEL:
.SECONDARY:
all: build-$(MPI)

# What a target needs, where it is less than all: packages, and what is built.
needed = mpich openmpi test apps docs python
packages-%:
	$(packages) build math $(needed)
	$(if $(filter test,$(needed)),$(opencl))
	$(if $(filter test,$(needed)),$(modules))

build-%: packages-%
	$(say) 'Building with preset $* in build/$*'
	@mkdir -p build/$* && touch build/$*/under-way
	@$(configure) $* >build/$*.log 2>&1 || { cat build/$*.log; exit 1; }
	@cmake --build --preset $* -j $(JOBS) $(target)
	@rm -f build/$*/under-way

# Under a sanitizer only what its tests run.
build-asan: target = --target programs-asan
build-tsan: target = --target programs-tsan

# Which tests have which label is said in cmake/CwTests.cmake.
test-%: build-%
	$(programs)
	$(say) 'Testing build/$*'
	@cd build/$* && ctest --output-on-failure -j $(TESTS) --label-exclude nightly

# With both MPIs: tests leave the cores idle now and then, and the second build takes what they leave.
ifeq ($(MPI_GIVEN),)
test: build-mpich
	@nice -n 19 $(MAKE) --no-print-directory build-openmpi >build/openmpi.out 2>&1 & other=$$!; status=0; \
	trap 'kill $$other; exit 130' INT TERM HUP; \
	$(MAKE) --no-print-directory test-mpich || status=1; \
	wait $$other || { cat build/openmpi.out; exit 1; }; \
	[ $$status = 0 ] || [ -n "$(keep_going)" ] || exit 1; \
	$(MAKE) --no-print-directory test-openmpi && exit $$status
endif

check: build-$(MPI)
	$(say) 'Checking build/$(MPI): the quick tests'
	@cd build/$(MPI) && ctest --output-on-failure -j $(TESTS) --label-regex quick --label-exclude nightly

# Each part that has not run at this commit, or PART=NAME; `sh tests/nightly.sh list` names them.
nightly: needed = mpich openmpi test apps docs python slurm browser root
nightly: packages-nightly
	$(programs)
	@MAKE='$(MAKE)' JOBS=$(JOBS) TESTS=$(TESTS) sh tests/nightly.sh $(or $(PART),all $(mpis))

soak: build-mpich build-openmpi
	@sh tests/soak.sh $(or $(HOURS),1)

sanitize: build-asan
	$(say) 'Testing build/asan: core tests under the sanitizers'
	@cd build/asan && ctest --output-on-failure -j $(JOBS) --label-regex asan

demo: needed = $(MPI) $(if $(COMPARE),apps,demo) $(if $(NODES),hosts)
demo: target = --target scf $(if $(COMPARE),scf-ga)
demo: build-$(MPI)
	$(say) 'Hartree-Fock for four waters, cc-pVDZ, on $(or $(NODES:%=% hosts),2 processes)'
	@cmake --build --preset $(MPI) --target demo$(NODES:%=-%)
	$(if $(COMPARE),@cmake --build --preset $(MPI) --target demo-compare)

bench: build-$(MPI)
	$(say) 'Measuring in build/$(MPI)'
	@cmake --build --preset $(MPI) --target bench

install:
	$(packages) build $(MPI) math binding
	$(say) 'Building for $(MPI) and installing in $(PREFIX)'
	@$(configure) $(MPI) -B build/install-$(MPI) -DCW_TESTS=OFF \
	  -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
	@cmake --build build/install-$(MPI) -j $(JOBS) --target libraries cw-info
	@cmake --install build/install-$(MPI)

# They need a configured build, and nothing that it compiles.
docs man:
	$(packages) build $(MPI) math docs
	$(say) 'Writing build/$(MPI)/docs'
	@$(configure) $(MPI) >build/$(MPI).log 2>&1 || { cat build/$(MPI).log; exit 1; }
	@cmake --build --preset $(MPI) --target $@

lint:
	$(packages) build mpich openmpi math test apps lint
	$(say) 'Linting all sources'
	@mkdir -p build
	@$(configure) $(MPI) -B build/lint >build/lint.log 2>&1 || { cat build/lint.log; exit 1; }
	@ANALYZER=$(ANALYZER) sh scripts/lint.sh build/lint

uninstall:
	@sh scripts/uninstall.sh $(DESTDIR)$(abspath $(PREFIX)) $(mpis)

dist:
	@sh scripts/dist.sh build

deb:
	$(packages) build mpich openmpi math docs binding deb
	$(say) 'Building Debian packages in build/deb'
	@DEB_BUILD_OPTIONS="$${DEB_BUILD_OPTIONS-noautodbgsym} parallel=$(JOBS)" sh scripts/deb.sh build/deb

clean:
	rm -rf build

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo
	@sed -n '/^#/!q; s/^# \{0,1\}//p' scripts/more.mk

ifndef more
.DEFAULT:
	@$(MAKE) --no-print-directory -f scripts/more.mk $@
endif

.PHONY: all demo check test nightly soak sanitize bench docs man lint install uninstall dist deb clean help

endif # ROOT
