# Finds the MPI named by CW_MPI and sets CW_MPIEXEC, the start of every command that runs N
# processes: ${CW_MPIEXEC} -n N program.
find_program(CW_MPICC NAMES mpicc.${CW_MPI} mpicc REQUIRED
             DOC "Compiler wrapper of the MPI to build for")
set(MPI_C_COMPILER ${CW_MPICC})
set(MPI_CXX_SKIP_MPICXX ON)
find_program(MPIEXEC_EXECUTABLE NAMES mpiexec.${CW_MPI} mpiexec)
find_package(MPI 3.0 REQUIRED COMPONENTS C)

# Where there is only a plain mpicc, it may belong to the other MPI.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
set(cw_mpi_macro_mpich MPICH_VERSION)
set(cw_mpi_macro_openmpi OMPI_MAJOR_VERSION)
check_symbol_exists(${cw_mpi_macro_${CW_MPI}} mpi.h CW_MPI_IS_${CW_MPI})
unset(CMAKE_REQUIRED_LIBRARIES)
if(NOT CW_MPI_IS_${CW_MPI})
  message(FATAL_ERROR "CW_MPI=${CW_MPI}, but ${CW_MPICC} belongs to another MPI. "
                      "Give the right wrapper with -DCW_MPICC=...")
endif()

# What starts a few processes on any machine of this MPI.
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
  # Containers run as root and have few cores; Open MPI refuses both unless told.
  list(APPEND CW_MPIEXEC OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
       ${CW_MPI_LAUNCHER} --bind-to none)
else()
  list(APPEND CW_MPIEXEC ${CW_MPI_LAUNCHER})
endif()
