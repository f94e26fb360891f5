# Finds the MPI named by CW_MPI and sets CW_MPIEXEC, the start of every command that runs N
# processes: ${CW_MPIEXEC} -n N program.
#
# CW_MPICC is the compiler wrapper; unless it is given, the mpicc that comes first in PATH where it is of that MPI and
# no program of the system's (a module was loaded), else mpicc.<mpi>, which Debian has for each MPI.
set(cw_mpi_macro_mpich MPICH_VERSION)
set(cw_mpi_macro_openmpi OMPI_MAJOR_VERSION)
# cw_mpi_family(wrapper result): mpich or openmpi, or nothing.
function(cw_mpi_family wrapper result)
  file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/which_mpi.c "#include <mpi.h>\n")
  execute_process(COMMAND ${wrapper} -E -dM ${PROJECT_BINARY_DIR}/CMakeFiles/which_mpi.c OUTPUT_VARIABLE macros ERROR_QUIET)
  set(${result} "" PARENT_SCOPE)
  foreach(mpi mpich openmpi)
    if(macros MATCHES "define ${cw_mpi_macro_${mpi}} ")
      set(${result} ${mpi} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# In a parent project that has found an MPI, that one: one program has one MPI.
set(cw_mpi_default mpich)
if(NOT PROJECT_IS_TOP_LEVEL AND NOT CW_MPI AND NOT CW_MPICC)
  foreach(language Fortran CXX C)
    if(MPI_${language}_FOUND AND MPI_${language}_COMPILER)
      string(REGEX REPLACE "mpi(cxx|c[+][+]|CC|fort|f90|f77)([^/]*)$" "mpicc\\2" cw_mpicc_parent ${MPI_${language}_COMPILER})
      cw_mpi_family(${cw_mpicc_parent} cw_family)
      if(cw_family)
        set(cw_mpi_default ${cw_family})
        set(CW_MPICC ${cw_mpicc_parent} CACHE FILEPATH "Compiler wrapper of the MPI to build for" FORCE)
      endif()
    endif()
  endforeach()
endif()
set(CW_MPI ${cw_mpi_default} CACHE STRING "The MPI to build for: mpich or openmpi")
set_property(CACHE CW_MPI PROPERTY STRINGS mpich openmpi)
set(cw_mpi_macro ${cw_mpi_macro_${CW_MPI}})
if(NOT CW_MPICC)
  find_program(cw_mpicc mpicc NO_CACHE)
  if(cw_mpicc AND NOT cw_mpicc MATCHES "^/usr/bin/")
    cw_mpi_family(${cw_mpicc} cw_family)
    if(cw_family STREQUAL CW_MPI)
      set(CW_MPICC ${cw_mpicc} CACHE FILEPATH "Compiler wrapper of the MPI to build for")
    endif()
  endif()
endif()
if(CW_MPICC AND NOT IS_ABSOLUTE "${CW_MPICC}")
  find_program(cw_mpicc_given "${CW_MPICC}" NO_CACHE REQUIRED)
  set(CW_MPICC ${cw_mpicc_given} CACHE FILEPATH "Compiler wrapper of the MPI to build for" FORCE)
endif()
find_program(CW_MPICC NAMES mpicc.${CW_MPI} mpicc REQUIRED
             DOC "Compiler wrapper of the MPI to build for")
if(NOT "${CW_MPICC_WAS}" STREQUAL "" AND NOT CW_MPICC_WAS STREQUAL CW_MPICC)
  message(FATAL_ERROR "${PROJECT_BINARY_DIR} was made with ${CW_MPICC_WAS}. "
                      "Remove it, or choose another folder, to build with ${CW_MPICC}.")
endif()
set(MPI_C_COMPILER ${CW_MPICC})
set(MPI_CXX_SKIP_MPICXX ON)
# The launcher beside the wrapper is of the same MPI.
cmake_path(GET CW_MPICC PARENT_PATH cw_mpi_folder)
find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${CW_MPI} mpiexec PATHS ${cw_mpi_folder} NO_DEFAULT_PATH)
find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${CW_MPI} mpiexec)
find_package(MPI 3.0 REQUIRED COMPONENTS C)

# The wrapper may belong to the other MPI.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(${cw_mpi_macro} mpi.h CW_MPI_IS_${CW_MPI})
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT CW_MPI_IS_${CW_MPI})
  message(FATAL_ERROR "CW_MPI=${CW_MPI}, but ${CW_MPICC} belongs to another MPI. "
                      "Give the right wrapper with -DCW_MPICC=...")
endif()
set(CW_MPICC_WAS ${CW_MPICC} CACHE INTERNAL "What this folder was made with")

# The command that starts a few processes on any machine of this MPI.
set(CW_MPI_LAUNCHER ${MPIEXEC_EXECUTABLE})
if(CW_MPI STREQUAL openmpi)
  list(APPEND CW_MPI_LAUNCHER --oversubscribe)
endif()

# BLAS threads would only fight the other processes for the cores.
set(CW_MPIEXEC env OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1)
if(CW_SANITIZE)
  list(APPEND CW_MPIEXEC ${CW_SANITIZE_ENVIRONMENT})
endif()
if(CW_MPI STREQUAL openmpi)
  # Containers run as root and have few cores; Open MPI permits both only by options.
  list(APPEND CW_MPIEXEC OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
       ${CW_MPI_LAUNCHER} --bind-to none)
else()
  list(APPEND CW_MPIEXEC ${CW_MPI_LAUNCHER})
endif()
