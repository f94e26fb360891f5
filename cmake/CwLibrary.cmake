# cw_add_library(name OBJECTS object-libraries... HEADERS folders...)
# Makes the shared library `name` and the static `name`_static from the same objects; their files
# are called lib<name>-<mpi>. The shared one exports only what cmake/<name>.map lists.
function(cw_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OBJECTS;HEADERS")
  set(objects)
  foreach(object ${arg_OBJECTS})
    list(APPEND objects $<TARGET_OBJECTS:${object}>)
  endforeach()
  set(map ${PROJECT_SOURCE_DIR}/cmake/${name}.map)

  add_library(${name} SHARED ${objects})
  add_library(${name}_static STATIC ${objects})
  set_target_properties(${name} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map})
  target_link_options(${name} PRIVATE LINKER:--version-script=${map})
  if(NOT CW_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:--no-undefined)
  endif()
  foreach(library ${name} ${name}_static)
    set_target_properties(${library} PROPERTIES
      OUTPUT_NAME ${name}-${CW_MPI} LINKER_LANGUAGE C)
    target_link_libraries(${library} PUBLIC MPI::MPI_C)
    foreach(folder ${arg_HEADERS})
      target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}>)
    endforeach()
    target_include_directories(${library} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
endfunction()
