# make demo                 build, and run Hartree-Fock for four waters on 2 processes and on one
# make demo COMPARE=1       and beside it the time of the same program on Debian's Global Arrays
# make demo NODES=2         the same, each process on a host of its own (2 to 8 network namespaces)
# make uts                  search two unbalanced trees on 2 processes, with a pool of tasks
# make matmul               multiply distributed matrices by one-sided calls, beside ScaLAPACK, on 2 processes
# make prk                  the Parallel Research Kernels, beside plain MPI in three ways, on 2 processes
# make demo-device          a product of block-sparse matrices by tasks on hosts, on devices, and on both
# make demo-vocl            ffmpeg and hashcat on the OpenCL devices of three virtual nodes
# make check                for daily work: build, and run the quick tests with one MPI, in 3 minutes
# make test                 build and test with both MPIs (MPI=... for one of them)
# make nightly              every test, every injected fault, every layout of hosts, both sanitizers, Debian 13: hours, in
#                           parts of at most two (PART=mpich-hosts: one); goes on where it was stopped
# make soak HOURS=1         random operations against their models, with both MPIs, until told to end
# make multinode            every test on several hosts, with every kind of server
# make sanitize             the core tests under the address and undefined-behaviour sanitizers
# make races                server and thread tests under the thread sanitizer (not part of CI)
# make aarch64              core tests compiled for aarch64, under qemu: all but the order of memory
# make compilers            the libraries with clang, as C23, with LTO, -O3 and a sanitizer (not part of CI; 10 minutes)
# make nwchem               build NWChem on our libarmci, and run three inputs (not part of CI; 10 to 20 minutes)
# make nwchem GA=own        the same on libcwga, without Debian's Global Arrays, and eight inputs
# make nwchem-layouts       these in all layouts of processes, nodes and servers
# make nwchem-compare       build both, and compare their times in turns
# make device-check         the device tests and the benchmark on NVIDIA's own driver: one file to send back
# make bench                measure: the limits of the machine, Causeway, Debian's ARMCI-MPI
# make results              measure everything, for docs/results: tables and pictures; takes long, not part of CI
# make modules              write what is made of modules.txt: CONTRIBUTING.md's table, docs/pictures/modules.dot
# make pictures             draw docs/pictures/*.svg again: from .dot files (graphviz), and a matrix of scf (cw-view)
# make report-pictures      run scf, uts, and NWChem if it is built, with CW_PROFILE: docs/pictures/report-*.png
# make lint                 formatting, clang-tidy, cppcheck (ANALYZER=no: without the search through paths, as in CI)
# make install PREFIX=/usr/local   headers, libraries, tools, CMake and pkg-config files
# make clean
# make help                 these lines
#
# ROOT=trixie with any of these: the same on Debian 13, in a root that is made under build/ (scripts/debian-root.sh)
#
# MPI=mpich (default) or MPI=openmpi chooses the MPI. JOBS=N, TESTS=N: how many compilers, and tests, at a time.
# CW_MPICC=/path/mpicc, with MPI=: a site's own MPI of that family (docs/cluster.md).
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
# Others' programs for tests of virtual OpenCL: 140 MB, so only where everything is tested.
programs = @$(if $(CW_MPICC),true,sh vocl/scripts/opencl-programs.sh build/opencl-programs || true)
configure = cmake $(CW_MPICC:%=-DCW_MPICC=%) --preset
say = @printf '\n== %s\n'

.DEFAULT_GOAL := all
.NOTPARALLEL:
.SECONDARY:
all: build-$(MPI)

# What a target needs, where it is less than all: packages, and what is built.
needed = mpich openmpi test apps
packages-%:
	$(packages) build math $(needed)
	$(if $(filter test,$(needed)),$(opencl))

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
	@cd build/$(MPI) && ctest --output-on-failure -j $(TESTS) --label-regex quick

multinode: target = --target all programs-nightly
multinode: build-$(MPI)
	$(say) 'Testing build/$(MPI) on several hosts'
	@$(configure) $(MPI) -DCW_ALL_HOSTS=ON >build/$(MPI).log
	@cd build/$(MPI) && ctest --output-on-failure -j $(TESTS) --label-regex multinode; status=$$?; \
	  cmake -DCW_ALL_HOSTS=OFF . >/dev/null; exit $$status

# Each part that this commit has not had, or PART=NAME; `sh tests/nightly.sh list` names them.
nightly: needed = mpich openmpi test apps slurm browser
nightly: packages-nightly
	$(programs)
	@MAKE='$(MAKE)' JOBS=$(JOBS) TESTS=$(TESTS) sh tests/nightly.sh $(or $(PART),all $(mpis))

soak: build-mpich build-openmpi
	@sh tests/soak.sh $(or $(HOURS),1)

sanitize: build-asan
	$(say) 'Testing build/asan: core tests under the sanitizers'
	@cd build/asan && ctest --output-on-failure -j $(JOBS) --label-regex asan

races: build-tsan
	$(say) 'Testing build/tsan: threads and servers under the thread sanitizer'
	@cd build/tsan && ctest --output-on-failure --label-regex tsan

# Through memory: over TCP, which UCX takes else under qemu, MPI_Finalize hangs now and then.
aarch64:
	$(packages) build mpich aarch64
	$(say) 'Testing build/aarch64: core tests for aarch64, under qemu-user'
	@sh scripts/arm64-root.sh build/aarch64-root
	@cmake --preset aarch64 >build/aarch64.log 2>&1 || { cat build/aarch64.log; exit 1; }
	@cmake --build --preset aarch64 -j $(JOBS) --target programs-emulated
	@cd build/aarch64 && UCX_TLS=posix,self ctest --output-on-failure -j $(JOBS) --label-regex emulated

demo: needed = $(MPI) $(if $(COMPARE),apps,demo) $(if $(NODES),hosts)
demo: target = --target scf $(if $(COMPARE),scf-ga)
demo: build-$(MPI)
	$(say) 'Hartree-Fock for four waters, cc-pVDZ, on $(or $(NODES:%=% hosts),2 processes)'
	@cmake --build --preset $(MPI) --target demo$(NODES:%=-%)
	$(if $(COMPARE),@cmake --build --preset $(MPI) --target demo-compare)

uts: needed = $(MPI) demo
uts: target = --target uts
uts: build-$(MPI)
	$(say) 'Unbalanced Tree Search of T1 and T3 on 2 processes: counts are compared with the published ones'
	@cmake --build --preset $(MPI) --target uts-search

matmul: needed = $(MPI)
matmul: target = --target matmul
matmul: build-$(MPI)
	$(say) 'Matrices of 2048 x 2048 on 2 processes: one-sided multiplication, the collective one, and PDGEMM'
	@cmake --build --preset $(MPI) --target matmul-run

prk: needed = $(MPI)
prk: target = --target prk
prk: build-$(MPI)
	$(say) 'The Parallel Research Kernels on 2 processes: Causeway, and MPI two-sided, through shared memory and one-sided'
	@cmake --build --preset $(MPI) --target prk-run

demo-device: needed = $(MPI)
demo-device: target = --target tiles
demo-device: build-$(MPI)
	$(opencl)
	$(say) 'C += A B of block-sparse matrices on 2 processes: tasks on hosts, on devices, and on both'
	@cmake --build --preset $(MPI) --target tiles-run

demo-vocl: needed = $(MPI)
demo-vocl: target = --target cw-vocl cw-vocl-program
demo-vocl: build-$(MPI)
	$(opencl)
	$(programs)
	$(say) 'ffmpeg and hashcat on the OpenCL devices of three virtual nodes'
	@sh vocl/scripts/demo-vocl.sh build/$(MPI)/vocl

compilers:
	$(packages) build $(MPI) math test compilers
	$(say) 'Building with other compilers and options in build/compilers'
	@sh scripts/compilers.sh $(MPI) $(ONLY)

ifeq ($(filter-out own debian,$(GA)),)
nwchem: nwchem-$(or $(GA),debian)
	$(say) 'NWChem on 1 process, 2 processes and 2 hosts'
	@GA=$(or $(GA),debian) sh apps/nwchem/run.sh $(MPI) build/nwchem
else
$(error GA=$(GA): choose GA=own or GA=debian)
endif

nwchem-layouts: nwchem-own
	$(say) 'NWChem on libcwga in all layouts'
	@GA=own LAYOUTS=all sh apps/nwchem/run.sh $(MPI) build/nwchem

nwchem-compare: nwchem-debian nwchem-own
	$(say) 'NWChem on libcwga and on libga over our libarmci'
	@sh apps/nwchem/compare.sh $(MPI) build/nwchem

nwchem-debian:
	$(packages) build $(MPI) apps nwchem
	$(say) 'Building libarmci in build/$(MPI), and NWChem on it in build/nwchem/$(MPI)'
	@mkdir -p build
	@$(configure) $(MPI) >build/$(MPI).log 2>&1 || { cat build/$(MPI).log; exit 1; }
	@cmake --build --preset $(MPI) -j $(JOBS) --target armci
	@sh apps/nwchem/build.sh build/$(MPI) $(MPI) build/nwchem $(JOBS)

nwchem-own: PREFIX = build/nwchem/causeway
nwchem-own: install
	$(packages) nwchem
	$(say) 'Building NWChem on libcwga in build/nwchem/$(MPI)-own'
	@GA=own sh apps/nwchem/build.sh $(PREFIX) $(MPI) build/nwchem $(JOBS)

# Where nobody can install anything, what is there may do.
device-check:
	@$(if $(CW_MPICC),true,sh scripts/install-packages.sh build math $(MPI) || echo 'Going on with what is there')
	$(say) 'Building with preset $(MPI) in build/$(MPI)'
	@mkdir -p build
	@$(configure) $(MPI) >build/$(MPI).log 2>&1 || { cat build/$(MPI).log; exit 1; }
	@cmake --build --preset $(MPI) -j $(JOBS) --target programs-device-check
	$(say) 'Testing devices of NVIDIA in build/$(MPI)'
	@sh scripts/device-check.sh build/$(MPI) build/device-check.txt

bench: build-$(MPI)
	$(say) 'Measuring in build/$(MPI)'
	@cmake --build --preset $(MPI) --target bench

results: build-mpich build-openmpi
	$(say) 'Measuring everything, for docs/results'
	@sh bench/run.sh --all docs/results

modules:
	@sh scripts/modules.sh

pictures: needed = $(MPI) apps pictures
pictures: target = --target scf cw-view
pictures: build-$(MPI) modules
	@cmake --build --preset $(MPI) --target picture-density
	@for dot in docs/pictures/*.dot; do dot -Tsvg "$$dot" -o "$${dot%.dot}.svg"; done

report-pictures: needed = $(MPI) apps browser
report-pictures: target = --target scf uts cw-report
report-pictures: build-$(MPI) modules
	@sh scripts/report-pictures.sh build/$(MPI) $(MPI) docs/pictures \
	  $(wildcard build/nwchem/$(MPI)-own/bin/LINUX64/nwchem)

install:
	$(packages) build $(MPI) math
	$(say) 'Building for $(MPI) and installing in $(PREFIX)'
	@$(configure) $(MPI) -B build/install-$(MPI) -DCW_TESTS=OFF \
	  -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
	@cmake --build build/install-$(MPI) -j $(JOBS) --target libraries cw-info
	@cmake --install build/install-$(MPI)

lint:
	$(packages) build mpich openmpi math test apps lint
	$(say) 'Linting all sources'
	@mkdir -p build
	@$(configure) $(MPI) -B build/lint >build/lint.log 2>&1 || { cat build/lint.log; exit 1; }
	@ANALYZER=$(ANALYZER) sh scripts/lint.sh build/lint

clean:
	rm -rf build

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

.PHONY: all check test nightly soak multinode sanitize races aarch64 compilers device-check demo demo-device demo-vocl uts matmul prk nwchem nwchem-layouts nwchem-compare nwchem-debian nwchem-own bench results modules pictures report-pictures install lint clean help

endif # ROOT
