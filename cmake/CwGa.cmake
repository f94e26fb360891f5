# Finds the system's Global Arrays, built for CW_MPI, without its ARMCI: link a GA program with
#   ${CW_GA_LIBRARY} cw_armci_static ${CW_GA_DEPENDS}     and include ${CW_GA_INCLUDE}
# Target CW_GA carries all of that. CW_SCALAPACK, CW_BLAS and CW_LAPACK come from CwMath.
find_library(CW_GA_LIBRARY NAMES libga-${CW_MPI}.a DOC "Static Global Arrays library")
find_path(CW_GA_INCLUDE ga.h DOC "Folder of Global Arrays' headers")
mark_as_advanced(CW_GA_LIBRARY CW_GA_INCLUDE)

set(CW_GA_FOUND OFF)
if(CW_GA_LIBRARY AND CW_GA_INCLUDE AND CW_SCALAPACK AND CW_BLAS AND CW_LAPACK)
  set(CW_GA_FOUND ON)
  set(CW_GA_DEPENDS ${CW_SCALAPACK} ${CW_LAPACK} ${CW_BLAS} gfortran m)
  add_library(CW_GA INTERFACE)
  # Our own headers must win over those of a libarmci-mpi-dev in the system's folder.
  target_link_libraries(CW_GA INTERFACE ${CW_GA_LIBRARY} cw_armci_static ${CW_GA_DEPENDS})
  if(NOT CW_GA_INCLUDE STREQUAL /usr/include)
    target_include_directories(CW_GA SYSTEM INTERFACE ${CW_GA_INCLUDE})
  endif()
else()
  message(STATUS "No Global Arrays for ${CW_MPI} (libglobalarrays-dev, libscalapack-${CW_MPI}-dev, "
                 "libopenblas-dev, liblapack-dev): GA tests and apps are left out")
endif()
