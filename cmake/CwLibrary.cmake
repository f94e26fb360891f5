# cw_add_objects(name SOURCES files... [LIBRARIES targets...] [DEFINITIONS macros...])
# Makes the object library cw_`name`_objects, position independent; nothing when there are no files.
function(cw_add_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;DEFINITIONS")
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(cw_${name}_objects OBJECT ${arg_SOURCES})
  set_target_properties(cw_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(cw_${name}_objects PRIVATE ${cw_root}/include ${cw_internal_headers})
  target_compile_definitions(cw_${name}_objects PRIVATE CW_VERSION="${PROJECT_VERSION}" ${arg_DEFINITIONS})
  target_link_libraries(cw_${name}_objects PRIVATE CW_WARNINGS ${arg_LIBRARIES})
  if(COMMAND cw_use_mpi) # CwShare
    cw_use_mpi(${arg_SOURCES})
  else()
    target_link_libraries(cw_${name}_objects PRIVATE MPI::MPI_C)
  endif()
endfunction()

# cw_add_library(name OBJECTS names... HEADERS folders... [INSTALLED_HEADERS folders...] [LINK item] [MAP name]
#                [DEFINITIONS macros...] [FORTRAN bytes])
# Makes the shared library and the static one from those of the cw_<names>_objects that exist. Their files are called
# lib<name>-<mpi>, their targets `name` and `name`_static, with cw_ in front if the name would not say whose they are
# (cw_armci). causeway::`name` and causeway::`name`-static are the same targets under the names that find_package(causeway)
# gives them. The shared library exports only what cmake/<name>.map (MAP: another name's) lists. INSTALLED_HEADERS: folders below
# include/ that programs search first.
# LINK: what both need. DEFINITIONS: with what programs are compiled. FORTRAN: how many bytes INTEGER has in programs,
# which get the options for it (docs/reference/fortran.md).
function(cw_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LINK;MAP;FORTRAN" "OBJECTS;HEADERS;INSTALLED_HEADERS;DEFINITIONS")
  if(NOT arg_MAP)
    set(arg_MAP ${name})
  endif()
  set(objects)
  foreach(object ${arg_OBJECTS})
    if(TARGET cw_${object}_objects)
      list(APPEND objects $<TARGET_OBJECTS:cw_${object}_objects>)
    endif()
  endforeach()
  set(map ${PROJECT_SOURCE_DIR}/cmake/${arg_MAP}.map)
  set(target ${name})
  if(NOT name MATCHES "^(causeway|cw)")
    set(target cw_${name})
  endif()

  add_library(${target} SHARED ${objects})
  add_library(${target}_static STATIC ${objects})
  add_library(causeway::${name} ALIAS ${target})
  add_library(causeway::${name}-static ALIAS ${target}_static)
  add_dependencies(cw_libraries ${target} ${target}_static)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map})
  set_target_properties(${target}_static PROPERTIES EXPORT_NAME ${name}-static)
  # Calls between functions of the library never go to another file that has the same names, such as a second library
  # of ours. Calls of MPI's own may go to a tool's, and data may be the program's: Fortran's common blocks.
  target_link_options(${target} PRIVATE LINKER:--version-script=${map} LINKER:--dynamic-list-data
    LINKER:--dynamic-list=${PROJECT_SOURCE_DIR}/cmake/interposed.list)
  # In a program the code of the static one has a section of its own: machine/caller.c asks where it is.
  if(CMAKE_OBJCOPY)
    set(renamed)
    foreach(part "" .unlikely .hot .startup .exit)
      list(APPEND renamed --rename-section .text${part}=cw_text)
    endforeach()
    add_custom_command(TARGET ${target}_static POST_BUILD VERBATIM
                       COMMAND ${CMAKE_OBJCOPY} ${renamed} $<TARGET_FILE:${target}_static>)
  endif()
  if(NOT CW_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
  foreach(library ${target} ${target}_static)
    set_target_properties(${library} PROPERTIES
      OUTPUT_NAME ${name}-${CW_MPI} LINKER_LANGUAGE C)
    target_link_libraries(${library} PUBLIC MPI::MPI_C PRIVATE ${arg_LINK})
    target_compile_definitions(${library} PUBLIC ${arg_DEFINITIONS})
    # MPI's C++ bindings, which mpi.h declares unless these are defined, are in a library of their own.
    target_compile_definitions(${library} INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:MPICH_SKIP_MPICXX> $<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX>)
    if(arg_FORTRAN)
      target_compile_options(${library} INTERFACE
        "$<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-std=legacy;-funconstrained-commons>")
    endif()
    if(arg_FORTRAN EQUAL 8)
      target_compile_options(${library} INTERFACE
        "$<$<COMPILE_LANG_AND_ID:Fortran,GNU,LLVMFlang>:-fdefault-integer-8>"
        "$<$<COMPILE_LANG_AND_ID:Fortran,Intel,IntelLLVM,NVHPC>:-i8>")
    endif()
    foreach(folder ${arg_HEADERS})
      target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}>)
    endforeach()
    if(CW_INSTALL_RULES)
      foreach(folder ${arg_INSTALLED_HEADERS})
        target_include_directories(${library} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/${folder}>)
      endforeach()
      target_include_directories(${library} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    endif()
  endforeach()
endfunction()

# cw_add_tested_library(OBJECTS names... LINK item): `cw_tested`, which tests link for the internal headers. It is a shared
# library of all names: 300 programs with a static one each take 2 GB and half of the time that they take to compile.
# A program with the property CW_STATIC links the static one: in it, the library's own calls can be wrapped (cw_wrap),
# and a file of the program can stand in for one of the library.
function(cw_add_tested_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "LINK" "OBJECTS")
  set(objects)
  foreach(object ${arg_OBJECTS})
    if(TARGET cw_${object}_objects)
      list(APPEND objects $<TARGET_OBJECTS:cw_${object}_objects>)
    endif()
  endforeach()
  add_library(cw_tested_shared SHARED EXCLUDE_FROM_ALL ${objects})
  set_target_properties(cw_tested_shared PROPERTIES LINKER_LANGUAGE C)
  target_link_options(cw_tested_shared PRIVATE LINKER:-Bsymbolic-functions)
  target_link_libraries(cw_tested_shared PUBLIC MPI::MPI_C ${arg_LINK})
  target_include_directories(cw_tested_shared PUBLIC ${PROJECT_SOURCE_DIR}/include)
  add_library(cw_tested INTERFACE)
  target_include_directories(cw_tested INTERFACE ${cw_internal_headers})
  target_link_libraries(cw_tested INTERFACE
    $<IF:$<BOOL:$<TARGET_PROPERTY:CW_STATIC>>,causeway_static,cw_tested_shared> CW_WARNINGS)
endfunction()
