# Finds a C++ compiler for tests and examples of GA's C++ classes: CW_CXX_FOUND. The libraries need none: the classes are
# headers.
set(CW_CXX_FOUND OFF)
if(CW_TESTS AND NOT CMAKE_CROSSCOMPILING)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    set(CW_CXX_FOUND ON)
  else()
    message(STATUS "No C++ compiler: tests and examples in C++ are left out")
  endif()
endif()

# cw_add_cxx_program(name sources...): a program in C++11, without MPI's own C++ bindings.
function(cw_add_cxx_program name)
  add_executable(${name} ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_11)
  target_compile_options(${name} PRIVATE -Wall -Wextra $<$<BOOL:${CW_WERROR}>:-Werror>)
  target_compile_definitions(${name} PRIVATE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
endfunction()
