# Also, by `make NAME` like the ones above (they are in scripts/more.mk):
#
# make uts                  search two unbalanced trees on 2 processes, with a pool of tasks
# make demo-failure         a tree search and Hartree-Fock on 4 processes, of which one is killed: the results are right
# make matmul               multiply distributed matrices by one-sided calls, beside ScaLAPACK, on 2 processes
# make prk                  the Parallel Research Kernels, beside plain MPI in three ways, on 2 processes
# make demo-device          a product of block-sparse matrices by tasks on hosts, on devices, and on both
# make demo-vocl            ffmpeg and hashcat on the OpenCL devices of three virtual nodes
# make multinode            every test on several hosts, with every kind of server
# make launchers            what mpiexec and MPI do when a process dies: build/launchers.md (not part of CI; 5 minutes)
# make races                server and thread tests under the thread sanitizer (not part of CI)
# make aarch64              core tests compiled for aarch64, under qemu: all but the order of memory
# make compilers            the libraries with clang, as C23, with LTO, -O3 and a sanitizer (not part of CI; 10 minutes)
# make check-abi            compare the libraries with the last release's: programs linked with it must run (docs/reference/releases.md)
# make save-abi             make these libraries the reference, at a release
# make nwchem               build NWChem on our libarmci, and run three inputs (not part of CI; 10 to 20 minutes)
# make nwchem GA=own        the same on libcwga, without Debian's Global Arrays, and eight inputs
# make nwchem-layouts       these in all layouts of processes, nodes and servers
# make nwchem-compare       build both, and compare their times in turns
# make device-check         the device tests and the benchmark on NVIDIA's own driver: one file to send back
# make results              measure everything, for docs/results: tables and pictures; takes long, not part of CI
# make modules              write what is made of modules.txt: CONTRIBUTING.md's table, docs/pictures/modules.dot
# make pictures             draw docs/pictures/*.svg again: from .dot files (graphviz), and a matrix of scf (cw-view)
# make report-pictures      run scf, uts, and NWChem if it is built, with CW_PROFILE: docs/pictures/report-*.png
ifeq ($(ROOT),)
more := yes
endif
include Makefile
ifdef more

multinode: target = --target all programs-nightly
multinode: build-$(MPI)
	$(say) 'Testing build/$(MPI) on several hosts'
	@$(configure) $(MPI) -DCW_ALL_HOSTS=ON >build/$(MPI).log
	@cd build/$(MPI) && ctest --output-on-failure -j $(TESTS) --label-regex multinode; status=$$?; \
	  cmake -DCW_ALL_HOSTS=OFF . >/dev/null; exit $$status

launchers: needed = mpich openmpi
launchers: packages-launchers
	$(say) 'Processes die under mpiexec of each MPI'
	@mkdir -p build && sh tests/failures/launchers.sh --here build/launchers.md

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

uts: needed = $(MPI) demo
uts: target = --target uts
uts: build-$(MPI)
	$(say) 'Unbalanced Tree Search of T1 and T3 on 2 processes: counts are compared with the published ones'
	@cmake --build --preset $(MPI) --target uts-search

demo-failure: needed = $(MPI) demo
demo-failure: target = --target uts scf-survive
demo-failure: build-$(MPI)
	$(say) 'One of 4 processes is killed in the middle of its work, and the others finish it'
	@cmake --build --preset $(MPI) --target demo-failure

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

# The references in cmake/abi are those of MPICH's build.
check-abi save-abi: needed = mpich abi
check-abi save-abi: target = --target libraries
check-abi save-abi: build-mpich
	$(say) 'The binary interface of build/mpich'
	@sh scripts/abi.sh $(@:%-abi=%) $$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/mpich/CMakeCache.txt) \
	  $(foreach name,causeway armci cwga cwga-i4,build/mpich/lib$(name)-mpich.so)

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

.PHONY: check-abi save-abi uts demo-failure matmul prk demo-device demo-vocl multinode races aarch64 compilers nwchem nwchem-layouts nwchem-compare device-check results modules pictures report-pictures nwchem-debian nwchem-own

endif # more
