# find_package(GlobalArrays): Causeway's libcwga under the names that Global Arrays' own package has. It makes the targets
# GlobalArrays::ga, GlobalArrays::ga++ and GlobalArrays::armci, each of which is libcwga, and sets GlobalArrays_LIBRARIES
# and GlobalArrays_INCLUDE_DIRS.
#
# Variables that select the library:
#   CAUSEWAY_MPI       mpich or openmpi; if it is not set, as find_package(causeway) chooses
#   CAUSEWAY_INTEGER   bytes of the program's Fortran INTEGER: 8 (if it is not set) or 4
#   CAUSEWAY_STATIC    ON: the static library
include(CMakeFindDependencyMacro)
if(NOT DEFINED CAUSEWAY_INTEGER)
  set(CAUSEWAY_INTEGER 8)
endif()
if(NOT CAUSEWAY_INTEGER MATCHES "^[48]$")
  set(GlobalArrays_FOUND FALSE)
  set(GlobalArrays_NOT_FOUND_MESSAGE "CAUSEWAY_INTEGER is ${CAUSEWAY_INTEGER}; Fortran's INTEGER has 8 or 4 bytes")
  return()
endif()
find_dependency(causeway PATHS ${CMAKE_CURRENT_LIST_DIR}/../causeway NO_DEFAULT_PATH)
set(globalarrays_library causeway::cwga)
if(CAUSEWAY_INTEGER EQUAL 4)
  string(APPEND globalarrays_library -i4)
endif()
if(CAUSEWAY_STATIC)
  string(APPEND globalarrays_library -static)
endif()
if(NOT TARGET ${globalarrays_library})
  set(GlobalArrays_FOUND FALSE)
  set(GlobalArrays_NOT_FOUND_MESSAGE "Causeway was built for ${CAUSEWAY_MPI} without its libcwga")
  return()
endif()
foreach(globalarrays_name ga ga++ armci)
  if(NOT TARGET GlobalArrays::${globalarrays_name})
    add_library(GlobalArrays::${globalarrays_name} INTERFACE IMPORTED)
    target_link_libraries(GlobalArrays::${globalarrays_name} INTERFACE ${globalarrays_library})
  endif()
endforeach()
set(GlobalArrays_LIBRARIES GlobalArrays::ga)
get_target_property(GlobalArrays_INCLUDE_DIRS ${globalarrays_library} INTERFACE_INCLUDE_DIRECTORIES)
