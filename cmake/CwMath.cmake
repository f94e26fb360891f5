# Finds what the modules linear, solvers and file call: BLAS with its C interface, LAPACK, ScaLAPACK and parallel HDF5, the
# last two built for CW_MPI. All or nothing: CW_MATH_FOUND. Then there are
#   CW_MATH            target: the include folders of cblas.h and hdf5.h
#   CW_MATH_NAMES      C macros with the run-time names of the four libraries, and the Debian packages that have them.
#                      Nothing is linked with them: the library opens each when it is first needed
#                      (src/data/external/routines.h), so they must be shared libraries.
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

# cw_dynamic(file tag result): the names that a shared library has under NEEDED or SONAME. Empty for other files.
function(cw_dynamic file tag result)
  execute_process(COMMAND ${CMAKE_READELF} -dW ${file} OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX REPLACE "[[]([^]\n]*)[]]" "<\\1>" text "${text}") # CMake's lists keep brackets together
  string(REGEX MATCHALL "[(]${tag}[)][^<\n]*<[^>\n]*" names "${text}")
  list(TRANSFORM names REPLACE ".*<" "")
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# cw_math_names(library): adds to CW_MATH_NAMES CW_<library>_NAMES, the SONAME and the path of that file, and
# CW_<library>_PACKAGE, the Debian package that has the file, or "" if none has.
macro(cw_math_names library)
  cw_dynamic(${CW_${library}} NEEDED needed)
  cw_dynamic(${CW_${library}} SONAME soname)
  if(NOT needed)
    message(WARNING "${CW_${library}} is not a shared library. Causeway opens BLAS, LAPACK, ScaLAPACK and HDF5 when a "
                    "program first needs them; -DCW_${library}=/path/lib....so names a shared one")
    set(CW_MATH_FOUND OFF)
  endif()
  cmake_path(GET CW_${library} PARENT_PATH file)
  cmake_path(APPEND file "${soname}")
  if(NOT soname OR NOT EXISTS ${file})
    file(REAL_PATH ${CW_${library}} file)
  endif()
  if(NOT soname)
    set(soname ${file})
  endif()
  file(REAL_PATH ${file} packaged)
  execute_process(COMMAND dpkg-query -S ${packaged} OUTPUT_VARIABLE package ERROR_QUIET)
  string(REGEX REPLACE "[:,].*" "" package "${package}")
  string(APPEND CW_MATH_NAMES "#define CW_${library}_NAMES \"${soname}\", \"${file}\"\n"
                              "#define CW_${library}_PACKAGE \"${package}\"\n")
  list(APPEND math_needed ${needed})
endmacro()

set(CW_MATH_NAMES)
set(math_needed)
if(CW_MATH_FOUND)
  foreach(library HDF5 BLAS LAPACK SCALAPACK)
    cw_math_names(${library})
  endforeach()
  # Fortran's run-time library; and what else ScaLAPACK needs of BLAS's kind: neither MPI nor the system's.
  list(REMOVE_DUPLICATES math_needed)
  set(runtime ${math_needed})
  list(FILTER runtime INCLUDE REGEX "gfortran|gomp|flang|ifcore|iomp")
  list(FILTER needed EXCLUDE REGEX "^lib(c|m|dl|rt|pthread|gcc_s|stdc[+][+]|quadmath)[.]so|^ld-|mpi|blacs|gfortran|gomp|flang|ifcore|iomp")
  foreach(list runtime needed)
    list(TRANSFORM ${list} REPLACE "(.+)" "\"\\1\", ")
    list(JOIN ${list} "" ${list})
  endforeach()
  string(APPEND CW_MATH_NAMES "#define CW_MATH_RUNTIME ${runtime}\n#define CW_SCALAPACK_NEEDS ${needed}\n")
endif()

if(CW_MATH_FOUND)
  add_library(CW_MATH INTERFACE)
  target_include_directories(CW_MATH SYSTEM INTERFACE ${CW_CBLAS_INCLUDE} ${CW_HDF5_INCLUDE})
else()
  message(STATUS "Not all of BLAS, LAPACK, ScaLAPACK and HDF5 for ${CW_MPI} (libopenblas-dev, "
                 "libscalapack-${CW_MPI}-dev, libhdf5-${CW_MPI}-dev): matrix multiply, solvers, files "
                 "and the GA interface (libcwga) are left out")
endif()
