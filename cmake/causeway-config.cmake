# find_package(causeway) makes causeway::causeway and causeway::armci (shared; each complete in
# itself: link one of them), and causeway::causeway-static and causeway::armci-static.
#
# Builds for several MPIs may be installed side by side. Which one is used: CAUSEWAY_MPI (mpich or
# openmpi) if set; else the one for the MPI that find_package(MPI) has found; else the first.
include(CMakeFindDependencyMacro)
set(causeway_mpis)
foreach(mpi mpich openmpi)
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/causeway-${mpi}.cmake)
    list(APPEND causeway_mpis ${mpi})
  endif()
endforeach()

if(NOT CAUSEWAY_MPI)
  list(GET causeway_mpis 0 CAUSEWAY_MPI)
  foreach(mpi ${causeway_mpis})
    include(${CMAKE_CURRENT_LIST_DIR}/causeway-${mpi}.cmake)
    if(TARGET MPI::MPI_C AND MPI_C_LIBRARIES STREQUAL causeway_mpi_libraries)
      set(CAUSEWAY_MPI ${mpi})
    endif()
  endforeach()
endif()
if(NOT CAUSEWAY_MPI IN_LIST causeway_mpis)
  set(causeway_FOUND FALSE)
  set(causeway_NOT_FOUND_MESSAGE
      "Causeway is installed here for: ${causeway_mpis}; not for CAUSEWAY_MPI=${CAUSEWAY_MPI}")
  return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/causeway-${CAUSEWAY_MPI}.cmake)
if(NOT TARGET MPI::MPI_C AND NOT MPI_C_COMPILER)
  set(MPI_C_COMPILER ${causeway_mpicc})
endif()
find_dependency(MPI COMPONENTS C)
include(${CMAKE_CURRENT_LIST_DIR}/causeway-${CAUSEWAY_MPI}-targets.cmake)
