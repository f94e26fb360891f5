# Finds gfortran for tests and examples in Fortran: CW_FORTRAN_FOUND. The libraries need none: C has Fortran's names.
set(CW_FORTRAN_FOUND OFF)
if(CW_TESTS AND NOT CMAKE_CROSSCOMPILING)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    if(CMAKE_Fortran_COMPILER_ID STREQUAL GNU)
      set(CW_FORTRAN_FOUND ON)
    endif()
  endif()
  if(NOT CW_FORTRAN_FOUND)
    message(STATUS "No gfortran: tests in Fortran are left out")
  endif()
endif()

# The libraries for an INTEGER of 8 and of 4 bytes, whose targets have the options for it.
# Programs on GA and MA pass arrays of any type for one dummy argument, which compilers warn of.
# Their indices lead beyond the common blocks from which they count (docs/reference/fortran.md): no sanitizer is to look at that.
set(cw_fortran_flags "$<$<COMPILE_LANGUAGE:Fortran>:-fno-sanitize=object-size;-w>")
set(cw_fortran_flags_debian -fdefault-integer-8 -std=legacy -funconstrained-commons -fno-sanitize=object-size -w)
set(cw_fortran_library_8 cwga)
set(cw_fortran_library_4 cwga-i4)

# cw_add_fortran_example(name size sources...)
# Makes one program, on the shared library for an INTEGER of `size` bytes.
function(cw_add_fortran_example name size)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE ${cw_fortran_flags})
  target_link_libraries(${name} PRIVATE ${cw_fortran_library_${size}})
endfunction()

# cw_add_fortran_program(name sources...)
# Makes two programs of the sources and the kit for Fortran: name_8 and name_4. Their libraries are shared, where the
# common blocks of program and library have to become one; name_8_static has them in itself.
function(cw_add_fortran_program name)
  foreach(variant 8 4 8_static)
    string(SUBSTRING ${variant} 0 1 size)
    set(target ${name}_${variant})
    set(library ${cw_fortran_library_${size}})
    if(variant MATCHES static)
      string(APPEND library _static)
    endif()
    add_executable(${target} ${ARGN} ${PROJECT_SOURCE_DIR}/tests/kit/kit_fortran.F90)
    set_target_properties(${target} PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.modules)
    target_compile_options(${target} PRIVATE ${cw_fortran_flags})
    target_link_libraries(${target} PRIVATE ${library})
  endforeach()
endfunction()
