# Finds what the rooms linear and file call: BLAS with its C interface, LAPACK, ScaLAPACK and parallel
# HDF5, the last two built for CW_MPI. All or nothing: CW_MATH_FOUND. Then there are
#   CW_MATH            target: the include folders of cblas.h and hdf5.h
#   CW_MATH_LINK       one linker argument with the libraries, and libm, to stand behind our static ones.
#                      A program gets those that it uses, and none when it uses no arrays. Also set where
#                      they were not found: then it is libm alone, which arithmetic needs.
# -DCW_HDF5=OFF, or another of the six, builds without.
find_library(CW_BLAS NAMES openblas blas DOC "BLAS with its C interface")
find_library(CW_LAPACK NAMES lapack DOC "LAPACK")
find_library(CW_SCALAPACK NAMES scalapack-${CW_MPI} DOC "ScaLAPACK of this MPI")
find_library(CW_HDF5 NAMES hdf5_${CW_MPI} DOC "Parallel HDF5 of this MPI")
find_path(CW_CBLAS_INCLUDE cblas.h DOC "Folder of cblas.h")
find_path(CW_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/${CW_MPI} DOC "Folder of this MPI's hdf5.h")
set(math CW_BLAS CW_LAPACK CW_SCALAPACK CW_HDF5 CW_CBLAS_INCLUDE CW_HDF5_INCLUDE)
mark_as_advanced(${math})

set(CW_MATH_FOUND ON)
foreach(part ${math})
  if(NOT ${part})
    set(CW_MATH_FOUND OFF)
  endif()
endforeach()

# One argument: CMake may part several, and what stands between would then be linked as needed.
set(CW_MATH_LINK -lm)
if(CW_MATH_FOUND)
  list(PREPEND CW_MATH_LINK ${CW_SCALAPACK} ${CW_LAPACK} ${CW_BLAS} ${CW_HDF5})
endif()
list(JOIN CW_MATH_LINK "," CW_MATH_LINK)
set(CW_MATH_LINK -Wl,--push-state,--as-needed,${CW_MATH_LINK},--pop-state)

if(CW_MATH_FOUND)
  add_library(CW_MATH INTERFACE)
  target_include_directories(CW_MATH SYSTEM INTERFACE ${CW_CBLAS_INCLUDE} ${CW_HDF5_INCLUDE})
else()
  message(STATUS "Not all of BLAS, LAPACK, ScaLAPACK and HDF5 for ${CW_MPI} (libopenblas-dev, "
                 "libscalapack-${CW_MPI}-dev, libhdf5-${CW_MPI}-dev): matrix multiply, solvers, files "
                 "and the GA interface (libcwga) are left out")
endif()
