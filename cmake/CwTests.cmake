# How tests are registered: with their settings, numbers of processes and labels.
include(${CMAKE_CURRENT_LIST_DIR}/CwTestSettings.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/CwPython.cmake)

# The label says who runs a test: `ctest -L quick`.
#   quick    make check      asan     make sanitize      tsan     make races      emulated  make aarch64
#   nvidia   make device-check; skipped where there is no such device
#   nightly  only make nightly: dear, and its answer does not change with each commit (nightly-openmpi: with Open MPI)
# and each folder on its path is a label, too: `ctest -L rma`. quick and asan come by the rules below, the others
# by LABELS at the test. LABELS -quick takes one away.

# Folders whose tests are dear, or ask about outside libraries.
set(cw_never_both multinode faults mutation mpi scf)
set(cw_never_quick ${cw_never_both} vocl)
set(cw_never_asan ${cw_never_both} differential matmul project)
# Here three and four processes go other ways than two. Elsewhere two are enough for quick. (nodes is default and
# rma in one program; cfcg and hypercube are mfcg with other neighbours: transfers.random has them.)
set(cw_several_nodes server-nodes agent-nodes agent bulk mfcg)
# Here no code of ours runs that another setting does not run, or an outside library.
set(cw_not_asan conservative flushes stage check debian)

# Modules that call MPI only through the modules below them: what they do differs with processes and settings, not with the
# MPI. Each day MPICH's build asks all of it, Open MPI's asks two processes on one node, through servers and through windows
# (cw_each_mpi), and a test that has no number of processes. `make nightly` asks all of both.
set(cw_above_mpi apps arithmetic array bench bindings interfaces device examples faults file linear matrix protect task vocl)
set(cw_each_mpi default server rma rma-served checked own debian)
# A single process asks no more of another MPI, but where MPI itself is asked.
set(cw_alone_on_each_mpi base mpi project runtime)

# Half of a build compiles tests: -O1 takes two thirds of the time of -O2, and still warns of what is not initialized.
# Not for Fortran, where it matters what the compiler makes of arrays that change behind its back.
set(cw_test_options $<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:RelWithDebInfo>>:-O1>)

# cw_choose_labels(variable folders setting processes labels...)
function(cw_choose_labels variable folders setting processes)
  set(labels ${folders} ${ARGN})
  list(GET folders 0 module)
  if(CW_MPI STREQUAL openmpi AND processes EQUAL 1 AND NOT module IN_LIST cw_alone_on_each_mpi)
    list(APPEND labels nightly)
  endif()
  if(CW_MPI STREQUAL openmpi AND ("nightly-openmpi" IN_LIST labels OR
                                  (module IN_LIST cw_above_mpi AND
                                   (processes GREATER 2 OR arg_OPENCL OR NOT setting IN_LIST cw_each_mpi))))
    list(APPEND labels nightly)
  endif()
  list(REMOVE_ITEM labels nightly-openmpi)
  if(NOT "nightly" IN_LIST labels)
    set(quick TRUE)
    set(asan TRUE)
    if(processes GREATER 2)
      set(asan FALSE)
      if(NOT setting IN_LIST cw_several_nodes OR processes GREATER 4)
        set(quick FALSE)
      endif()
    endif()
    if(setting IN_LIST cw_not_asan)
      set(asan FALSE)
    endif()
    foreach(label quick asan)
      foreach(folder ${folders})
        if(folder IN_LIST cw_never_${label})
          set(${label} FALSE)
        endif()
      endforeach()
      if(${label})
        list(APPEND labels ${label})
      endif()
    endforeach()
  endif()
  # qemu takes long: one layout.
  if(processes AND NOT "${setting}.${processes}" MATCHES "^default\\.[12]$")
    list(REMOVE_ITEM labels emulated)
  endif()
  foreach(label ${ARGN})
    if(label MATCHES "^-(.+)")
      list(REMOVE_ITEM labels ${label} ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES labels)
  set(${variable} "${labels}" PARENT_SCOPE)
endfunction()

# What `make sanitize`, `make races` and `make aarch64` build: the programs of a label's tests.
foreach(label asan tsan emulated)
  add_custom_target(programs-${label})
endforeach()

# What each test's environment has. A process that waits in MPI gives its core away: several of more processes than cores
# would compute while they wait. MPICH learns that from a library that its tests preload (tests/kit/yield.c), which is not
# for sanitizers, who want to be loaded first. Open MPI of Debian chooses ob1 where there is no fast network, but asks
# Omni-Path's library first, which sleeps a fifth of a second until it knows: at each start of each test. On such a network:
# OMPI_MCA_pml=ucx cmake --preset openmpi
# A job of Open MPI that ends removes the folder that all jobs of its user have in /tmp, if it is empty, while another one
# may be beginning in it and fail: it gets a folder that stays.
set(cw_test_environment)
if(CW_MPI STREQUAL openmpi)
  set(pml ob1)
  if(DEFINED ENV{OMPI_MCA_pml})
    set(pml $ENV{OMPI_MCA_pml})
  endif()
  set(cw_test_environment OMPI_MCA_pml=${pml} OMPI_MCA_mpi_yield_when_idle=1)
  cmake_host_system_information(RESULT host QUERY HOSTNAME)
  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(shared /tmp)
  if(DEFINED ENV{TMPDIR})
    set(shared $ENV{TMPDIR})
  endif()
  file(MAKE_DIRECTORY ${shared}/ompi.${host}.${user}/stays)
elseif(NOT CW_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(cw_test_environment LD_PRELOAD=$<TARGET_FILE:cw_kit_yield>)
endif()

# Scripts call python3. Debian's is the one whose packages are installed, and pyenv's takes half a second to start.
cw_find_python(CW_TEST_PYTHON "import json" "Python for tests")
set(cw_test_path ${PROJECT_BINARY_DIR}/tests/path)
if(CW_TEST_PYTHON)
  file(MAKE_DIRECTORY ${cw_test_path})
  file(CREATE_LINK ${CW_TEST_PYTHON} ${cw_test_path}/python3 SYMBOLIC)
endif()

# cw_add_test(name [SETTINGS s...] [PROCESSES n...] [LABELS l...] [ENVIRONMENT VAR=value...] [TIMEOUT s]
#             [PROCESSORS n] [ONE_MPI] [OPENCL pocl|pocl-own|oclgrind] [PROPERTIES name value...] COMMAND program arguments...)
# Registers <folder>.<name>.<setting>.n<processes>, <folder> being the path below tests/ with dots, for each
# setting (CwTestSettings.cmake; else: default) and each number of processes. The program runs under mpiexec.
# A script starts it itself: the word MPIEXEC in the command is replaced by mpiexec with its arguments.
# Without PROCESSES the test is <folder>.<name>, and the command is run as it is. Exit status 77 means skipped.
# ONE_MPI: what is asked has no MPI in it, so that MPICH's build asks for both.
# OPENCL: programs find that OpenCL, which scripts/pocl-root.sh has unpacked; where it has not, the test is skipped.
# pocl-own is PoCL for kernels of ours, which call few of OpenCL C's functions: it builds them in half the time.
function(cw_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ONE_MPI" "TIMEOUT;PROCESSORS;OPENCL"
                        "SETTINGS;PROCESSES;LABELS;ENVIRONMENT;PROPERTIES;COMMAND")
  if(arg_ONE_MPI AND NOT CW_MPI STREQUAL mpich)
    cw_note_programs(CW_NIGHTLY ${arg_COMMAND})
    return()
  endif()
  if(NOT arg_SETTINGS)
    set(arg_SETTINGS default)
  endif()
  if(NOT arg_PROCESSES)
    set(arg_PROCESSES 0)
  endif()
  foreach(setting ${arg_SETTINGS})
    if(NOT DEFINED cw_setting_${setting})
      message(FATAL_ERROR "test ${name}: there is no setting ${setting}")
    endif()
    foreach(processes ${arg_PROCESSES})
      cw_register(${name} ${setting} ${processes})
    endforeach()
  endforeach()
endfunction()

# The part of cw_add_test for one setting and one number of processes.
function(cw_register name setting processes)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${cw_root}
             OUTPUT_VARIABLE folders)
  string(REGEX REPLACE "^tests/" "" folders ${folders})
  string(REGEX REPLACE "^bindings/python/tests" "bindings/python" folders ${folders})
  string(REGEX REPLACE "^vocl/tests" "vocl" folders ${folders})
  string(REPLACE "/" ";" folders ${folders})
  list(JOIN folders . folder)
  set(name ${folder}.${name})
  cw_choose_labels(labels "${folders}" ${setting} ${processes} ${arg_LABELS})

  set(processors 1)
  set(command ${arg_COMMAND})
  if(processes)
    string(APPEND name .${setting}.n${processes})
    set(started ${processes})
    if(setting STREQUAL server-rank)
      math(EXPR started "2 * ${processes}") # as many again, for servers
    endif()
    set(mpiexec ${CW_MPIEXEC} -n ${started})
    if("MPIEXEC" IN_LIST command)
      list(TRANSFORM command REPLACE "^MPIEXEC$" "${mpiexec}")
    else()
      list(POP_FRONT command program)
      if(TARGET ${program})
        set(program $<TARGET_FILE:${program}>)
      endif()
      list(PREPEND command ${mpiexec} ${CMAKE_CROSSCOMPILING_EMULATOR} ${program})
    endif()
    # Waiting processes give their core away: two cores are what more than one need.
    if(started GREATER 1)
      set(processors 2)
    endif()
  endif()
  if(arg_PROCESSORS)
    set(processors ${arg_PROCESSORS})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(CMAKE_CROSSCOMPILING)
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}") # emulated
  endif()
  set(opencl)
  if(arg_OPENCL)
    cw_find_opencl(opencl command ${name})
  endif()
  add_test(NAME ${name} COMMAND ${command})
  # mpiexec of MPICH 4.2.1 returns 0 for some jobs that died (https://github.com/pmodels/mpich/issues/7057).
  if(processes AND NOT "MPIEXEC" IN_LIST arg_COMMAND)
    set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION
      ": FAILED: [0-9]+ checks;BAD TERMINATION OF ONE OF YOUR APPLICATION")
  endif()
  set_tests_properties(${name} PROPERTIES
    PROCESSORS ${processors} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77 LABELS "${labels}"
    ENVIRONMENT "${cw_test_environment};${opencl};${arg_ENVIRONMENT};${cw_setting_${setting}}"
    ENVIRONMENT_MODIFICATION PATH=path_list_prepend:${cw_test_path} ${arg_PROPERTIES})

  cw_find_programs(programs ${command})
  foreach(program ${programs}) # where only this one is built
    if(TARGET ${program})
      add_dependencies(${program} cw_kit_yield)
    endif()
  endforeach()
  if("nightly" IN_LIST labels)
    cw_note_programs(CW_NIGHTLY ${command})
  else()
    cw_note_programs(CW_DAILY ${command} ${opencl} ${arg_ENVIRONMENT} ${cw_setting_${setting}})
  endif()
  foreach(label asan tsan emulated)
    if(programs AND label IN_LIST labels)
      add_dependencies(programs-${label} ${programs})
    endif()
  endforeach()
endfunction()

# cw_find_programs(variable words...): the programs among the words, by name or as $<TARGET_FILE:name>.
function(cw_find_programs variable)
  string(REGEX MATCHALL "<TARGET_FILE:[^>]+>" programs "${ARGN}")
  list(TRANSFORM programs REPLACE "<TARGET_FILE:(.+)>" "\\1")
  foreach(word ${ARGN}) # CTest finds it by its name
    if(TARGET ${word})
      list(APPEND programs ${word})
    endif()
  endforeach()
  set(${variable} ${programs} PARENT_SCOPE)
endfunction()

# What only nightly tests use is built by `make nightly` alone: cw_leave_out_nightly.
function(cw_note_programs property)
  cw_find_programs(programs ${ARGN})
  foreach(program ${programs})
    if(TARGET ${program})
      set_property(TARGET ${program} PROPERTY ${property} TRUE)
    endif()
  endforeach()
endfunction()

# Takes the programs of a folder, and of those below it, out of the target `all` if only nightly tests use them.
# The target programs-nightly builds them.
add_custom_target(programs-nightly)
function(cw_leave_out_nightly folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(nightly ${target} CW_NIGHTLY)
    get_target_property(daily ${target} CW_DAILY)
    if(type STREQUAL EXECUTABLE AND nightly AND NOT daily)
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
      add_dependencies(programs-nightly ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    cw_leave_out_nightly(${below})
  endforeach()
endfunction()

# For tests of OpenCL whose kernels run briefly: PoCL does not optimize them, which takes most of such a test's time. Of our
# code nothing depends on it. (Those whose kernels compute for long take longer with it.)
set(cw_pocl_unoptimized POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable)

# The environment of a test of OpenCL. Compiled kernels are kept for each test: PoCL's cache is not for several at once.
function(cw_find_opencl environment command name)
  set(variables ${cw_root}/build/pocl-root/${arg_OPENCL})
  if(NOT EXISTS ${variables} AND arg_OPENCL STREQUAL pocl-own) # unpacked before there was one
    set(variables ${cw_root}/build/pocl-root/pocl)
  endif()
  if(EXISTS ${variables})
    file(STRINGS ${variables} lines)
    set(${environment} ${lines} POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/pocl-cache/${name} PARENT_SCOPE)
  else()
    set(word "skipped: no OpenCL to test with: sh scripts/pocl-root.sh build/pocl-root, then configure again")
    set(${command} sh -c "echo '${word}'; exit 77" PARENT_SCOPE)
  endif()
endfunction()

# cw_add_test_program(name sources... [LIBRARIES targets...] [STATIC]): a test program on the internal headers. STATIC: with
# the static library (cw_add_tested_library).
function(cw_add_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "" "LIBRARIES")
  if(NOT arg_LIBRARIES)
    set(arg_LIBRARIES cw_tested)
  endif()
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(arg_STATIC OR "cw_bad_input" IN_LIST arg_LIBRARIES) # that wraps cw_abort
    set_target_properties(${name} PROPERTIES CW_STATIC TRUE)
  endif()
  target_include_directories(${name} PRIVATE ${cw_root}/tests)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} CW_WARNINGS)
endfunction()

# cw_wrap(program functions...): calls of the functions, the library's too, go to the program's __wrap_<function>.
function(cw_wrap program)
  list(TRANSFORM ARGN PREPEND LINKER:--wrap= OUTPUT_VARIABLE options)
  target_link_options(${program} PRIVATE ${options})
  set_target_properties(${program} PROPERTIES CW_STATIC TRUE)
endfunction()
