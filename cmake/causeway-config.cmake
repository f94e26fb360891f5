# find_package(causeway) makes causeway::causeway, causeway::armci, causeway::cwga and causeway::cwga-i4
# (shared; each complete in itself: link one of them), and the same with -static behind the name.
# There is no cwga where BLAS, ScaLAPACK or HDF5 were missing when Causeway was built.
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

# Finds out whether find_package(MPI) has found these libraries, for C or (beside others) for C++.
function(causeway_is_found libraries result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(language C CXX)
    set(others ${libraries})
    list(REMOVE_ITEM others ${MPI_${language}_LIBRARIES})
    if(TARGET MPI::MPI_${language} AND NOT others)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

if(NOT CAUSEWAY_MPI)
  list(GET causeway_mpis 0 CAUSEWAY_MPI)
  foreach(mpi ${causeway_mpis})
    include(${CMAKE_CURRENT_LIST_DIR}/causeway-${mpi}.cmake)
    causeway_is_found("${causeway_mpi_libraries}" causeway_is_this)
    if(causeway_is_this)
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
get_property(causeway_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(C IN_LIST causeway_languages)
  if(NOT TARGET MPI::MPI_C AND NOT MPI_C_COMPILER)
    set(MPI_C_COMPILER ${causeway_mpicc})
  endif()
  find_dependency(MPI COMPONENTS C)
elseif(NOT TARGET MPI::MPI_C)
  # FindMPI looks for C's MPI with a C compiler, which a project of other languages does not have.
  # It would find what Causeway was built with. C++ bindings, which MPI has no more, stay out.
  add_library(MPI::MPI_C INTERFACE IMPORTED)
  target_include_directories(MPI::MPI_C INTERFACE ${causeway_mpi_include_dirs})
  target_link_libraries(MPI::MPI_C INTERFACE ${causeway_mpi_libraries})
  target_compile_definitions(MPI::MPI_C INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
endif()

# The MPI that the project has found must be of the same family: handles of the other one are of another type.
set(causeway_mark_mpich MPICH_NAME)
set(causeway_mark_openmpi OMPI_MAJOR_VERSION)
foreach(language C CXX)
  foreach(folder ${MPI_${language}_INCLUDE_DIRS} ${MPI_${language}_HEADER_DIR})
    foreach(mpi mpich openmpi)
      if(NOT mpi STREQUAL CAUSEWAY_MPI AND EXISTS ${folder}/mpi.h)
        file(STRINGS ${folder}/mpi.h causeway_found REGEX "^#[ \t]*define[ \t]+${causeway_mark_${mpi}}[ \t]")
        if(causeway_found)
          message(FATAL_ERROR
                  "This project uses the MPI of ${folder}, but Causeway would be the one for ${CAUSEWAY_MPI}. "
                  "One program has one MPI: say -DCAUSEWAY_MPI=${mpi}, or give the project ${CAUSEWAY_MPI}'s compiler "
                  "(-DMPI_C_COMPILER=${causeway_mpicc}). Causeway is installed here for: ${causeway_mpis}")
        endif()
      endif()
    endforeach()
  endforeach()
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/causeway-${CAUSEWAY_MPI}-targets.cmake)
